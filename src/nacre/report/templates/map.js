// The memory map: a chart over time for arenas that are packed, a bar for those that stay.
const MAP = { height: 300, top: 22, axis: 78, labels: 140, tail: 44, least: 11, most: 120, paper: 880 };
const LINES = [["height", "arena size"], ["bound", "live-bytes bound"], ["live", "live bytes"]];
const drawn = new Map(); // tensor id -> its rectangle

function showMaps() {
  const used = new Set(data.tensors.map((t) => t.role));
  byId("legend").append(...ROLES.filter(([role]) => used.has(role)).map(([role, word]) =>
    make("li", {}, draw("svg", { class: "swatch", viewBox: "0 0 10 10", width: 10, height: 10 },
      draw("rect", { class: role, width: 10, height: 10 })), word)));
  if (overlaps.length) {
    byId("legend").append(make("li", {}, draw("svg", { class: "swatch", viewBox: "0 0 10 10", width: 10, height: 10 },
      draw("rect", { class: "shared", width: 10, height: 10 })), "bytes of two tensors at once"));
  }
  byId("legend").append(...LINES.filter(() => data.steps.length).map(([kind, word]) =>
    make("li", {}, draw("svg", { class: "swatch wide", viewBox: "0 0 22 10", width: 22, height: 10 },
      draw("line", { class: kind, x1: 0, x2: 22, y1: 5, y2: 5 })), word)));
  byId("arenas").append(...data.arenas.map(showArena));
  onSelect((facts) => {
    for (const [id, rect] of drawn) {
      rect.classList.toggle("marked", facts.rectangles.has(id));
      rect.classList.toggle("touched", facts.touchedTensors.has(id));
    }
  });
}

// Views are no rectangles of their own.
function slotsOf(arena) {
  return data.tensors.filter((t) => t.region === arena.number && t.view_of === null)
    .sort((a, b) => a.lower - b.lower || a.offset - b.offset);
}

function showArena(arena) {
  const slots = slotsOf(arena);
  const facts = [bytes(arena.size), plural(slots.length, "tensor"), `aligned to ${arena.alignment}`];
  const tools = make("div", { class: "tools" });
  const head = make("div", { class: "arena-head" }, make("h3", {}, `${arena.label} in ${arena.memory}`));
  const body = make("div", { class: arena.live ? "map" : "bar-map" });
  if (arena.live) facts.push(boundWords(arena), peakWords(arena, slots));
  head.append(make("div", { class: "facts name" }, facts.filter(Boolean).join(" · ")), tools);
  if (arena.live) timeMap(arena, slots, body, tools);
  else barMap(arena, slots, body);
  return make("div", { class: "arena", "data-arena": arena.number }, head, body);
}

function boundWords(arena) {
  const gap = arena.size - arena.bound;
  if (gap === 0) return `live-bytes bound ${number(arena.bound)}, reached`;
  const side = gap > 0 ? `${number(gap)} above it` : `${number(-gap)} below it by overlap`;
  return `live-bytes bound ${number(arena.bound)}, ${side}`;
}

function peakWords(arena, slots) {
  if (!arena.live.length || !slots.length) return "";
  const step = arena.live.indexOf(Math.max(...arena.live));
  const there = slots.filter((t) => t.lower <= step && step < t.upper).sort((a, b) => b.size - a.size);
  const names = there.slice(0, 3).map((t) => `${short(tensorTitle(t), 28)} ${number(t.size)}`);
  const more = there.length > 3 ? `, ${there.length - 3} more` : "";
  return `fullest at step ${step} ${data.steps[step].type}: ${names.join(", ")}${more}`;
}

// --- over time -----------------------------------------------------------------------------------

function timeMap(arena, slots, body, tools) {
  const box = make("div", { class: "scroll" });
  const axis = draw("svg", { width: MAP.axis, height: MAP.top + MAP.height + MAP.labels, "aria-hidden": "true" });
  const state = { width: null, chosen: null, printed: null };
  const redraw = () => {
    const fit = fitting(box);
    const width = state.printed ?? state.chosen ?? Math.min(Math.max(fit, MAP.least), Math.max(fit, MAP.most));
    if (width === state.width) return;
    state.width = width;
    box.replaceChildren(timeChart(arena, slots, width, box));
  };
  for (const [label, word, factor] of [["−", "Narrower steps", 1 / 1.5], ["fit", "All steps at once", 0], ["+", "Wider steps", 1.5]]) {
    const button = make("button", { type: "button", "aria-label": word, title: word }, label);
    button.addEventListener("click", () => {
      const fit = fitting(box);
      state.chosen = factor ? Math.min(400, Math.max(fit, 1, state.width * factor)) : fit;
      redraw();
    });
    tools.append(button);
  }
  addressAxis(arena, axis);
  body.append(axis, box);
  onSelect((facts) => markTime(arena, box, facts, state.width));
  queue(redraw);
  addEventListener("resize", redraw);
  const print = (width) => () => {
    state.printed = width;
    redraw();
  };
  addEventListener("beforeprint", print(MAP.paper / Math.max(1, data.steps.length)));
  addEventListener("afterprint", print(null));
}

