// Exceptions through frames with destructors.
#include <cstdio>
#include <stdexcept>
#include <vector>

struct Guard {
    int value;
    ~Guard() {
        std::printf("~%d\n", value);
    }
};

int descend(int depth) {
    Guard guard{depth};
    if (depth > 3)
        throw std::runtime_error("deep");
    std::vector<int> values(depth, 2);
    return descend(depth + 1) + values[0];
}

int main() {
    for (int start = 0; start < 5; start++) {
        try {
            std::printf("%d\n", descend(start));
        } catch (std::exception &error) {
            std::printf("%s\n", error.what());
        }
    }
    return 0;
}
