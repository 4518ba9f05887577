#define DOZEN 12
#define PIECES(dozens) ((dozens) * DOZEN)

namespace shop {
struct Order {
    struct Line {
        int price;
        unsigned pieces;
        void add(const Line &other) {
            price += other.price;
            pieces += other.pieces;
        }
    };
    Line *lines;
    int count;
    static int made;
};
Order::Line total(const Order &order);
} // namespace shop