// Width of a step when all steps are to be seen at once.
const fitting = (box) => Math.max(300, box.clientWidth - MAP.tail - 2) / Math.max(1, data.steps.length);

// Drawing waits until the page has its width.
const queued = [];
const queue = (job) => queued.push(job);

const ceiling = (arena) => Math.max(1, arena.size, arena.bound);
const levelOf = (arena, offset) => MAP.top + MAP.height * (1 - offset / ceiling(arena));

function addressAxis(arena, axis) {
  const step = niceStep(ceiling(arena));
  for (let offset = 0; offset <= ceiling(arena); offset += step) {
    const y = levelOf(arena, offset);
    axis.append(draw("text", { x: MAP.axis - 8, y: y + 4, "text-anchor": "end" }, byteLabel(offset)),
      draw("line", { class: "grid", x1: MAP.axis - 5, x2: MAP.axis, y1: y, y2: y }));
  }
  axis.append(draw("text", { x: 8, y: MAP.top + MAP.height + 20 }, "step"));
}

function niceStep(size) {
  let step = 1;
  while (size / step > 8) step *= 2;
  return step;
}

function byteLabel(offset) {
  if (offset >= 1 << 20 && offset % (1 << 18) === 0) return `${offset / (1 << 20)} MiB`;
  if (offset >= 1 << 10 && offset % (1 << 8) === 0) return `${offset / (1 << 10)} KiB`;
  return String(offset);
}

function timeChart(arena, slots, width, box) {
  const count = data.steps.length;
  const total = Math.max(count * width, 40);
  const wide = total + MAP.tail; // the last label leans over the edge
  const bottom = MAP.top + MAP.height;
  const chart = draw("svg", {
    class: "time", width: wide, height: bottom + MAP.labels, viewBox: `0 0 ${wide} ${bottom + MAP.labels}`, preserveAspectRatio: "none",
    tabindex: 0, role: "application", "aria-label": `Memory map of ${arena.name}, ${slots.length} tensors; arrow keys walk through them`,
    "data-width": width, "data-bottom": bottom, "data-scale": MAP.height / ceiling(arena),
  });
  const step = niceStep(ceiling(arena));
  for (let offset = 0; offset <= ceiling(arena); offset += step) {
    const y = levelOf(arena, offset);
    chart.append(draw("line", { class: "grid minor", x1: 0, x2: total, y1: y, y2: y }));
  }
  chart.append(draw("g", { class: "bands" }), ...data.segments.flatMap((segment) => segmentFrame(segment, width)));
  chart.append(...slots.map((tensor) => slotRect(tensor, slotPlace(arena, tensor, width))));
  chart.append(...sharedShapes(arena, width), ...slots.flatMap((tensor) => slotLabel(arena, tensor, width)));
  chart.append(liveLine(arena, width), ...heightLines(arena, total), ...stepLabels(width, bottom),
    draw("g", { class: "outlines" }));
  keysAndClicks(chart, slots);
  queueMicrotask(() => markTime(arena, box, currentFacts(), width));
  return chart;
}

const currentFacts = () => (selection.tensor === null ? stepFacts(selection.step) : tensorFacts(tensors.get(selection.tensor)));

// Steps that repeat together over bands of rows.
function segmentFrame([first, count, bands], width) {
  const words = `${bands} bands`;
  const frame = { class: "segment", x: first * width, width: count * width, y: MAP.top, height: MAP.height };
  const label = { class: "segment-label", x: first * width + 3, y: MAP.top - 8 };
  return [draw("rect", frame), draw("text", label, count * width < 7 * words.length ? `×${bands}` : words)];
}

function slotPlace(arena, tensor, width) {
  return {
    x: tensor.lower * width, width: (tensor.upper - tensor.lower) * width,
    y: levelOf(arena, tensor.offset + tensor.size), height: (MAP.height * tensor.size) / ceiling(arena),
  };
}

function slotLabel(arena, tensor, width) {
  const { x, y, width: whole, height: up } = slotPlace(arena, tensor, width);
  const partners = overlaps.filter((pair) => pair.includes(tensor)).map(([a, b]) => (a === tensor ? b : a));
  // The label ends where another tensor begins to share the bytes, or goes below its label.
  const end = partners.filter((t) => t.lower > tensor.lower).reduce((least, t) => Math.min(least, t.lower), tensor.upper);
  const below = partners.some((t) => t.lower <= tensor.lower && t.size < tensor.size);
  const across = Math.min(whole, (end - tensor.lower) * width);
  if (across < 44 || up < (below ? 30 : 13)) return [];
  const words = short(tensorTitle(tensor), Math.floor((across - 8) / 6.6));
  const label = { class: "slot-label", x: x + 5, y: below ? y + up - 6 : y + Math.min(up / 2 + 4, 15) };
  return [draw("text", label, words)];
}

