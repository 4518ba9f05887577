// Reads made-up JSON with each of the library's implementations that the processor can run, and broken JSON, too.
#include "simdjson.h"
#include <cstdint>
#include <cstdio>
#include <string>

static uint32_t state = 1;

static uint32_t next() { return (state = state * 1664525 + 1013904223) >> 8; }

static void value(std::string &text, int depth) {
    switch (next() % (depth > 0 ? 8 : 6)) {
    case 0: text += std::to_string(int64_t(next()) * next() - (1 << 30)); break;
    case 1: text += std::to_string(double(next()) / 977); break;
    case 2: text += next() % 2 ? "true" : "null"; break;
    case 3: text += std::to_string(next() % 1000) + "e-" + std::to_string(next() % 40); break;
    case 4:
    case 5:
        text += '"';
        for (unsigned i = next() % 90; i > 0; i--) {
            static const char *const pieces[] = {"a", "bc", "\\n", "\\\"", "\xc3\xa4", "\\u00e9", " ", "xyz", "\\\\", "{"};
            text += pieces[next() % 10];
        }
        text += '"';
        break;
    case 6:
        text += '[';
        for (unsigned i = next() % 9; i > 0; i--) value(text, depth - 1), text += i > 1 ? ", " : "";
        text += ']';
        break;
    default:
        text += "{ ";
        for (unsigned i = next() % 9; i > 0; i--) {
            text += "\"key" + std::to_string(i) + "\":";
            value(text, depth - 1);
            text += i > 1 ? ",\n" : "";
        }
        text += '}';
    }
}

static uint64_t sum_of(simdjson::dom::element element) {
    std::string text = simdjson::minify(element);
    uint64_t sum = 0xcbf29ce484222325u;
    for (char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return sum;
}

int main() {
    for (auto implementation : simdjson::get_available_implementations()) {
        if (!implementation->supported_by_runtime_system()) continue;
        std::printf("%s\n", implementation->name().c_str());
        simdjson::get_active_implementation() = implementation;
        simdjson::dom::parser parser;
        state = 1;
        for (int round = 0; round < 150; round++) {
            std::string text = "[";
            for (int i = 0; i < 20; i++) value(text, 4), text += ',';
            text += "0]";
            if (round % 3 == 2) text[next() % text.size()] = "{}[]\",:x\\"[next() % 9];
            simdjson::dom::element element;
            auto error = parser.parse(text).get(element);
            std::printf("%d: %zu bytes, %s %016llx %d\n", round, text.size(), simdjson::error_message(error),
                        error ? 0ull : (unsigned long long)sum_of(element),
                        int(simdjson::validate_utf8(text.data(), text.size() - round % 5)));
        }
    }
}
