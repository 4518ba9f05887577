// The library's containers, strings and algorithms, virtual calls, and exceptions that cross many frames.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

uint32_t state = 2463534242u;

uint32_t next() {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

// An expression, as interpreters have it.
struct Node {
    virtual ~Node() = default;
    virtual long value(const std::map<std::string, long> &names) const = 0;
};

struct Number : Node {
    long number;
    explicit Number(long number) : number(number) {}
    long value(const std::map<std::string, long> &) const override { return number; }
};

struct Name : Node {
    std::string name;
    explicit Name(std::string name) : name(std::move(name)) {}
    long value(const std::map<std::string, long> &names) const override { return names.at(name); }
};

struct Operation : Node {
    char sign;
    std::unique_ptr<Node> left, right;
    Operation(char sign, std::unique_ptr<Node> left, std::unique_ptr<Node> right)
        : sign(sign), left(std::move(left)), right(std::move(right)) {}
    long value(const std::map<std::string, long> &names) const override {
        long a = left->value(names), b = right->value(names);
        switch (sign) {
        case '+': return long((unsigned long)a + (unsigned long)b);
        case '*': return long((unsigned long)a * (unsigned long)b);
        default:
            if (b == 0 && a % 64 == 1) throw std::domain_error("division by 0");
            return b == 0 || b == -1 ? 0 : a / b;
        }
    }
};

std::unique_ptr<Node> grow(int depth) {
    if (depth == 0 || next() % 8 == 0) {
        if (next() % 2) return std::make_unique<Number>(long(next() % 20));
        return std::make_unique<Name>(std::string(1, next() % 900 ? char('a' + next() % 26) : '?'));
    }
    auto left = grow(depth - 1);
    return std::make_unique<Operation>("+*/"[next() % 3], std::move(left), grow(depth - 1));
}

void expressions(int count) {
    std::map<std::string, long> names;
    for (char name = 'a'; name <= 'z'; name++) names[std::string(1, name)] = name - 'h';
    unsigned long sum = 0;
    int divisions = 0, unknown = 0;
    for (int i = 0; i < count; i++) {
        try {
            sum = sum * 31 + (unsigned long)grow(7)->value(names);
        } catch (const std::domain_error &) {
            divisions++;
        } catch (const std::out_of_range &) {
            unknown++;
        }
    }
    std::printf("expressions: %lu, %d divisions by 0, %d unknown names\n", sum, divisions, unknown);
}

void words(int count) {
    std::unordered_map<std::string, int> counts;
    for (int i = 0; i < count; i++) {
        std::string word;
        for (unsigned n = 1 + next() % 4; n; n--) word += "kalomiterenusshari"[next() % 18];
        counts[word + "-ending that does not fit"]++;
    }
    std::vector<std::pair<std::string, int>> sorted(counts.begin(), counts.end());
    std::sort(sorted.begin(), sorted.end(),
              [](const auto &a, const auto &b) { return a.second != b.second ? a.second > b.second : a.first < b.first; });
    std::printf("words: %zu, first %s %d\n", sorted.size(), sorted[0].first.c_str(), sorted[0].second);
}

void numbers(int count) {
    std::vector<double> values;
    for (int i = 0; i < count; i++) values.push_back(double(next() % 100000) / 7);
    std::stable_sort(values.begin(), values.end());
    auto end = std::unique(values.begin(), values.end());
    double sum = 0;
    for (auto at = values.begin(); at != end; ++at) sum += *at;
    std::multimap<int, size_t> buckets;
    for (size_t i = 0; i < values.size(); i += 3) buckets.emplace(int(values[i]) % 100, i);
    size_t largest = 0;
    for (int key = 0; key < 100; key++) largest = std::max(largest, buckets.count(key));
    std::printf("numbers: %.6f, %zu, %zu\n", sum, buckets.size(), largest);
}

} // namespace

int main(int argc, char **argv) {
    int size = argc > 1 ? std::atoi(argv[1]) : 0;
    if (size <= 0) return 2;
    expressions(size * 20);
    words(size * 200);
    numbers(size * 200);
}
