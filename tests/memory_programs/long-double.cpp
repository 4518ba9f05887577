// `long double` in C++: results of calls that may unwind, exceptions that hold one, and the standard library.

#include <algorithm>
#include <cmath>
#include <complex>
#include <iostream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#define APART __attribute__((noinline))

typedef long double number;

struct Excess {
  number value;
};

APART number limited(number x) {
  if (x > 3)
    throw Excess{x * 2};
  return x + 1;
}

APART number caught(number x) {
  number kept = x * 7;
  try {
    kept += limited(x);
  } catch (Excess &excess) {
    return kept - excess.value;
  }
  return kept;
}

// Results that nobody takes would fill the stack of the unit, on either way.
APART void ignored(number x) {
  try {
    limited(x);
  } catch (...) {
  }
}

template <class T> T total(const std::vector<T> &values) {
  T sum{};
  for (auto value : values)
    sum += std::sqrt(value) * std::pow(value, T(1.5));
  return sum;
}

int main() {
  std::cout.precision(25);
  for (int i = 0; i < 20; i++)
    ignored(i);
  for (number x = 0; x < 6; x += 0.75L)
    std::cout << caught(x) << " " << std::floor(x) << " " << std::ceil(x) << "\n";
  std::vector<number> values;
  for (int i = 1; i < 50; i++)
    values.push_back(i / 7.0L);
  std::sort(values.begin(), values.end(),
            [](number a, number b) { return std::fmod(a, 1.0L) < std::fmod(b, 1.0L); });
  for (auto value : values)
    std::cout << value << "\n";
  std::cout << total(values) << "\n";
  std::complex<number> z(1.5L, -2.5L);
  std::cout << z * z / (z + 1.0L) << std::abs(z) << std::exp(z) << "\n";
  std::cout << std::stold("3.25e100") << " " << std::numeric_limits<number>::max() << " " << std::llround(2.5L) << " "
            << std::lrint(3.5L) << "\n";
  std::mt19937_64 generator(3);
  std::uniform_real_distribution<number> uniform(0, 10);
  std::normal_distribution<number> normal;
  for (int i = 0; i < 10; i++)
    std::cout << uniform(generator) << " " << normal(generator) << "\n";
}
