// Kernels whose branches depend on data: sorting, searching, parsing, matching, dynamic programming. Whether a branch or
// a conditional move is better depends on what can be predicted, and on what the loop waits for.
//
// What is changed is copied first, so that each run does the same work on unpredictable data.

#include <string.h>

#include "kernels.h"

#define SORTED 512

static int32_t *unsorted(struct arrays *a) {
    memcpy(a->i32[1], a->i32[0], SORTED * sizeof(int32_t));
    return a->i32[1];
}

KERNEL(heap_sort) {
    int32_t *v = unsorted(a);
    int n = SORTED;
    for (int start = n / 2, end = n; end > 1;) {
        if (start > 0) {
            start--;
        } else {
            end--;
            int32_t last = v[end];
            v[end] = v[0];
            v[0] = last;
        }
        int root = start, child;
        int32_t value = v[root];
        while ((child = 2 * root + 1) < end) {
            if (child + 1 < end && v[child] < v[child + 1]) ++child;
            if (value >= v[child]) break;
            v[root] = v[child];
            root = child;
        }
        v[root] = value;
    }
}

// The same with numbers from 1, doubles, and the bound tested first, as in many benchmark programs.
KERNEL(heap_sort_floats) {
    double *v = a->f64[1] - 1;
    memcpy(a->f64[1], a->f64[0], SORTED * sizeof(double));
    int l = (SORTED >> 1) + 1, ir = SORTED;
    for (;;) {
        double rra;
        if (l > 1) {
            rra = v[--l];
        } else {
            rra = v[ir];
            v[ir] = v[1];
            if (--ir == 1) {
                v[1] = rra;
                return;
            }
        }
        int i = l, j = l << 1;
        while (j <= ir) {
            if (j < ir && v[j] < v[j + 1]) ++j;
            if (rra < v[j]) {
                v[i] = v[j];
                j += (i = j);
            } else {
                j = ir + 1;
            }
        }
        v[i] = rra;
    }
}

KERNEL(quick_sort) {
    int32_t *v = unsorted(a);
    int stack[64], top = 0;
    stack[top++] = 0;
    stack[top++] = SORTED - 1;
    while (top > 0) {
        int high = stack[--top], low = stack[--top];
        if (low >= high) continue;
        int32_t pivot = v[(low + high) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (v[i] < pivot) i++;
            while (v[j] > pivot) j--;
            if (i <= j) {
                int32_t swapped = v[i];
                v[i++] = v[j];
                v[j--] = swapped;
            }
        }
        int first[2] = {low, j}, second[2] = {i, high}, *larger = second, *smaller = first;
        if (j - low > high - i) larger = first, smaller = second;
        stack[top++] = larger[0];
        stack[top++] = larger[1];
        stack[top++] = smaller[0];
        stack[top++] = smaller[1];
    }
}

KERNEL(partition) {
    int32_t *v = unsorted(a);
    int kept = 0;
    for (int i = 0; i < SORTED; i++) {
        if (v[i] < 0) {
            int32_t swapped = v[kept];
            v[kept++] = v[i];
            v[i] = swapped;
        }
    }
    a->result = kept;
}

KERNEL(insertion_sort) {
    int32_t *v = unsorted(a);
    for (int group = 0; group < SORTED; group += 32) {
        for (int i = 1; i < 32; i++) {
            int32_t value = v[group + i];
            int j = i;
            for (; j > 0 && v[group + j - 1] > value; j--) v[group + j] = v[group + j - 1];
            v[group + j] = value;
        }
    }
}

KERNEL(shell_sort) {
    int32_t *v = unsorted(a);
    for (int gap = SORTED / 2; gap > 0; gap /= 2) {
        for (int i = gap; i < SORTED; i++) {
            int32_t value = v[i];
            int j = i;
            for (; j >= gap && v[j - gap] > value; j -= gap) v[j] = v[j - gap];
            v[j] = value;
        }
    }
}

KERNEL(bubble_passes) {
    int32_t *v = unsorted(a);
    for (int pass = 0; pass < 8; pass++) {
        for (int i = 0; i + 1 < SORTED - pass; i++) {
            if (v[i] > v[i + 1]) {
                int32_t swapped = v[i];
                v[i] = v[i + 1];
                v[i + 1] = swapped;
            }
        }
    }
}

