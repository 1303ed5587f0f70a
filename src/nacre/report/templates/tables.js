// Tables of tensors and operators: sort by a column, filter by words, mark the selection.
const collator = new Intl.Collator("en", { numeric: true });

const TENSOR_COLUMNS = [
  { title: "id", text: (t) => t.id },
  { title: "name", text: (t) => t.name, class: "name" },
  { title: "kind", text: (t) => t.kind },
  { title: "shape", text: (t) => t.shape },
  { title: "type", text: (t) => t.type },
  { title: "quantization", text: (t) => t.quantization },
  { title: "memory", text: (t) => t.memory },
  { title: "region", text: (t) => data.arenas[t.region].name },
  { title: "offset", text: (t) => number(t.offset), key: (t) => t.offset, class: "right" },
  { title: "size", text: (t) => number(t.size), key: (t) => t.size, class: "right" },
  { title: "lifetime", text: lifetime, key: (t) => t.lower * 1e6 + t.upper },
  { title: "rule", text: (t) => (t.view_of === null ? t.rule : `view of ${t.view_of}`) },
];

const STEP_COLUMNS = [
  { title: "step", text: (s) => String(s.number), key: (s) => s.number, class: "right" },
  { title: "ids", text: (s) => s.ids.join(", ") },
  { title: "type", text: (s) => s.type },
  { title: "name", text: (s) => s.name, class: "name" },
  { title: "kernels", text: (s) => s.kernels.join(", "), class: "wrap" },
  { title: "inputs", text: (s) => s.inputs.join(", "), ids: (s) => s.inputs, class: "wrap" },
  { title: "outputs", text: (s) => s.outputs.join(", "), ids: (s) => s.outputs, class: "wrap" },
  { title: "MACs", text: (s) => number(s.macs), key: (s) => s.macs, class: "right" },
  { title: "code", text: (s) => s.code },
];

function showTables() {
  showTable(byId("tensor-table"), {
    what: "tensors", items: data.tensors, columns: TENSOR_COLUMNS, select: (t) => selectTensor(t.id),
    marked: (t, facts) => facts.tensors.has(t.id), touched: (t, facts) => facts.touchedTensors.has(t.id),
  });
  showTable(byId("operator-table"), {
    what: "operators", items: data.steps, columns: STEP_COLUMNS, select: (s) => selectStep(s.number),
    marked: (s, facts) => facts.steps.has(s.number), touched: (s, facts) => facts.touchedSteps.has(s.number),
  });
}

// A table of thousands of rows takes seconds to lay out; the first ones come at once.
const AT_ONCE = 400;

function showTable(place, table) {
  const rows = table.items.map((item) => tableRow(item, table));
  const body = make("tbody");
  const heads = table.columns.map((column) => headCell(column));
  const count = make("span", { role: "status" });
  const search = make("input", {
    type: "search", placeholder: `filter ${table.what}`, "aria-label": `Filter ${table.what}`,
    autocomplete: "off", spellcheck: "false",
  });
  const box = make("div", { class: "scroll table" },
    make("table", { class: "rows" }, make("thead", {}, make("tr", {}, ...heads)), body));
  const more = make("button", { type: "button", class: "more" });
  place.append(make("div", { class: "filter" }, search, count), box, more);
  const state = { rows, shown: [], matching: [], limit: AT_ONCE, body, box, heads, count, search, more, table };
  search.addEventListener("input", () => filterRows(state));
  heads.forEach((head, n) => head.firstChild.addEventListener("click", () => sortRows(state, n)));
  more.addEventListener("click", () => showUpTo(state, state.matching.length));
  addEventListener("beforeprint", () => showUpTo(state, state.matching.length));
  rowKeys(state);
  onSelect((facts) => markRows(state, facts));
  filterRows(state);
}

function headCell(column) {
  const side = column.class === "right" ? "right" : null;
  return make("th", { scope: "col", class: side, "aria-sort": "none" },
    make("button", { type: "button" }, column.title));
}

