// Types with units of their own, and some that stay where they are named.
namespace {
struct Hidden {
    int inner;
};
} // namespace

struct NamesHidden {
    Hidden *hidden;
    int size;
};

int target;

template <int *address> struct Pointing {
    int value;
    int there() const { return value + *address; }
};

template <class T> struct List {
    T value;
    List *next;
    static int made;
    enum class Order : char { up, down } order;
    struct Place {
        List *list;
        union {
            long number;
            char letters[8];
        };
    } place;
    virtual int get(const List &other) const { return value + other.value; }
};

template <class T> int List<T>::made = 7;

struct Longer : List<int> {
    const volatile char *text;
    int bits : 3;
    int Longer::*member;
};

struct Declared;

struct NamesDeclared {
    Declared *pointer;
    NamesDeclared &(*function)(Longer, int, ...);
};

int main() {
    Hidden hidden = {1};
    NamesHidden names = {&hidden, 2};
    Pointing<&target> pointing = {3};
    Longer longer;
    longer.value = 4;
    longer.next = &longer;
    longer.order = List<int>::Order::down;
    longer.place.list = longer.next;
    longer.place.number = 66;
    longer.text = "text";
    longer.bits = 2;
    longer.member = &Longer::value;
    NamesDeclared declared = {nullptr, nullptr};
    return names.size + pointing.there() + longer.get(longer) + List<int>::made + (declared.pointer != nullptr) - 20;
}
