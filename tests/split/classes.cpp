// Comdats with keys of constructors, inline functions and variables, templates, exceptions, local statics and type
// information of classes that are local to the module.
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {
struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
    virtual const char *name() const { return "shape"; }
};
struct Square : Shape {
    double side;
    explicit Square(double side) : side(side) {}
    double area() const override { return side * side; }
    const char *name() const override { return "square"; }
};
struct Circle : Shape {
    double radius;
    explicit Circle(double radius) : radius(radius) {}
    double area() const override { return 3 * radius * radius; }
};
struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};
int made;
struct Tracker {
    int number;
    Tracker() : number(++made) { std::printf("made %d\n", number); }
    ~Tracker() { std::printf("gone %d\n", number); }
};
Tracker first;
} // namespace

template <typename T> struct Holder {
    static Tracker tracker;
    static int count;
};
template <typename T> Tracker Holder<T>::tracker;
template <typename T> int Holder<T>::count = made * 100;

inline Tracker shared;
inline int counted() {
    static int calls = made;
    return ++calls;
}

template <typename T> __attribute__((noinline)) T sum(const std::vector<T> &values) {
    T result{};
    for (const T &value : values) result += value;
    return result;
}

__attribute__((noinline)) static void fail(int number) {
    if (number > 2) throw Failure("number " + std::to_string(number));
}

__attribute__((noinline)) static int attempt(int number) {
    Tracker guard;
    try {
        fail(number);
    } catch (const Failure &failure) {
        std::printf("caught %s\n", failure.what());
        return -1;
    }
    return number;
}

int main() {
    std::vector<Shape *> shapes{new Square(3), new Circle(2)};
    for (Shape *shape : shapes) {
        std::printf("%s %.1f %d\n", shape->name(), shape->area(), dynamic_cast<Square *>(shape) != nullptr);
        delete shape;
    }
    std::printf("%d %d\n", attempt(1), attempt(3));
    std::printf("%d %d %d\n", Holder<int>::tracker.number > 0, Holder<long>::count, Holder<int>::tracker.number);
    std::printf("%d %d\n", counted(), counted());
    std::map<std::string, int> ages{{"a", 1}, {"b", 2}};
    for (auto &[name, age] : ages) std::printf("%s %d\n", name.c_str(), age);
    std::printf("%d %s\n", sum(std::vector<int>{1, 2, 3}), sum(std::vector<std::string>{"x", "y"}).c_str());
}
