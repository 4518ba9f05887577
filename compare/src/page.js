"use strict";
const report = JSON.parse(document.getElementById("data").textContent);
// Packed assemblies by level and function; most of the page, and not needed to show it.
let assemblies = null;
const packedOf = (level, name) => {
  assemblies ??= JSON.parse(document.getElementById("assemblies").textContent);
  return assemblies[level][name];
};
const byId = (id) => document.getElementById(id);
const make = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
};
const svg = (tag, attributes, ...children) => {
  const node = document.createElementNS("http:" + "//www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
};
const number = (value, digits = 0) =>
  value == null ? "–" : value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const levelName = ({ frazil, llc }) => (frazil === llc ? `-O${frazil}` : `-O${frazil} : -O${llc}`);

// What is looked at; also after the # of the address.
const view = { level: 0, sort: "excess", descending: true, filter: "", name: "" };
const readAddress = () => {
  const words = new URLSearchParams(location.hash.slice(1));
  view.level = Math.min(Number(words.get("level") ?? 0) || 0, Math.max(report.levels.length - 1, 0));
  view.sort = words.get("sort") ?? "excess";
  view.descending = words.get("order") !== "ascending";
  view.filter = words.get("filter") ?? "";
  view.name = words.get("function") ?? "";
};
const writeAddress = () => {
  const words = new URLSearchParams();
  if (view.level) words.set("level", view.level);
  if (view.sort !== "excess") words.set("sort", view.sort);
  if (!view.descending) words.set("order", "ascending");
  if (view.filter) words.set("filter", view.filter);
  if (view.name) words.set("function", view.name);
  history.replaceState(null, "", "#" + words);
};

const TOTALS = [
  ["time", "CPU time, ms", 2, (side) => side.cost?.time_ms],
  ["memory", "peak memory, kB", 0, (side) => side.cost && side.cost.peak_bytes / 1024],
  ["size", "code, bytes", 0, (side) => side.text_bytes],
  ["instructions", "instructions", 0, (side) => side.counts?.instructions],
  ["spills", "spills", 0, (side) => side.counts?.spills],
  ["reloads", "reloads", 0, (side) => side.counts?.reloads],
  ["frame", "stack frames, bytes", 0, (side) => side.counts?.frame_bytes],
];
const ratioCell = (ratio) => {
  const kind = ratio == null ? "" : ratio > 1.005 ? "bad" : ratio < 0.995 ? "good" : "";
  return make("td", { class: kind }, ratio == null ? "–" : ratio.toFixed(3));
};

const showTotals = (level) => {
  const table = byId("totals");
  const heads = ["", "frazil", "llc", "frazil / llc"].map((text) => make("th", {}, text));
  table.replaceChildren(make("tr", {}, ...heads));
  const rows = TOTALS.map(([key, title, digits, of]) => [title, digits, of(level.frazil), of(level.llc), level.ratios[key]]);
  const programs = level.programs;
  if (programs) rows.push(["run time, ms", 1, programs.frazil.time_ms, programs.llc.time_ms, level.ratios.run]);
  for (const [title, digits, ours, theirs, ratio] of rows)
    table.append(make("tr", {}, make("td", {}, title), make("td", {}, number(ours, digits)),
      make("td", {}, number(theirs, digits)), ratioCell(ratio)));
};

const showErrors = (level) => {
  const messages = [];
  for (const name of ["frazil", "llc"]) {
    if (level[name].error) messages.push(`${name} gave nothing: ${level[name].error}`);
    if (level.programs?.[name].error) messages.push(`${name}'s program did not run: ${level.programs[name].error}`);
  }
  if (level.programs?.agree === false) messages.push("The programs differ in what they print or how they end.");
  byId("errors").replaceChildren(...messages.map((text) => make("p", { class: "error" }, text)));
};

// Bars around the line of equality; a ratio of two has the length of a ratio of one half.
const showRatios = (level) => {
  const entries = Object.entries(level.ratios);
  const [width, height, middle] = [420, 22 * entries.length + 8, 230];
  const most = Math.max(1, ...entries.map(([, ratio]) => Math.abs(Math.log2(Math.max(ratio, 1e-3)))));
  const bars = entries.flatMap(([name, ratio], index) => {
    const length = (Math.log2(Math.max(ratio, 1e-3)) / most) * 120;
    const top = 22 * index + 4;
    return [
      svg("text", { x: 0, y: top + 13 }, name),
      svg("rect", { x: Math.min(middle, middle + length), y: top, width: Math.abs(length), height: 16,
        fill: ratio > 1 ? "var(--bad)" : "var(--good)" }),
      svg("text", { x: middle + Math.max(length, 0) + 4, y: top + 13 }, ratio.toFixed(2)),
    ];
  });
  const axis = svg("line", { x1: middle, x2: middle, y1: 0, y2: height, stroke: "currentColor" });
  byId("ratios").replaceChildren(svg("svg", { width, height, role: "img" }, ...bars, axis),
    make("figcaption", {}, "frazil / llc, shorter to the left is better (logarithmic)"));
};

// How many functions have which ratio of sizes.
const showSizes = (level) => {
  const ratios = level.functions.filter((row) => row.frazil?.bytes && row.llc?.bytes)
    .map((row) => row.frazil.bytes / row.llc.bytes);
  const [least, step, count] = [0.4, 0.1, 17];
  const bins = new Array(count).fill(0);
  for (const ratio of ratios) bins[Math.min(count - 1, Math.max(0, Math.floor((ratio - least) / step)))] += 1;
  const most = Math.max(1, ...bins);
  const bars = bins.flatMap((value, index) => {
    const height = (value / most) * 120;
    const bar = svg("rect", { x: 26 * index, y: 130 - height, width: 24, height, fill: "var(--ours)" },
      svg("title", {}, `${value} functions`));
    const mark = index % 2 === 0 ? [svg("text", { x: 26 * index, y: 145 }, (least + step * index).toFixed(1))] : [];
    return [bar, ...mark];
  });
  byId("sizes").replaceChildren(svg("svg", { width: 26 * count, height: 150, role: "img" }, ...bars),
    make("figcaption", {}, `sizes of ${ratios.length} functions, frazil / llc`));
};

const COLUMNS = [
  ["name", "function", (row) => row.name],
  ["bytes", "bytes frazil", (row) => row.frazil?.bytes],
  ["llc-bytes", "llc", (row) => row.llc?.bytes],
  ["excess", "excess", (row) => (row.frazil?.bytes ?? 0) - (row.llc?.bytes ?? 0)],
  ["ratio", "ratio", (row) => (row.frazil && row.llc?.bytes ? row.frazil.bytes / row.llc.bytes : null)],
  ["instructions", "instructions", (row) => row.frazil?.instructions],
  ["llc-instructions", "llc", (row) => row.llc?.instructions],
  ["spills", "spills", (row) => row.frazil?.spills],
  ["llc-spills", "llc", (row) => row.llc?.spills],
  ["reloads", "reloads", (row) => row.frazil?.reloads],
  ["llc-reloads", "llc", (row) => row.llc?.reloads],
  ["frame", "frame", (row) => row.frazil?.frame_bytes],
  ["llc-frame", "llc", (row) => row.llc?.frame_bytes],
];
// Rows that are shown at first, and each time that more are asked for: thousands take a second.
const ROWS = 300;
let rowsShown = ROWS;

const showFunctions = (level) => {
  const of = (COLUMNS.find(([key]) => key === view.sort) ?? COLUMNS[3])[2];
  const pattern = view.filter.toLowerCase();
  const rows = level.functions.filter((row) => row.name.toLowerCase().includes(pattern));
  const sign = view.descending ? -1 : 1;
  rows.sort((one, other) => {
    const [a, b] = [of(one), of(other)];
    if (a == null || b == null) return (a == null) - (b == null);
    return sign * (typeof a === "string" ? (a < b ? -1 : a > b ? 1 : 0) : a - b);
  });
  const heads = COLUMNS.map(([key, title]) => {
    const head = make("th", { "data-key": key, scope: "col" }, title);
    if (key === view.sort) head.setAttribute("aria-sort", view.descending ? "descending" : "ascending");
    head.addEventListener("click", () => {
      view.descending = view.sort === key ? !view.descending : key !== "name";
      view.sort = key;
      show();
    });
    return head;
  });
  const lines = rows.slice(0, rowsShown).map((row) => {
    const cells = COLUMNS.map(([key, , value]) =>
      key === "name" ? make("td", {}, row.name)
        : key === "ratio" ? ratioCell(value(row)) : make("td", {}, number(value(row))));
    const line = make("tr", row.name === view.name ? { class: "chosen" } : {}, ...cells);
    line.addEventListener("click", () => {
      view.name = row.name;
      show();
    });
    return line;
  });
  byId("functions").replaceChildren(make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...lines));
  byId("shown").textContent = `${number(Math.min(rows.length, rowsShown))} of ${number(level.functions.length)}`;
  byId("more").hidden = rows.length <= rowsShown;
};