KERNEL(selection) {
    int32_t *v = unsorted(a);
    for (int i = 0; i < 48; i++) {
        int least = i;
        for (int j = i + 1; j < 200; j++) {
            if (v[j] < v[least]) least = j;
        }
        int32_t swapped = v[i];
        v[i] = v[least];
        v[least] = swapped;
    }
}

static void rising(uint32_t *to, const uint32_t *from, int count) {
    uint32_t sum = 0;
    for (int i = 0; i < count; i++) to[i] = sum += from[i] >> 22;
}

KERNEL(merge) {
    rising(a->u32[1], a->u32[0], 1024);
    rising(a->u32[2], a->u32[0] + 1024, 1024);
    uint32_t *to = (uint32_t *)a->u64[1];
    int i = 0, j = 0;
    while (i < 1024 && j < 1024) {
        if (a->u32[1][i] <= a->u32[2][j]) {
            *to++ = a->u32[1][i++];
        } else {
            *to++ = a->u32[2][j++];
        }
    }
    a->result = i;
}

KERNEL(intersection) {
    rising(a->u32[1], a->u32[0], 1024);
    rising(a->u32[2], a->u32[0] + 1024, 1024);
    int i = 0, j = 0, common = 0;
    while (i < 1024 && j < 1024) {
        if (a->u32[1][i] < a->u32[2][j]) {
            i++;
        } else if (a->u32[1][i] > a->u32[2][j]) {
            j++;
        } else {
            common++, i++, j++;
        }
    }
    a->result = common;
}

KERNEL(binary_search) {
    rising(a->u32[1], a->u32[0], 1024);
    uint64_t found = 0;
    for (int k = 0; k < 512; k++) {
        uint32_t wanted = a->u32[0][k + 2048] >> 13;
        int low = 0, high = 1024;
        while (low < high) {
            int middle = low + (high - low) / 2;
            if (a->u32[1][middle] < wanted) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        found += low;
    }
    a->result = found;
}

KERNEL(tree_search) {
    // Children of node i are at 2i + 1 and 2i + 2.
    uint64_t sum = 0;
    for (int k = 0; k < 512; k++) {
        int32_t wanted = a->i32[0][k];
        int node = 0;
        while (node < 1000) {
            if (a->i32[2][node] == wanted) break;
            if (wanted < a->i32[2][node]) {
                node = 2 * node + 1;
            } else {
                node = 2 * node + 2;
            }
        }
        sum += node;
    }
    a->result = sum;
}

KERNEL(hash_probe) {
    uint32_t *table = a->u32[2];
    memset(table, 0, 1024 * sizeof(uint32_t));
    uint64_t probes = 0;
    for (int i = 0; i < 700; i++) {
        uint32_t key = a->u32[0][i] | 1;
        uint32_t place = (key * 0x9e3779b1u) >> 22;
        while (table[place] != 0 && table[place] != key) {
            place = (place + 1) & 1023;
            probes++;
        }
        table[place] = key;
    }
    a->result = probes;
}

KERNEL(greatest_divisor) {
    uint64_t sum = 0;
    for (int i = 0; i < 64; i++) {
        uint32_t x = a->u32[0][i] | 1, y = a->u32[1][i] | 1;
        while (x != y) {
            if (x > y) {
                x -= y;
                x >>= __builtin_ctz(x);
            } else {
                y -= x;
                y >>= __builtin_ctz(y);
            }
        }
        sum += x;
    }
    a->result = sum;
}

KERNEL(collatz) {
    uint64_t steps = 0;
    for (int i = 0; i < 64; i++) {
        uint64_t n = (a->u32[0][i] >> 16) + 1;
        while (n != 1) {
            if (n & 1) {
                n = 3 * n + 1;
            } else {
                n /= 2;
            }
            steps++;
        }
    }
    a->result = steps;
}

KERNEL(edit_distance) {
    uint16_t *row = a->u16[1];
    for (int j = 0; j <= 64; j++) row[j] = j;
    for (int i = 1; i <= 64; i++) {
        uint16_t diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= 64; j++) {
            uint16_t above = row[j];
            uint16_t cost = diagonal + ((a->u8[0][i] & 7) != (a->u8[1][j] & 7));
            if (above + 1 < cost) cost = above + 1;
            if (row[j - 1] + 1 < cost) cost = row[j - 1] + 1;
            row[j] = cost;
            diagonal = above;
        }
    }
    a->result = row[64];
}

