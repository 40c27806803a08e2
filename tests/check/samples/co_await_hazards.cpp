// Every line that ends in a comment «fault» must be reported, and no other.
#include <vector>

struct Options { int n{0}; };
enum class Kind : int { kOne };

asio::awaitable<void> good(Session& session, std::vector<int> list) {
  auto job = [&session](int n) { return session.run(n, Options{1}); };
  co_await session.run(job);
  co_await session.run([] { return 1; });
  co_await session.run(std::string("paren"), list[0], std::move(job));
  const Options options{.n = 2};
  auto [a, b] = co_await session.pair(options);
  const Options other{co_await session.number()};
  for (auto& [key, value] : co_await session.all()) {
    session.note(Options{key}, [value] { return value; });
  }
  if (const bool ok = co_await session.ready(); ok) {
    list = {1, 2};
  } else if (co_await session.other()) {
    session.note([&list] { return list; });
  }
  while (co_await session.more()) list.push_back(session.map[{1, 2}]);
  if (session.is(Options{1})) co_await session.more();
  switch (co_await session.kind()) {
    case Kind::kOne: session.note(Options{1}); break;
  }
  asio::co_spawn(session.executor(), [&session]() -> asio::awaitable<void> { co_await session.step(); }, asio::detached);
  const char* text = "co_await f([&x] { }, T{1})";  // co_await f(T{1})
  const auto raw = R"(co_await f([&x] {}))";
  list = {3}; co_await session.step();
  const int million = 1'000'000; co_await session.step(million);
}

asio::awaitable<Result<Reply>> bad(Session& session, std::vector<int> list) {
  co_await session.run([&session] { return 1; });  // fault
  co_await session.run([=] { return 1; });  // fault
  co_await session.run(
      1,
      [this, n = list[0]]() mutable -> int {  // fault
        return session.run(Options{1});
      });
  co_await session.run(Options{1});  // fault
  co_await session.run({1, 2});  // fault
  co_await session.run({});  // fault
  co_await session.run(
      std::vector<int>{
          1});  // fault-above
  const auto one = co_await session.run(std::vector<Options>{});  // fault
  session.take(Options{1}, co_await session.number());  // fault
  session.take(co_await session.number(), Options{1});  // fault
  const auto sum = Options{co_await session.number()};  // fault
  if (co_await session.is(Options{1})) {  // fault
    co_return Reply{co_await session.number()};  // fault
  }
  for (auto& one : co_await session.list(Options{1})) session.note(one);  // fault
  while (co_await session.is([&] { return true; })) {  // fault
  }
  auto lambda = [&session]() -> asio::awaitable<void> {
    co_await session.run(Options{1});  // fault
  };
  CO_TRY(const auto n, co_await session.run(Options{.n = 1}));  // fault
  CO_TRY(const auto m, co_await session.run(1)) { session.note(Options{1}); }
  co_return co_await (session.ready() ? session.run(Options{1}) : session.run(2));  // fault
}
