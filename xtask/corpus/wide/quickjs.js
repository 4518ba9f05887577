// Touches most of the interpreter and of its library.
"use strict";

class Shape {
    #name;
    constructor(name) { this.#name = name; }
    get name() { return this.#name; }
    area() { return 0; }
    static of(...sizes) { return sizes.length === 1 ? new Circle(...sizes) : new Box(...sizes); }
}
class Circle extends Shape {
    constructor(radius) { super("circle"); this.radius = radius; }
    area() { return Math.PI * this.radius ** 2; }
}
class Box extends Shape {
    constructor(width, height) { super("box"); this.width = width; this.height = height; }
    area() { return this.width * this.height; }
}
for (const shape of [Shape.of(2), Shape.of(3, 4.5)]) print(shape.name, shape.area().toFixed(6));

function* primes(limit) {
    const composite = new Uint8Array(limit);
    for (let n = 2; n < limit; n++) {
        if (composite[n]) continue;
        yield n;
        for (let m = n * n; m < limit; m += n) composite[m] = 1;
    }
}
print([...primes(100)].join());
let sum = 0;
for (const prime of primes(20000)) sum += prime;
print(sum);

let factorial = 1n;
for (let i = 1n; i <= 60n; i++) factorial *= i;
print(factorial, factorial % 1000000007n, -factorial / 12345678901234567890n, (factorial >> 70n).toString(16));

const words = "the quick brown fox jumps over the lazy dog; the dog sleeps".split(/\W+/);
const counts = new Map();
for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
print(JSON.stringify([...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))));
print("2026-11-20 19:15".replace(/(?<y>\d+)-(?<m>\d+)-(?<d>\d+)/u, "$<d>.$<m>.$<y>"), /(a+)+b/.test("aaaaaaaaab"));
print("äöü straße".toUpperCase(), "\u{1f600}".codePointAt(0), "e\u0301".normalize("NFC").length);

function depth(n) { return n === 0 ? 0 : 1 + depth(n - 1); }
print(depth(90));
try { null.property; } catch (error) { print(error.name, error instanceof TypeError); }
try { depth(1e9); } catch (error) { print(error.name); }
let log = [];
function finish() { try { return "returned"; } finally { log.push("finally"); } }
print(finish(), log);
outer: for (let i = 0; ; i++) {
    for (let j = 0; j < 3; j++) { if (i * j === 4) { print(i, j); break outer; } if (j > i) continue outer; }
}

const tree = (depth) => depth ? { left: tree(depth - 1), right: tree(depth - 1) } : null;
const size = (node) => node ? 1 + size(node.left) + size(node.right) : 0;
print(size(tree(12)));
const { a, ...rest } = JSON.parse('{"a": [1, 2.5e10, -0.125], "b": null, "c": {"d": "\\u00e4"}}');
print(a, JSON.stringify(rest, null, 1).replace(/\s+/g, " "));
print([3, 1, 2].toSorted(), [1, [2, [3, [4]]]].flat(Infinity), Array.from({ length: 5 }, (_, i) => i * i));
const numbers = [0.1 + 0.2, 1 / 3, 1e21, 123456789.125, -0, 5e-324, 2 ** 53, NaN, Infinity, 255];
print(numbers.map(String), numbers.map((n) => n.toString(16)), numbers.map((n) => n | 0));
print(Math.sin(1), Math.atan2(1, -2), Math.hypot(3, 4), Math.fround(1.1), Math.clz32(1000), Math.imul(0xffffffff, 5));
const view = new DataView(new ArrayBuffer(16));
view.setFloat64(0, Math.E); view.setInt16(8, -2, true); view.setBigUint64(8, 0x0123456789abcdefn);
print(new Uint8Array(view.buffer));
const proxy = new Proxy({}, { get: (_, key) => `<${String(key)}>`, has: () => true });
print(proxy.anything, "x" in proxy, Reflect.ownKeys({ b: 1, 2: 1, a: 1, 1: 1 }), Symbol("s").toString());
print(typeof eval("1 + 1"), new Function("a", "b", "return a * b")(6, 7), `${[1, 2]}${{}}`);
switch (words.length) { case 1: print("one"); break; case 12: print("twelve"); default: print("and more"); }

(async () => {
    const slow = (value) => new Promise((resolve) => resolve(value));
    print(await Promise.all([slow(1), slow(2), 3]));
    try { await Promise.reject(new RangeError("no")); } catch (error) { print(`${error}`); }
    for await (const item of (async function* () { yield 1; yield 2; })()) print("item", item);
})();
const n = 60;
const matrix = Array.from({ length: n }, (_, i) => Float64Array.from({ length: n }, (_, j) => (i * j) % 7));
let trace = 0;
for (let i = 0; i < n; i++) for (let k = 0; k < n; k++) trace += matrix[i][k] * matrix[k][i];
print(trace);
