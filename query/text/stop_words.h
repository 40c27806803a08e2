// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

/// The commonest words of each language that carry no matter of their own: articles, pronouns, prepositions, conjunctions,
/// auxiliaries. Written for this server; shorter than mongod's lists. A word added or removed here changes what indexes hold:
/// those that are there would have to be built again.
namespace partita::query::text {

constexpr std::string_view kDanishStopWords =
    "af alle at da de dem den der deres det dig din du efter eller en er et for fra ham han hans har have havde hende hun hvad "
    "hvis hvor i ikke ind jeg jer kunne man med meget men mig min mine mit mod ned nogle nu når og også om op os over på selv sig "
    "sin sine sit skal skulle som til ud under var vi vil ville være været";

constexpr std::string_view kDutchStopWords =
    "aan al alles als altijd bij dan dat de der deze die dit doch doen door dus een en er geen haar had heb hebben heeft hem het "
    "hier hij hoe hun ik in is ja je kan kon kunnen maar me meer men met mij mijn moet na naar niet niets nog nu of om onder ons "
    "ook op over te tegen toch toen tot u uit uw van veel voor want was wat werd wie wil worden zal ze zelf zich zij zijn zo "
    "zonder zou";

constexpr std::string_view kEnglishStopWords =
    "a about above after again all am an and any are as at be because been before being below between both but by did do does "
    "doing down during each few for from further had has have having he her here hers herself him himself his how i if in into is "
    "it its itself me more most my myself no nor not of off on once only or other our ours ourselves out over own same she so "
    "some such than that the their theirs them themselves then there these they this those through to too under until up very was "
    "we were what when where which while who whom why with you your yours yourself yourselves";

constexpr std::string_view kFinnishStopWords =
    "ei ette en et eivät emme hän hänen he heidän ja jos joka jotka jossa jota kanssa ketkä koska kuin kuka kun me meidän mikä "
    "minä minun minut missä mitä mukaan mutta ne niin niiden nuo nyt ole olen olet oli olimme olin olisi olivat olla on ovat se "
    "sekä sen siinä siitä sillä sinä sinun tai tämä tämän te teidän tuo että vaan vai vaikka";

constexpr std::string_view kFrenchStopWords =
    "à ai au aux avec ce ces cette d dans de des du elle elles en es est et étaient était eu eux il ils j je l la le les leur "
    "leurs lui m ma mais me même mes moi mon n ne nos notre nous on ont ou où par pas pour qu que qui sa se sera ses son sont sur "
    "t ta te tes toi ton tu un une vos votre vous y été être";

constexpr std::string_view kGermanStopWords =
    "aber alle als also am an auch auf aus bei bin bis bist da damit dann das dass daß dein dem den denn der des dich die dir "
    "doch dort du durch ein eine einem einen einer eines er es euch euer für gegen hab habe haben hat hatte hatten hier hin "
    "hinter ich ihm ihn ihnen ihr ihre im in ins ist jede jeder jedes kann kein keine könnte man mein mich mir mit muss nach "
    "nicht nichts noch nun nur ob oder ohne sehr sein seine sich sie sind so soll sondern über um und uns unser unter vom von vor "
    "war waren was weil welche wenn werde werden wie wieder will wir wird wo würde würden zu zum zur zwar zwischen";

constexpr std::string_view kHungarianStopWords =
    "a az ahogy aki akik ami amely amelyek azok azt azért be benne bár csak de e egy el és ez ezek ezt ezért fel hanem hogy igen "
    "ill itt jó ki kell lehet lesz majd már még meg mely mert mi mint most nagyon ne nem néha nincs olyan össze saját sem sok "
    "számára szerint szinte talán több tovább úgy után utána vagy vagyis való valami van vannak vele vissza volt voltak";

constexpr std::string_view kItalianStopWords =
    "a abbia ad agli ai al alla alle allo anche avere aveva c che chi ci come con contro cui da dagli dai dal dalla dalle degli "
    "dei del della delle dello dentro di dove e ed era erano fu gli ha hai hanno ho i il in io l la le lei li lo loro lui ma me "
    "mi mia mie miei mio ne negli nei nel nella nelle nello noi non nostra nostro o per perché più quale quanto quella quelle "
    "quello questa queste questi questo se sei si sia sono sta su sua sue sugli sui sul sulla suo tra tu tua tuo un una uno vi "
    "voi è";

constexpr std::string_view kNorwegianStopWords =
    "alle at av ble blei bli blir da de deg dem den denne der dere deres det dette di din disse du eller en er et ett etter for "
    "fra før ha hadde han hans har hennes henne her hun hva hvem hver hvis hvor hvordan hvorfor i ikke inn jeg kan kunne man med "
    "meg men min mitt mot nå når noe noen og også om opp oss over på selv seg sin sine sitt skal skulle slik som så til ut uten "
    "var vi vil ville vår være vært";

constexpr std::string_view kPortugueseStopWords =
    "a ao aos aquela aquele aqueles as até com como da das de dela dele deles depois do dos e ela elas ele eles em entre era eram "
    "essa esse esta está estão este eu foi foram há isso isto já lhe lhes mais mas me mesmo meu minha muito na não nas nem no nos "
    "nós nossa nosso num numa o os ou para pela pelas pelo pelos por qual quando que quem se sem será seu seus só sua suas são "
    "também te tem tinha tu tua um uma você vocês vos à às";

constexpr std::string_view kRomanianStopWords =
    "a acea aceasta aceea acel acela acest acesta aceste ai al ale alt am ar are as atunci au avea avem care ca ce cei cel cele "
    "cine cu cum da dar de deci deja din ea ei el ele era este eu fi fie foarte fost iar la le li lor lui mai mi ne nici noi nu o "
    "or ori pe pentru prin sa sale sau se si sunt te tu un una unde unei unui va voi vor";

constexpr std::string_view kRussianStopWords =
    "а без более больше будет будто бы был была были было быть в вам вас ведь во вот все всего всех вы где да даже для до его ее "
    "ей ему если есть ж же за здесь и из или им их к как какая какой когда кто куда ли между меня мне может можно мой моя мы на "
    "над надо нас не него нее ней нельзя нет ни них но ну о об один он она они от раз с сам свою себе себя со так такой там тебя "
    "тем то тогда того тоже только том тот ты у уже хоть эти этого этой этом этот эту я";

constexpr std::string_view kSpanishStopWords =
    "a al algo algunas algunos ante antes como con contra cual cuando de del desde donde durante e el él ella ellas ellos en "
    "entre era eran eres es esa esas ese eso esos esta está están estas este esto estos fue fueron ha había han hasta hay he la "
    "las le les lo los más me mi mí mis mucho muchos muy nada ni no nos nosotros nuestra nuestro o os otra otros para pero poco "
    "por porque que qué quien se sea sí sin sobre son su sus también tanto te tengo ti tiene tienen todo todos tu tú tus un una "
    "uno unos y ya yo";

constexpr std::string_view kSwedishStopWords =
    "alla allt att av blev bli blir då de dem den denna deras dess dessa det detta dig din dina du där efter ej eller en er ert "
    "ett från för ha hade han hans har henne hennes hon honom hur här i icke ingen inom inte jag ju kan kunde man med mellan men "
    "mig min mina mitt mot mycket ni nu när någon något några och om oss på samma sedan sig sin sina skulle som så till under upp "
    "ut utan vad var vara varför varit varje vem vi vid vilka vilken vår våra än är åt över";

constexpr std::string_view kTurkishStopWords =
    "acaba ama bana belki ben benden beni benim bir biri birkaç biz bizi bizim bu buna bunda bundan bunu bunun çok çünkü da daha "
    "de defa diye en gibi hem hep hepsi her hiç için ile ise kez ki kim kime mu mü ne neden nerde nerede nereye niçin niye ona "
    "ondan onlar onu sanki sen senden seni senin siz sizi sizin tüm ve veya ya yani";

}  // namespace partita::query::text