function sharedShapes(arena, width) {
  return overlaps.filter(([a]) => a.region === arena.number).map(([a, b]) => {
    const offset = Math.max(a.offset, b.offset);
    const common = {
      lower: Math.max(a.lower, b.lower), upper: Math.min(a.upper, b.upper), offset,
      size: Math.min(a.offset + a.size, b.offset + b.size) - offset,
    };
    return draw("rect", { class: "shared", ...slotPlace(arena, common, width) });
  });
}

function slotRect(tensor, place, extra = "") {
  const rect = draw("rect", { ...place, class: `slot ${tensor.role}${extra}`, "data-tensor": tensor.id });
  withTip(rect, () => tensorTitle(tensor), () => tensorPairs(tensor));
  rect.classList.toggle("marked", selection.tensor !== null && owner(tensors.get(selection.tensor)) === tensor);
  drawn.set(tensor.id, rect);
  return rect;
}

function liveLine(arena, width) {
  const points = arena.live.flatMap((live, step) => {
    const y = levelOf(arena, live);
    return [`${step * width},${y}`, `${(step + 1) * width},${y}`];
  });
  return draw("polyline", { class: "live", points: points.join(" ") });
}

function heightLines(arena, total) {
  const line = (kind, offset, words, place) => {
    const y = levelOf(arena, offset);
    return [draw("line", { class: kind, x1: 0, x2: total, y1: y, y2: y }),
      draw("text", { x: place === "start" ? 6 : total - 6, y: y - 5, class: "halo", "text-anchor": place }, words)];
  };
  if (arena.bound === arena.size) {
    return line("height", arena.size, `arena ${number(arena.size)} = live-bytes bound`, "start");
  }
  return [...line("height", arena.size, `arena ${number(arena.size)}`, "start"),
    ...line("bound", arena.bound, `live-bytes bound ${number(arena.bound)}`, "end")];
}

function stepLabels(width, bottom) {
  const every = Math.max(1, Math.ceil(15 / width));
  return data.steps.filter((step) => step.number % every === 0).map((step) => {
    const x = (step.number + 0.5) * width - 3;
    const label = draw("text", {
      class: "step-label", x, y: bottom + 13, "data-step": step.number,
      transform: `rotate(55 ${x} ${bottom + 13})`,
    }, `${step.number} ${step.type.slice(0, 17)}`);
    withTip(label, () => stepTitle(step), () => stepPairs(step));
    label.addEventListener("click", () => selectStep(step.number));
    return label;
  });
}

function keysAndClicks(chart, slots) {
  chart.addEventListener("click", (event) => {
    const id = event.target.getAttribute("data-tensor");
    if (id !== null) selectTensor(id);
  });
  const home = () => (selection.tensor === null ? null : owner(tensors.get(selection.tensor)));
  withArrows(chart, () => slots.length, () => slots.indexOf(home()), (n) => selectTensor(slots[n].id));
}

function markTime(arena, box, facts, width) {
  const chart = box.querySelector("svg");
  if (!chart) return;
  const bands = [...facts.steps].map((step) => draw("rect", {
    class: "band", x: step * width, width, y: MAP.top, height: MAP.height }));
  chart.querySelector(".bands").replaceChildren(...bands);
  for (const label of chart.querySelectorAll(".step-label")) {
    label.classList.toggle("on", facts.steps.has(Number(label.getAttribute("data-step"))));
  }
  const here = [...facts.rectangles].map((id) => tensors.get(id)).filter((t) => t.region === arena.number);
  chart.querySelector(".outlines").replaceChildren(...here.map((t) =>
    draw("rect", { class: "outline", ...slotPlace(arena, t, width) })));
  for (const tensor of here) reveal(box, tensor.lower * width, 0, (tensor.upper - tensor.lower) * width, 0);
  for (const step of facts.steps) reveal(box, step * width, 0, width, 0);
}

// --- what stays ----------------------------------------------------------------------------------

function barMap(arena, slots, body) {
  const total = 1400;
  const scale = total / Math.max(1, arena.size);
  const chart = draw("svg", {
    class: "stay", viewBox: `0 0 ${total} 34`, preserveAspectRatio: "none", width: "100%", height: 34,
    tabindex: 0, role: "application", "aria-label": `${arena.name}, ${slots.length} tensors; arrow keys walk through them`,
    "data-scale": scale,
  }, draw("rect", { class: "track", width: total, height: 34 }));
  slots.forEach((tensor, n) => {
    const place = { x: tensor.offset * scale, y: 0, width: tensor.size * scale, height: 34 };
    chart.append(slotRect(tensor, place, n % 2 ? " odd" : ""));
  });
  keysAndClicks(chart, slots);
  body.append(chart);
}
