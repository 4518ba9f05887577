// Exceptions in and through the C++ library: many destructors, generic code, locks, threads.
#include <algorithm>
#include <any>
#include <cstdio>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <variant>
#include <vector>

static int alive;
struct Counted {
  int i;
  explicit Counted(int i) : i(i) { if (i % 13 == 12) throw std::invalid_argument("thirteen " + std::to_string(i)); alive++; }
  Counted(const Counted &other) : i(other.i) { if (i % 7 == 6) throw std::runtime_error("copy of " + std::to_string(i)); alive++; }
  Counted(Counted &&other) noexcept : i(other.i) { alive++; }
  Counted &operator=(const Counted &) = default;
  ~Counted() { alive--; }
};

__attribute__((noinline)) static int destructors(int k) {
  std::string s1 = "first string that is long enough for the heap", s2 = s1 + s1;
  std::vector<std::string> v(3, s2);
  try {
    std::vector<int> numbers(10, k);
    v.push_back("x");
    numbers.at(k) = 1;
    v.at(k + 1).append("y");
    return (int)v.size();
  } catch (std::out_of_range &) { return (int)v.size() * 100 + (int)s2.size(); }
}

__attribute__((noinline)) static std::string containers(int n) {
  std::map<std::string, std::vector<Counted>> map;
  try {
    for (int i = 0; i < n; i++) {
      auto &list = map["key" + std::to_string(i % 4)];
      list.emplace_back(i);
      if (i % 5 == 4) { std::vector<Counted> copy = list; std::reverse(copy.begin(), copy.end()); }
    }
    return "all " + std::to_string(map.size());
  } catch (const std::invalid_argument &e) { return std::string("argument: ") + e.what(); }
  catch (const std::exception &e) { return std::string("other: ") + e.what(); }
}

__attribute__((noinline)) static std::string parse(const std::string &text) {
  std::istringstream in(text);
  in.exceptions(std::ios::failbit);
  std::ostringstream out;
  try {
    int a = 0, b = 0;
    char op = 0;
    in >> a >> op >> b;
    if (op == '/' && b == 0) throw std::domain_error("by zero");
    out << (op == '+' ? a + b : op == '/' ? a / b : throw op);
  } catch (const std::ios::failure &) { out << "no numbers"; }
  catch (const std::domain_error &e) { out << e.what(); }
  catch (char c) { out << "operator " << c; }
  return out.str();
}

int main() {
  for (int k = 1; k < 12; k += 2) std::printf("%d\n", destructors(k));
  for (int n = 0; n < 20; n += 3) std::printf("%s, alive %d\n", containers(n).c_str(), alive);
  for (const char *text : {"1+2", "8/2", "8/0", "x", "3*4", ""}) std::printf("%s\n", parse(text).c_str());
  try { std::regex r("(unclosed"); } catch (const std::regex_error &e) { std::printf("regex %d\n", (int)e.code()); }
  try { std::variant<int, std::string> v = 3; std::printf("%s\n", std::get<std::string>(v).c_str()); }
  catch (const std::bad_variant_access &) { std::printf("variant\n"); }
  try { std::any a = 3; std::printf("%g\n", std::any_cast<double>(a)); } catch (const std::bad_any_cast &) { std::printf("any\n"); }
  try { std::optional<int> o; std::printf("%d\n", o.value()); } catch (const std::bad_optional_access &) { std::printf("optional\n"); }
  try { std::function<int(int)> f; std::printf("%d\n", f(3)); } catch (const std::bad_function_call &) { std::printf("function\n"); }
  try { std::weak_ptr<int> w; std::shared_ptr<int> s(w); } catch (const std::bad_weak_ptr &) { std::printf("weak\n"); }
  try { std::stoi("x"); } catch (const std::invalid_argument &) { std::printf("stoi\n"); }
  std::mutex mutex;
  for (int i = 0; i < 3; i++) {
    auto future = std::async(std::launch::async, [&, i] {
      std::lock_guard<std::mutex> lock(mutex);
      if (i == 1) throw std::system_error(std::make_error_code(std::errc::timed_out));
      return i * 10;
    });
    try { std::printf("future %d\n", future.get()); } catch (const std::system_error &e) { std::printf("future threw %d\n", e.code().value()); }
  }
  std::vector<int> sorted = {5, 2, 9, 1};
  int compared = 0;
  try { std::sort(sorted.begin(), sorted.end(), [&](int a, int b) { if (++compared == 4) throw compared; return a < b; }); }
  catch (int n) { std::printf("sort stopped at %d\n", n); }
  std::printf("alive %d\n", alive);
}
