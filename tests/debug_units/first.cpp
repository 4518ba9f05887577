// A class, a class in it and a function that is no template, named by both units.
#include "shared.h"

#ifdef WITH_UNNAMED
namespace {
int unnamed = 4;
}
int *named() { return &unnamed; }
#endif

namespace shop {
Order::Line total(const Order &order) {
    Order::Line sum = {0, 0};
    for (int at = 0; at < order.count; at++)
        sum.add(order.lines[at]);
    return sum;
}
} // namespace shop
