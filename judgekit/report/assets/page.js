// The controls above the table, links to rows, and the beginning.

const NOTHING = { query: "", column: null, low: null, high: null, choice: "", facet: "", value: "", failed: false, changed: false };
const scoreChoice = el("span", { class: "choice" });
const facetChoice = el("span", { class: "choice" });

function labelled(title, control) {
  return el("label", {}, el("span", {}, title), control);
}

/** A select element; `options` are [value, text], and `choose` is given the value that was chosen. */
function select(options, choose) {
  const made = el("select", {}, options.map(([value, text]) => el("option", { value }, text)));
  made.addEventListener("change", () => choose(made.value));
  return made;
}

function input(type, write, extra = {}) {
  const made = el("input", { type, autocomplete: "off", ...extra });
  made.addEventListener("input", () => { write(made); search(); });
  return made;
}

const query = input("search", (made) => { wanted.query = made.value; }, { placeholder: "Inputs, outputs, explanations …" });
const failedOnly = input("checkbox", (made) => { wanted.failed = made.checked; });
const changedOnly = input("checkbox", (made) => { wanted.changed = made.checked; });
const scoreSelect = select([["", "Any"], ...COLUMNS.map((column, place) => [String(place), column.name])], (value) => {
  Object.assign(wanted, { column: value === "" ? null : Number(value), low: null, high: null, choice: "" });
  drawScoreChoice();
  search();
});
const FACETS = facets();
const facetSelect = select([["", "Any"], ...[...FACETS.keys()].map((name) => [name, name])], (value) => {
  Object.assign(wanted, { facet: value, value: "" });
  drawFacetChoice();
  search();
});

function drawScoreChoice() {
  scoreChoice.replaceChildren();
  if (wanted.column === null) return;
  if (COLUMNS[wanted.column].kind === "number") {
    const bound = (name) => input("number", (made) => { wanted[name] = made.value === "" ? null : Number(made.value); }, { step: "any" });
    scoreChoice.append(labelled("at least", bound("low")), labelled("at most", bound("high")));
    return;
  }
  const values = new Set(ROWS.map((row) => (scoreIn(row, wanted.column) || [])[1]).filter((score) => score !== undefined));
  const options = [...values].sort().map((value) => [JSON.stringify(value), String(value)]);
  scoreChoice.append(labelled("is", select([["", "Any"], ...options, ["missing", "no score"]], (value) => { wanted.choice = value; search(); })));
}

function drawFacetChoice() {
  facetChoice.replaceChildren();
  if (!wanted.facet) return;
  const values = [...FACETS.get(wanted.facet)].sort(compared).map((value) => [value, value]);
  facetChoice.append(labelled("is", select([["", "Any"], ...values], (value) => { wanted.value = value; search(); })));
}

/** Want every row again; the order stays. */
function clearWanted() {
  Object.assign(wanted, NOTHING);
  query.value = scoreSelect.value = facetSelect.value = "";
  failedOnly.checked = changedOnly.checked = false;
  drawScoreChoice();
  drawFacetChoice();
}

const controls = el("form", { class: "controls", role: "search", "aria-label": "Find rows", on: { submit: (event) => event.preventDefault() } },
  labelled("Search", query),
  COLUMNS.length ? labelled("Score", scoreSelect) : null, scoreChoice,
  FACETS.size ? labelled("Metadata", facetSelect) : null, facetChoice,
  el("label", { class: "check" }, failedOnly, "Failed only"),
  OTHER ? el("label", { class: "check" }, changedOnly, "Changed only") : null,
  el("button", { type: "button", on: { click: () => { clearWanted(); search(); query.focus(); } } }, "Clear"));

/** Open the row that the address names. */
function follow() {
  const asked = new URLSearchParams(location.hash.slice(1));
  if (!asked.has("row")) return;
  const repetition = Number(asked.get("repetition") || 0);
  const row = ROWS.find((each) => wellFormed(each.id) === asked.get("row") && each.repetition === repetition);
  if (row) reveal(row);
  else status.textContent = `This page has no row ${asked.get("row")}.`;
}

document.getElementById("rows").append(controls, el("div", { class: "bar" }, status, pager), table);
search();
follow();
window.addEventListener("hashchange", follow);
document.addEventListener("click", (event) => { // a second click on the same link changes no address
  const link = event.target instanceof Element && event.target.closest("a[href^='#row=']");
  if (link && link.getAttribute("href") === location.hash) follow();
});
const warm = (at) => { // the text that searches look at, made while nothing else is to do
  ROWS.slice(at, at + 500).forEach(textOf);
  if (at + 500 < ROWS.length) setTimeout(warm, 0, at + 500);
};
setTimeout(warm, 0, 0);
