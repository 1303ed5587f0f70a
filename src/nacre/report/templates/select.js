// One selection for the whole document: a tensor or a step. Every part registers how to mark it.
const selection = { tensor: null, step: null };
const markers = [];
const onSelect = (marker) => markers.push(marker);

function selectTensor(id) {
  apply(tensors.has(id) ? id : null, null);
}

function selectStep(number) {
  apply(null, data.steps[number] ? number : null);
}

function apply(tensor, step) {
  selection.tensor = tensor;
  selection.step = step;
  const facts = tensor === null ? stepFacts(step) : tensorFacts(tensors.get(tensor));
  for (const marker of markers) marker(facts);
  showSelection(facts);
  remember();
}

// What to mark: `tensors` and `steps` themselves, and what they touch.
function tensorFacts(tensor) {
  const home = owner(tensor).id;
  const family = new Set(data.tensors.filter((t) => owner(t).id === home).map((t) => t.id));
  const users = data.steps.filter((s) => s.uses.some((id) => family.has(id)));
  return {
    title: tensorTitle(tensor), pairs: tensorPairs(tensor), kind: "tensor",
    tensors: new Set([tensor.id]), rectangles: new Set([home]), carriers: family,
    steps: new Set(), touchedSteps: new Set(users.map((s) => s.number)), touchedTensors: new Set(),
    links: users.map((s) => [`${s.number} ${s.type}`, () => selectStep(s.number)]),
  };
}

function stepFacts(number) {
  const none = new Set();
  if (number === null) {
    return { title: null, kind: null, tensors: none, rectangles: none, carriers: none, steps: none,
      touchedSteps: none, touchedTensors: none };
  }
  const step = data.steps[number];
  return {
    title: stepTitle(step), pairs: stepPairs(step), kind: "step",
    tensors: none, rectangles: none, carriers: none,
    steps: new Set([number]), touchedSteps: none, touchedTensors: new Set(step.uses),
    links: step.uses.map((id) => [`${short(id, 16)}  ${short(tensors.get(id).name, 24)}`, () => selectTensor(id)]),
  };
}

// The panel at the bottom: facts, neighbours, and ways to each part of the document.
const panel = byId("selection");

function showSelection(facts) {
  panel.hidden = facts.kind === null;
  byId("status").textContent = facts.kind === null ? "" : `${facts.kind} ${facts.title}`;
  if (facts.kind === null) return;
  const jump = (label, target) => {
    const button = make("button", { type: "button" }, label);
    button.addEventListener("click", () => byId(target).scrollIntoView());
    return button;
  };
  const close = make("button", { type: "button", "aria-label": "Clear the selection" }, "×");
  close.addEventListener("click", clearSelection);
  const pairs = facts.pairs.map(([what, value]) =>
    make("div", {}, make("dt", {}, what), make("dd", { class: "name" }, value)));
  panel.replaceChildren(
    make("div", { class: "line" }, make("div", { class: "title name" }, facts.title),
      jump("map", "map"), jump("table", facts.kind === "tensor" ? "tensors" : "operators"),
      jump("graph", "graph"), close),
    make("dl", { class: "pairs" }, ...pairs),
    make("div", { class: "line" }, facts.kind === "tensor" ? "steps" : "tensors",
      ...facts.links.slice(0, 24).map(([label, go]) => linkButton(label, go)),
      facts.links.length > 24 ? `and ${facts.links.length - 24} more` : ""),
  );
}

function linkButton(label, go) {
  const button = make("button", { type: "button", class: "name" }, label);
  button.addEventListener("click", go);
  return button;
}

function clearSelection() {
  apply(null, null);
}

// The address remembers the selection, so that a link can point at a tensor.
function remember() {
  let hash = "";
  if (selection.tensor !== null) hash = `#tensor=${encodeURIComponent(selection.tensor)}`;
  if (selection.step !== null) hash = `#step=${selection.step}`;
  try {
    history.replaceState(null, "", hash || location.pathname + location.search);
  } catch {
    // Some viewers forbid it; the selection works without.
  }
}

function recall() {
  const [what, value] = location.hash.slice(1).split("=");
  try {
    if (what === "tensor") selectTensor(decodeURIComponent(value));
    if (what === "step") selectStep(Number(value));
  } catch {
    clearSelection();
  }
}

// Arrow keys walk along a list of items; `current` gives the position of the selected one.
function withArrows(node, count, current, go) {
  const moves = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  node.addEventListener("keydown", (event) => {
    const at = current();
    let next = null;
    if (event.key in moves) next = at < 0 ? 0 : at + moves[event.key];
    if (event.key === "Home") next = 0;
    if (event.key === "End") next = count() - 1;
    if (next === null || next < 0 || next >= count()) return;
    event.preventDefault();
    go(next);
  });
}

// Scroll a container, and not the page, until a part of it can be seen.
function reveal(box, left, top, width, height) {
  if (left < box.scrollLeft || left + width > box.scrollLeft + box.clientWidth) {
    box.scrollLeft = left - Math.max(20, (box.clientWidth - width) / 2);
  }
  if (top < box.scrollTop || top + height > box.scrollTop + box.clientHeight) {
    box.scrollTop = top - Math.max(20, (box.clientHeight - height) / 2);
  }
}
