// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/collation/locales.h"

#include <unicode/locid.h>

#include <algorithm>
#include <iterator>

namespace partita::query {
namespace {

/// Every locale has these orders beside its usual one; some have more.
constexpr std::string_view kOrders = " emoji eor search ";

struct KnownLocale {
  std::string_view name;
  std::string_view more_orders = {};  ///< Each between blanks.
};

constexpr KnownLocale kLocales[] = {
    {"af"}, {"am"}, {"ar", " compat "}, {"as"}, {"az"}, {"be"}, {"bg"}, {"bn", " traditional "}, {"bo"}, {"bs"}, {"bs_Cyrl"},
    {"ca"}, {"chr"}, {"cs"}, {"cy"}, {"da"}, {"de", " phonebook "}, {"de_AT", " phonebook "}, {"dsb"}, {"dz"}, {"ee"}, {"el"},
    {"en"}, {"en_US"}, {"en_US_POSIX"}, {"eo"}, {"es", " traditional "}, {"et"}, {"fa"}, {"fa_AF"}, {"fi", " traditional "},
    {"fil"}, {"fo"}, {"fr"}, {"fr_CA"}, {"ga"}, {"gl"}, {"gu"}, {"ha"}, {"haw"}, {"he"}, {"hi"}, {"hr"}, {"hsb"}, {"hu"}, {"hy"},
    {"id"}, {"ig"}, {"is"}, {"it"}, {"ja", " unihan "}, {"ka"}, {"kk"}, {"kl"}, {"km"}, {"kn", " traditional "},
    {"ko", " searchjl unihan "}, {"kok"}, {"ky"}, {"lb"}, {"lkt"}, {"ln", " phonetic "}, {"lo"}, {"lt"}, {"lv"}, {"mk"}, {"ml"},
    {"mn"}, {"mr"}, {"ms"}, {"mt"}, {"my"}, {"nb"}, {"ne"}, {"nl"}, {"nn"}, {"om"}, {"or"}, {"pa"}, {"pl"}, {"ps"}, {"pt"}, {"ro"},
    {"ru"}, {"se"}, {"si", " dictionary "}, {"sk"}, {"sl"}, {"smn"}, {"sq"}, {"sr"}, {"sr_Latn"}, {"sv", " standard "}, {"sw"},
    {"ta"}, {"te"}, {"th"}, {"to"}, {"tr"}, {"ug"}, {"uk"}, {"ur"}, {"vi", " traditional "}, {"wae"}, {"yi"}, {"yo"},
    {"zh", " big5han gb2312han standard stroke unihan zhuyin "}, {"zh_Hant", " big5han gb2312han pinyin standard unihan zhuyin "},
    {"zu"}};

constexpr std::string_view kOrderKey = "@collation=";

const KnownLocale* find(std::string_view name) {
  const auto* found = std::ranges::find(kLocales, name, &KnownLocale::name);
  return found == std::end(kLocales) ? nullptr : found;
}

bool has_order(const KnownLocale& locale, std::string_view order) {
  if (order.empty() || order.find(' ') != std::string_view::npos) return false;
  const std::string word = ' ' + std::string(order) + ' ';
  return kOrders.find(word) != std::string_view::npos || locale.more_orders.find(word) != std::string_view::npos;
}

}  // namespace

bool is_known_locale(std::string_view locale) {
  const std::size_t at = locale.find(kOrderKey);
  const KnownLocale* known = find(locale.substr(0, at));
  if (known == nullptr) return false;
  return at == std::string_view::npos || has_order(*known, locale.substr(at + kOrderKey.size()));
}

std::string nearest_locale(const std::string& locale) {
  const icu::Locale meant = icu::Locale::createFromName(locale.c_str());
  if (meant.isBogus()) return {};
  std::string name = meant.getBaseName();
  while (find(name) == nullptr) {
    const std::size_t cut = name.find_last_of('_');
    if (cut == std::string::npos) return {};
    name.resize(cut);
  }
  UErrorCode failure = U_ZERO_ERROR;
  const auto order = meant.getKeywordValue<std::string>("collation", failure);
  return U_SUCCESS(failure) && has_order(*find(name), order) ? name + std::string(kOrderKey) + order : name;
}

}  // namespace partita::query
