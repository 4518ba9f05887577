// C++ beyond C: classes, templates, exceptions, clean-ups, static initialization, atomics, inline functions.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

int live = 0;

struct Error {
    const char *what;
    int code;
};

// Counts itself, so that a missed clean-up shows.
class Shape {
public:
    explicit Shape(const char *name) : name_(name) { ++live; }
    Shape(const Shape &other) : name_(other.name_) { ++live; }
    virtual ~Shape() { --live; }
    virtual double area() const = 0;
    virtual const char *kind() const { return "shape"; }
    const char *name() const { return name_; }

private:
    const char *name_;
};

class Square : public virtual Shape {
public:
    Square(const char *name, double side) : Shape(name), side_(side) {
        if (side < 0) throw Error{"negative side", static_cast<int>(side)};
    }
    double area() const override { return side_ * side_; }
    const char *kind() const override { return "square"; }

private:
    double side_;
};

struct Colored {
    virtual ~Colored() = default;
    virtual int color() const { return 7; }
};

class Tile final : public Square, public Colored {
public:
    Tile(const char *name, double side, int color) : Shape(name), Square(name, side), color_(color) {}
    int color() const override { return color_; }

private:
    int color_;
};

template <typename T, unsigned N> class Stack {
public:
    void push(const T &value) {
        if (count_ == N) throw Error{"full", static_cast<int>(N)};
        values_[count_++] = value;
    }
    T pop() {
        if (count_ == 0) throw 42;
        return values_[--count_];
    }
    template <typename F> void each(F f) const {
        for (unsigned i = 0; i < count_; ++i) f(values_[i]);
    }

private:
    T values_[N];
    unsigned count_ = 0;
};

struct Vector {
    double x, y, z;
    Vector operator+(const Vector &o) const { return {x + o.x, y + o.y, z + o.z}; }
};

Vector total(Vector a, Vector b) { return a + b; }

struct Registry {
    Registry() { std::puts("registered"); }
    int value = std::atoi("12");
};
Registry registry;

Registry &once() {
    static Registry local;
    return local;
}

int guarded(int n) noexcept(false) {
    Square keep("guard", 1);
    if (n > 2) throw Error{"deep", n};
    return guarded(n + 1) + 1;
}

std::atomic<long> shared{3};

} // namespace

inline int shared_inline(int x) {
    static int calls = 0;
    return x + ++calls;
}
template int Stack<int, 4>::pop();

int main(int argc, char **argv) {
    Stack<int, 4> stack;
    try {
        for (int i = 0; i < 10; ++i) stack.push(i * i);
    } catch (const Error &error) {
        std::printf("%s %d\n", error.what, error.code);
    }
    int sum = 0;
    stack.each([&sum](int value) { sum += value; });
    try {
        for (;;) sum += stack.pop();
    } catch (int code) {
        std::printf("empty %d, sum %d\n", code, sum);
    }
    Tile tile("tile", 2.5, argc > 1 ? std::atoi(argv[1]) : 1);
    Shape &shape = tile;
    Colored *colored = dynamic_cast<Colored *>(&shape);
    std::printf("%s %s %g %d %d\n", shape.kind(), shape.name(), shape.area(), colored->color(), live);
    try {
        Tile broken("broken", -1, 0);
    } catch (Error &error) {
        std::printf("%s %d\n", error.what, live);
    }
    try {
        try {
            guarded(0);
        } catch (...) {
            std::printf("passing on %d\n", live);
            throw;
        }
    } catch (const Error &error) {
        std::printf("%s %d\n", error.what, error.code);
    }
    Vector v = total({1, 2, 3}, {4, 5, 6});
    double (Vector::*none)() const = nullptr;
    double Vector::*member = &Vector::y;
    std::printf("%g %d %d %d\n", v.*member, none == nullptr, shared_inline(1) + shared_inline(2), once().value);
    std::printf("%ld %d\n", shared.fetch_add(4) + shared.load(), live);
    return live == 1 ? 0 : 1;
}