function tableRow(item, table) {
  const texts = table.columns.map((column) => column.text(item));
  const keys = table.columns.map((column, n) => (column.key ? column.key(item) : texts[n]));
  const plain = texts.join(" ").replaceAll("\u00a0", "");
  return { item, texts, keys, words: `${texts.join(" ")} ${plain}`.toLowerCase(), element: null };
}

function rowElement(row, state) {
  if (row.element !== null) return row.element;
  const cells = state.table.columns.map((column, n) => {
    const cell = make("td", { class: column.class });
    if (column.ids) cell.append(...idChips(column.ids(row.item)));
    else cell.textContent = row.texts[n];
    if ((column.class === "name" || n === 0) && row.texts[n]) cell.title = row.texts[n];
    return cell;
  });
  row.element = make("tr", { tabindex: -1 }, ...cells);
  markRow(row, state, currentFacts());
  return row.element;
}

function idChips(ids) {
  return ids.flatMap((id, n) => {
    const known = tensors.has(id);
    const chip = make("span", known ? { class: "chip", "data-id": id } : { title: "packed into constants of the step" }, id);
    return n ? [" ", chip] : [chip];
  });
}

function filterRows(state) {
  const words = state.search.value.toLowerCase().split(/\s+/).filter(Boolean);
  state.matching = state.rows.filter((row) => words.every((word) => row.words.includes(word)));
  state.count.textContent = words.length ? `${state.matching.length} of ${state.rows.length}` : `${state.rows.length}`;
  showUpTo(state, state.limit);
}

function sortRows(state, column) {
  const head = state.heads[column];
  const descending = head.getAttribute("aria-sort") === "ascending";
  for (const other of state.heads) other.setAttribute("aria-sort", "none");
  head.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const order = (a, b) => compare(a.keys[column], b.keys[column]);
  state.rows.sort(descending ? (a, b) => order(b, a) : order);
  filterRows(state);
}

function compare(a, b) {
  return typeof a === "number" ? a - b : collator.compare(a, b);
}

function showUpTo(state, limit) {
  state.limit = Math.max(limit, AT_ONCE);
  state.shown = state.matching.slice(0, state.limit);
  state.body.replaceChildren(...state.shown.map((row) => rowElement(row, state)));
  const rest = state.matching.length - state.shown.length;
  state.more.hidden = rest === 0;
  state.more.textContent = `show ${plural(rest, "more row")}`;
  firstStop(state);
}

// One row is the stop of the Tab key; arrow keys go on from there.
function firstStop(state) {
  const marked = state.shown.find((row) => row.element.classList.contains("marked"));
  for (const row of state.shown) row.element.tabIndex = -1;
  if (state.shown.length) (marked ?? state.shown[0]).element.tabIndex = 0;
}

function rowKeys(state) {
  const at = () => state.shown.findIndex((row) => row.element === document.activeElement);
  withArrows(state.body, () => state.shown.length, at, (n) => {
    const row = state.shown[n];
    state.table.select(row.item);
    row.element.focus({ preventScroll: true });
  });
  state.body.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && at() >= 0) state.table.select(state.shown[at()].item);
  });
  state.body.addEventListener("click", (event) => {
    const chip = event.target.closest(".chip");
    const row = state.shown.find((r) => r.element.contains(event.target));
    if (chip) selectTensor(chip.dataset.id);
    else if (row) state.table.select(row.item);
  });
}

function markRow(row, state, facts) {
  const marked = state.table.marked(row.item, facts);
  row.element.classList.toggle("marked", marked);
  row.element.classList.toggle("touched", state.table.touched(row.item, facts));
  row.element.setAttribute("aria-selected", marked);
}

function markRows(state, facts) {
  for (const row of state.rows) if (row.element !== null) markRow(row, state, facts);
  const wanted = state.matching.findIndex((row) => state.table.marked(row.item, facts));
  if (wanted >= state.limit) showUpTo(state, wanted + AT_ONCE);
  firstStop(state);
  if (wanted < 0) return;
  const { element } = state.matching[wanted];
  const head = state.box.querySelector("thead").offsetHeight;
  reveal(state.box, state.box.scrollLeft, element.offsetTop - head, 0, element.offsetHeight + head);
}