const codeOf = (lines) => {
  const cell = make("div", lines.length ? {} : { class: "empty" });
  for (const { text, comment, source } of lines) {
    const row = make("div", {});
    if (source) row.append(make("span", { class: "source", title: "line of the source" }, String(source)));
    row.append(make("span", { class: text.endsWith(":") ? "label" : "" }, text.endsWith(":") ? text : "  " + text));
    if (comment) row.append(make("span", { class: "comment" }, "  # " + comment));
    cell.append(row);
  }
  return cell;
};

// The blocks of a packed function: what `packed.rs` packs.
const unpack = async (packed) => {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const text = await new Response(stream).text();
  const lines = (side) => (side ? side.split("\n") : []).map((line) => {
    const [text, comment, source] = line.split("\x1f");
    return { text, comment, source: Number(source) };
  });
  return text.split("\x1e").map((block) => {
    const [frazil, llc] = block.split("\x1d");
    return { frazil: lines(frazil), llc: lines(llc) };
  });
};

const showAssembly = async (level) => {
  const row = level.functions.find((row) => row.name === view.name);
  byId("chosen").textContent = row ? row.name : "";
  const place = byId("assembly");
  if (!row) return place.replaceChildren(make("p", {}, "Choose a function in the table."));
  const packed = packedOf(view.level, row.name);
  if (!packed)
    return place.replaceChildren(make("p", {}, "The page holds the assembly of the worst functions only: see --most-functions."));
  if (typeof DecompressionStream === "undefined")
    return place.replaceChildren(make("p", { class: "error" }, "This browser cannot unpack assemblies (DecompressionStream)."));
  const asked = `${view.level} ${view.name}`;
  const blocks = await unpack(packed);
  // Another function may have been opened meanwhile.
  if (asked !== `${view.level} ${view.name}`) return;
  const heads = make("div", { class: "block heads" }, make("div", {}, "frazil"), make("div", {}, "llc"));
  place.replaceChildren(heads, ...blocks.map(({ frazil, llc }) => make("div", { class: "block" }, codeOf(frazil), codeOf(llc))));
};

const show = () => {
  writeAddress();
  byId("levels").replaceChildren(...report.levels.map(({ level }, index) => {
    const button = make("button", { "aria-pressed": index === view.level }, levelName(level));
    button.addEventListener("click", () => {
      view.level = index;
      show();
    });
    return button;
  }));
  const level = report.levels[view.level];
  if (!level) return;
  showErrors(level);
  showTotals(level);
  showRatios(level);
  showSizes(level);
  showFunctions(level);
  showAssembly(level);
};

byId("input").textContent = report.input;
byId("versions").textContent = `${report.frazil_version} · ${report.llc_version}`;
readAddress();
byId("filter").value = view.filter;
byId("filter").addEventListener("input", (event) => {
  view.filter = event.target.value;
  show();
});
byId("more").addEventListener("click", () => {
  rowsShown *= 4;
  show();
});
addEventListener("hashchange", () => {
  readAddress();
  byId("filter").value = view.filter;
  show();
});
show();
