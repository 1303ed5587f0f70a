// The graph: boxes in rows and columns, edges down their column or along a wire at the right.
const BOX = { width: 224, height: 44, pill: 24, gapX: 30, gapY: 30, wire: 12, edge: 24 };
const heaviest = data.steps.reduce((most, step) => Math.max(most, step.macs), 1);

function showGraph() {
  const { nodes, edges } = data.graph;
  const columns = nodes.reduce((most, [, , column]) => Math.max(most, column + 1), 1);
  const wires = edges.reduce((most, [, , , track, wire]) => Math.max(most, wire ? track + 1 : 0), 0);
  const right = BOX.edge + columns * (BOX.width + BOX.gapX);
  const rows = rowPlaces(nodes);
  const size = { width: right + wires * BOX.wire + BOX.edge, height: rows.end + BOX.edge };
  const chart = draw("svg", {
    width: size.width, height: size.height, viewBox: `0 0 ${size.width} ${size.height}`, tabindex: 0,
    role: "application", "aria-label": `Graph of ${data.steps.length} steps; arrow keys walk through them`,
  });
  const lines = edges.map((edge) => edgeShape(edge, nodes, rows, right));
  const boxes = nodes.map((node, row) => nodeShape(node, rows.top[row]));
  chart.append(...lines.map((line) => line.element), ...boxes.map((box) => box.element));
  byId("diagram").append(chart);
  const steps = boxes.filter((box) => box.kind === "step");
  withArrows(chart, () => steps.length, () => selection.step ?? -1, (n) => selectStep(n));
  onSelect((facts) => markGraph(lines, boxes, facts));
}

function rowPlaces(nodes) {
  const top = [];
  let y = BOX.edge;
  for (const [kind] of nodes) {
    top.push(y);
    y += (kind === "step" ? BOX.height : BOX.pill) + BOX.gapY;
  }
  return { top, end: y - BOX.gapY };
}

const leftOf = (column) => BOX.edge + column * (BOX.width + BOX.gapX);
const middleOf = (column) => leftOf(column) + BOX.width / 2;
const heightOf = (kind) => (kind === "step" ? BOX.height : BOX.pill);

function nodeShape([kind, key, column], y) {
  const x = leftOf(column);
  const group = draw("g", { class: `node ${kind === "step" ? "op" : "end"}`, transform: `translate(${x} ${y})` });
  if (kind === "step") stepBox(group, data.steps[key]);
  else endPill(group, kind, tensors.get(key));
  return { element: group, kind, key, x, y };
}

function stepBox(group, step) {
  const made = step.outputs.map((id) => tensors.get(id)).find(Boolean);
  const shape = made ? made.shape : "";
  const room = Math.max(4, Math.floor((BOX.width - 24 - 6.6 * shape.length) / 6.4));
  group.append(draw("rect", { class: "box", width: BOX.width, height: BOX.height, rx: 5 }),
    draw("text", { class: "head", x: 9, y: 17 }, `${step.number}  ${step.type.slice(0, 24)}`),
    draw("text", { class: "sub", x: BOX.width - 9, y: 33, "text-anchor": "end" }, shape),
    draw("text", { class: "sub", x: 9, y: 33 }, short(step.name || step.kernels.join(", "), room)));
  if (step.macs) {
    const load = ((BOX.width - 4) * step.macs) / heaviest;
    group.append(draw("rect", { class: "load", x: 2, y: BOX.height - 4, width: Math.max(1, load), height: 3 }));
  }
  if (step.uses.some((id) => tensors.get(id).kind === "persistent")) {
    group.append(draw("circle", { class: "variable", cx: BOX.width - 13, cy: 13, r: 4.5 }));
  }
  group.setAttribute("data-step", step.number);
  withTip(group, () => stepTitle(step), () => stepPairs(step));
  group.addEventListener("click", () => selectStep(step.number));
}

function endPill(group, kind, tensor) {
  const room = Math.max(4, Math.floor((BOX.width - 34 - 6.8 * tensor.shape.length) / 7.3) - kind.length - 2);
  group.append(draw("rect", { class: `box pill ${kind}`, width: BOX.width, height: BOX.pill, rx: 12 }),
    draw("text", { class: "head", x: 12, y: 16 }, `${kind}  ${short(tensorTitle(tensor), room)}`),
    draw("text", { x: BOX.width - 12, y: 16, "text-anchor": "end" }, tensor.shape));
  group.setAttribute("data-end", tensor.id);
  withTip(group, () => tensorTitle(tensor), () => tensorPairs(tensor));
  group.addEventListener("click", () => selectTensor(tensor.id));
}

function edgeShape([id, upper, lower, track, wire], nodes, rows, right) {
  const from = middleOf(nodes[upper][2]);
  const to = middleOf(nodes[lower][2]);
  const down = wire ? right + track * BOX.wire : middleOf(track);
  const start = rows.top[upper] + heightOf(nodes[upper][0]);
  const end = rows.top[lower];
  const path = roundedPath([[from, start], [from, start + BOX.gapY / 3], [down, start + BOX.gapY / 3],
    [down, end - BOX.gapY / 3], [to, end - BOX.gapY / 3], [to, end]]);
  const tensor = tensors.get(id);
  const element = draw("g", { class: "edge", "data-edge": id }, draw("path", { class: "wire", d: path }),
    draw("path", { class: "hit", d: path }));
  withTip(element, () => tensorTitle(tensor), () => tensorPairs(tensor));
  element.addEventListener("click", () => selectTensor(id));
  return { element, id };
}

// Straight pieces with rounded corners; points in a line need none.
function roundedPath(points) {
  const corners = points.filter(([x, y], n) => n === 0 || x !== points[n - 1][0] || y !== points[n - 1][1]);
  let path = `M${corners[0].join(" ")}`;
  for (let n = 1; n + 1 < corners.length; n += 1) {
    const [before, here, after] = [corners[n - 1], corners[n], corners[n + 1]];
    const radius = Math.min(6, distance(before, here) / 2, distance(here, after) / 2);
    path += `L${toward(here, before, radius).join(" ")}Q${here.join(" ")} ${toward(here, after, radius).join(" ")}`;
  }
  return `${path}L${corners[corners.length - 1].join(" ")}`;
}

const distance = (a, b) => Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]);
const toward = (from, to, by) => [from[0] + Math.sign(to[0] - from[0]) * by, from[1] + Math.sign(to[1] - from[1]) * by];

function markGraph(lines, boxes, facts) {
  for (const line of lines) line.element.classList.toggle("marked", facts.carriers.has(line.id));
  const seen = boxes.filter((box) => {
    const step = box.kind === "step";
    const marked = step ? facts.steps.has(box.key) : facts.carriers.has(box.key);
    const touched = step && facts.touchedSteps.has(box.key);
    box.element.classList.toggle("marked", marked);
    box.element.classList.toggle("touched", touched);
    return marked || touched;
  });
  if (seen.length) reveal(byId("diagram"), seen[0].x, seen[0].y, BOX.width, BOX.height);
}