KERNEL(common_subsequence) {
    uint16_t *row = a->u16[1];
    memset(row, 0, 65 * sizeof *row);
    for (int i = 0; i < 64; i++) {
        uint16_t diagonal = 0;
        for (int j = 0; j < 64; j++) {
            uint16_t above = row[j + 1];
            if ((a->u8[0][i] & 7) == (a->u8[1][j] & 7)) {
                row[j + 1] = diagonal + 1;
            } else {
                row[j + 1] = above > row[j] ? above : row[j];
            }
            diagonal = above;
        }
    }
    a->result = row[64];
}

KERNEL(knapsack) {
    uint32_t *best = a->u32[2];
    memset(best, 0, 512 * sizeof *best);
    for (int i = 0; i < 24; i++) {
        uint32_t weight = (a->u32[0][i] >> 26) + 1, value = a->u32[1][i] >> 16;
        for (uint32_t w = 511; w >= weight; w--) {
            uint32_t with = best[w - weight] + value;
            if (with > best[w]) best[w] = with;
        }
    }
}

KERNEL(largest_sum) {
    int32_t best = 0, current = 0;
    EACH(i) {
        current += a->i16[0][i];
        if (current < 0) current = 0;
        if (current > best) best = current;
    }
    a->result = best;
}

KERNEL(second_largest) {
    int32_t first = INT32_MIN, second = INT32_MIN;
    for (int i = 0; i < 1024; i++) {
        int32_t value = a->i32[0][i];
        if (value > first) {
            second = first;
            first = value;
        } else if (value > second) {
            second = value;
        }
    }
    a->result = (uint32_t)first ^ (uint32_t)second;
}

KERNEL(count_letters) {
    uint32_t letters = 0, digits = 0, others = 0;
    EACH(i) {
        uint8_t c = a->u8[0][i] & 127;
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
            letters++;
        } else if (c >= '0' && c <= '9') {
            digits++;
        } else {
            others++;
        }
    }
    a->result = letters * 31 + digits * 17 + others;
}

KERNEL(parse_numbers) {
    uint64_t sum = 0, number = 0;
    int is_negative = 0;
    EACH(i) {
        unsigned c = a->u8[0][i] & 15;
        if (c < 10) {
            number = number * 10 + c;
        } else if (c == 10) {
            is_negative = 1;
        } else {
            sum += is_negative ? -number : number;
            number = is_negative = 0;
        }
    }
    a->result = sum;
}

KERNEL(count_words) {
    uint32_t words = 0, lines = 0;
    int is_inside = 0;
    EACH(i) {
        uint8_t c = a->u8[0][i] & 15;
        if (c == 10) lines++;
        if (c == 10 || c < 3) {
            is_inside = 0;
        } else if (!is_inside) {
            is_inside = 1;
            words++;
        }
    }
    a->result = words * 4096 + lines;
}

KERNEL(run_lengths) {
    uint32_t count = 0;
    for (int i = 0; i < 2048;) {
        uint8_t value = a->u8[0][i] & 1;
        int length = 1;
        while (i + length < 2048 && length < 255 && (a->u8[0][i + length] & 1) == value) length++;
        a->u8[3][count++] = length;
        i += length;
    }
    a->result = count;
}

KERNEL(brackets) {
    int depth = 0, deepest = 0, wrong = 0;
    EACH(i) {
        switch (a->u8[0][i] & 3) {
        case 0:
            if (++depth > deepest) deepest = depth;
            break;
        case 1:
            if (depth == 0) {
                wrong++;
            } else {
                depth--;
            }
            break;
        default: break;
        }
    }
    a->result = deepest * 100 + depth + wrong;
}

