// Data, elements and words that every part of the document uses.
const data = JSON.parse(document.getElementById("data").textContent);
const SVG = "http://www.w3.org/2000/svg";
const tensors = new Map(data.tensors.map((t) => [t.id, t]));
const ROLES = [
  ["input", "input"], ["output", "output"], ["activation", "activation"],
  ["workspace", "operator scratch"], ["variable", "variable"], ["constant", "constant"],
];
const roleWord = new Map(ROLES);
const byId = (id) => document.getElementById(id);

// An element with attributes and children; text is always text, never markup.
function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  return fill(node, attributes, children);
}

function draw(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  return fill(node, attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
  }
  node.append(...children.map((child) => (child instanceof Node ? child : String(child))));
  return node;
}

const number = (value) => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, "\u00a0");
const plural = (count, word) => `${number(count)} ${word}${count === 1 ? "" : "s"}`;
const bytes = (value) => `${number(value)} bytes`;

// The part of a name before the first ";", at most so many characters, cut in front.
function short(name, width) {
  const head = name.split(";")[0];
  const letters = Array.from(head);
  return letters.length <= width ? head : `…${letters.slice(letters.length - width + 1).join("")}`;
}

// The tensor whose rectangle stands for a tensor.
const owner = (tensor) => tensors.get(tensor.view_of ?? tensor.id) ?? tensor;

// Pairs of tensors that are alive at once and have bytes in common: one runs behind the other.
const overlaps = findOverlaps(data.tensors.filter((t) => t.kind === "scratch" && t.view_of === null));

function findOverlaps(slots) {
  const sorted = [...slots].sort((a, b) => a.lower - b.lower);
  const found = [];
  sorted.forEach((a, n) => {
    for (let m = n + 1; m < sorted.length && sorted[m].lower < a.upper; m += 1) {
      const b = sorted[m];
      const common = a.offset < b.offset + b.size && b.offset < a.offset + a.size;
      if (common && a.region === b.region) found.push([a, b]);
    }
  });
  return found;
}

function lifetime(tensor) {
  const last = tensor.upper - 1;
  if (tensor.kind !== "scratch") return "always";
  return tensor.lower === last ? `step ${last}` : `steps ${tensor.lower} to ${last}`;
}

function tensorPairs(tensor) {
  const arena = data.arenas[tensor.region];
  const pairs = [
    ["id", tensor.id],
    ["what", roleWord.get(tensor.role)],
    ["shape", `${tensor.type}${tensor.shape}`],
    ["bytes", number(tensor.size)],
    ["alive", lifetime(tensor)],
    ["place", `${arena.name} + ${number(tensor.offset)}, in ${tensor.memory}`],
    ["rule", tensor.rule],
  ];
  if (tensor.quantization) pairs.splice(3, 0, ["real value", tensor.quantization]);
  if (tensor.view_of !== null) pairs.push(["view of", tensor.view_of]);
  const sharing = overlaps.filter(([a, b]) => a === owner(tensor) || b === owner(tensor));
  const others = sharing.map(([a, b]) => (a === owner(tensor) ? b : a).id);
  if (others.length) pairs.push(["shares bytes with", others.join(", ")]);
  return pairs;
}

function stepPairs(step) {
  const shapes = (ids) => ids.filter((id) => tensors.has(id) && tensors.get(id).kind !== "constant")
    .map((id) => `${tensors.get(id).type}${tensors.get(id).shape}`).join(", ");
  return [
    ["operator", step.ids.join(", ")],
    ["reads", shapes(step.inputs) || "nothing"],
    ["writes", shapes(step.outputs) || "nothing"],
    ["kernels", step.kernels.join(", ") || "none"],
    ["chosen", `${step.kernel}: ${step.reason}`],
    ["MACs", number(step.macs)],
    ["code", step.code],
  ];
}

const tensorTitle = (tensor) => tensor.name || tensor.id;
const stepTitle = (step) => `${step.number}  ${step.type}${step.name ? `  ${short(step.name, 60)}` : ""}`;

function pairList(pairs) {
  const rows = pairs.flatMap(([what, value]) => [make("dt", {}, what), make("dd", { class: "name" }, value)]);
  return make("dl", { class: "pairs" }, ...rows);
}

// Hover: facts beside the pointer.
const tip = byId("tip");

function showTip(event, title, pairs) {
  tip.replaceChildren(make("div", { class: "title name" }, title), pairList(pairs));
  tip.hidden = false;
  const x = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
  const below = event.clientY + 16;
  const fits = below + tip.offsetHeight < innerHeight - 8;
  tip.style.left = `${Math.max(8, x)}px`;
  tip.style.top = `${fits ? below : Math.max(8, event.clientY - tip.offsetHeight - 12)}px`;
}

function hideTip() {
  tip.hidden = true;
}

function withTip(node, title, pairs) {
  node.addEventListener("pointermove", (event) => {
    if (event.pointerType !== "touch") showTip(event, title(), pairs());
  });
  node.addEventListener("pointerleave", hideTip);
}
