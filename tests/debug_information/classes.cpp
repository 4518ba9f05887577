// Classes, templates, namespaces, references, exceptions and the standard library.
#include <cstdio>
#include <string>
#include <vector>
#include <map>
namespace shop {
enum class Kind : unsigned char { fruit = 1, tool = 2 };
struct Item {
    std::string name;
    int price;
    Kind kind;
    static int made;
    Item(const char *n, int p, Kind k) : name(n), price(p), kind(k) { made++; }
    virtual ~Item() { price = 0; }
    virtual int cost() const { return price; }
};
int Item::made = 0;
struct Discounted : public Item {
    int percent;
    Discounted(const char *n, int p, int d) : Item(n, p, Kind::tool), percent(d) {}
    int cost() const override { return price - price * percent / 100; }
};
template <class T, int N> struct Ring {
    T data[N] = {};
    int at = 0;
    void push(T value) { data[at++ % N] = value; }
    T sum() const {
        T total{};
        for (const T &one : data)
            total += one;
        return total;
    }
};
}
static int divide(int a, int b) {
    if (b == 0)
        throw std::string("zero");
    return a / b;
}
int main() {
    shop::Discounted saw("saw", 100, 25);
    shop::Item apple("apple", 3, shop::Kind::fruit);
    const shop::Item *items[] = {&saw, &apple};
    shop::Ring<long, 4> ring;
    int total = 0;
    for (auto *item : items) {
        int cost = item->cost();
        total += cost;
        ring.push(cost);
    }
    auto twice = [&total](int factor) { return total * factor; };
    int result = 0;
    try {
        result = divide(twice(2), 0);
    } catch (const std::string &what) {
        result = (int)what.size();
    }
    std::vector<int> v{1, 2, 3};
    int &last = v.back();
    last += result;
    printf("%d %ld %d\n", total, ring.sum(), last);
    return 0;
}