KERNEL(three_colors) {
    uint8_t *v = a->u8[2];
    memcpy(v, a->u8[0], 1024);
    int low = 0, middle = 0, high = 1023;
    while (middle <= high) {
        uint8_t color = v[middle] % 3;
        if (color == 0) {
            uint8_t swapped = v[low];
            v[low++] = v[middle];
            v[middle++] = swapped;
        } else if (color == 1) {
            middle++;
        } else {
            uint8_t swapped = v[high];
            v[high--] = v[middle];
            v[middle] = swapped;
        }
    }
    a->result = low * 1024 + high;
}

KERNEL(median_of_three) {
    for (int i = 1; i < 1023; i++) {
        int32_t x = a->i32[0][i - 1], y = a->i32[0][i], z = a->i32[0][i + 1];
        int32_t median;
        if (x < y) {
            median = y < z ? y : x < z ? z : x;
        } else {
            median = x < z ? x : y < z ? z : y;
        }
        a->i32[2][i] = median;
    }
}

KERNEL(life) {
    const uint8_t *cells = a->u8[0];
    for (int y = 1; y < 31; y++) {
        for (int x = 1; x < 31; x++) {
            int around = 0;
            for (int dy = -1; dy <= 1; dy++) {
                for (int dx = -1; dx <= 1; dx++) {
                    if ((dx != 0 || dy != 0) && (cells[(y + dy) * 32 + x + dx] & 1)) around++;
                }
            }
            int lives = cells[y * 32 + x] & 1;
            if (around == 3 || (lives && around == 2)) {
                a->u8[3][y * 32 + x] = 1;
            } else {
                a->u8[3][y * 32 + x] = 0;
            }
        }
    }
}

// Numbers of many words.

KERNEL(long_sum) {
    unsigned long long carry = 0;
    EACH(i) a->u64[2][i] = __builtin_addcll(a->u64[0][i], a->u64[1][i], carry, &carry);
    a->result = carry;
}

KERNEL(long_difference) {
    unsigned long long borrow = 0;
    EACH(i) {
        uint64_t x = a->u64[0][i], y = a->u64[1][i], difference = x - y;
        uint64_t next = x < y;
        next |= difference < borrow;
        a->u64[2][i] = difference - borrow;
        borrow = next;
    }
    a->result = borrow;
}

KERNEL(long_product) {
    memset(a->u64[2], 0, 64 * sizeof(uint64_t));
    for (int i = 0; i < 32; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < 32; j++) {
            unsigned __int128 sum = (unsigned __int128)a->u64[0][i] * a->u64[1][j] + a->u64[2][i + j] + carry;
            a->u64[2][i + j] = (uint64_t)sum;
            carry = sum >> 64;
        }
        a->u64[2][i + 32] = carry;
    }
}

KERNEL(modular_power) {
    uint64_t result = 1;
    const uint64_t modulus = 0xffffffff00000001;
    for (int i = 0; i < 16; i++) {
        uint64_t base = a->u64[0][i] % modulus;
        for (uint32_t exponent = a->u32[0][i]; exponent != 0; exponent >>= 1) {
            if (exponent & 1) result = (unsigned __int128)result * base % modulus;
            base = (unsigned __int128)base * base % modulus;
        }
    }
    a->result = result;
}

// Conversions and small matrices.

KERNEL(double_to_unsigned_long) {
    volatile double scale = 0x1p63;
    double by = scale;
    EACH(i) a->u64[2][i] = (uint64_t)(a->f64[0][i] * by);
}

KERNEL(double_to_byte_saturated) {
    EACH(i) {
        double value = a->f64[0][i] * 300.0 - 20.0;
        a->u8[3][i] = value < 0.0 ? 0 : value > 255.0 ? 255 : (uint8_t)value;
    }
}

KERNEL(small_products) {
    for (int m = 0; m + 16 <= LENGTH; m += 16) {
        const double *x = a->f64[0] + m, *y = a->f64[1] + m;
        double *z = a->f64[2] + m;
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 4; j++) {
                double sum = 0;
                for (int k = 0; k < 4; k++) sum += x[4 * i + k] * y[4 * k + j];
                z[4 * i + j] = sum;
            }
        }
    }
}
