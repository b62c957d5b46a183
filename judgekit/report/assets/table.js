// The table of rows, one page of it at a time: a browser lays out fifty rows as fast as it likes, whatever the run has.

const PAGE = 50;
const opened = new Set();
let matching = ROWS;
let first = 0;

const heads = [
  { sort: "id", title: "Row", class: "id" },
  { title: "Inputs", class: "value" },
  { title: "Outputs", class: "value outputs" },
  ...COLUMNS.map((column, place) => ({ sort: place, title: column.name, class: column.kind === "number" ? "number" : "score" })),
  ...(ROWS.some(isFailed) ? [{ sort: "failures", title: "Failures", class: "failures" }] : []),
  ...(ROWS.some((row) => totalSeconds(row)) ? [{ sort: "seconds", title: "Time", class: "number" }] : []),
];

const body = el("tbody");
const status = el("p", { id: "found", role: "status", "aria-live": "polite" });
const back = el("button", { type: "button", on: { click: () => turn(first - PAGE) } }, "Previous");
const onward = el("button", { type: "button", on: { click: () => turn(first + PAGE) } }, "Next");
const titles = heads.map(headOf);
const table = el("div", { class: "scroll rows", tabindex: 0, role: "region", "aria-label": "Rows" },
  el("table", {}, el("caption", { class: "unseen" }, "Rows; the button of a row opens it"), el("thead", {}, el("tr", {}, titles)), body));
const pager = el("nav", { class: "pager", "aria-label": "Pages of rows" }, back, onward);

function headOf(head) {
  const title = el("bdi", {}, head.title);
  if (head.sort === undefined) return el("th", { scope: "col", class: head.class }, title);
  return el("th", { scope: "col", class: head.class, "aria-sort": "none" },
    el("button", { type: "button", class: "sort", on: { click: () => sortBy(head.sort) } }, title));
}

/** Upwards, then downwards, then as the data has it. */
function sortBy(sort) {
  if (wanted.sort !== sort) Object.assign(wanted, { sort, down: false });
  else if (!wanted.down) wanted.down = true;
  else Object.assign(wanted, { sort: null, down: false });
  search();
}

/** Find the wanted rows and show the first page of them. */
function search() {
  matching = found();
  first = 0;
  heads.forEach((head, place) => {
    if (head.sort !== undefined) titles[place].setAttribute("aria-sort", head.sort !== wanted.sort ? "none" : wanted.down ? "descending" : "ascending");
  });
  draw();
}

function turn(to) {
  first = to;
  draw();
  table.scrollIntoView({ block: "start" });
}

function draw() {
  const shown = matching.slice(first, first + PAGE);
  body.replaceChildren(...shown.flatMap((row) => (opened.has(row) ? [lineOf(row), openLineOf(row)] : [lineOf(row)])));
  const range = shown.length ? `, ${counted(first + 1)} to ${counted(first + shown.length)} shown` : "";
  status.textContent = `${counted(matching.length)} of ${counted(ROWS.length)} rows${range}`;
  back.disabled = first === 0;
  onward.disabled = first + PAGE >= matching.length;
}

function lineOf(row) {
  const is = opened.has(row);
  const name = row.repetition ? `${row.id} (${row.repetition + 1})` : row.id;
  const button = el("button", { type: "button", class: "open", "aria-expanded": String(is), id: `open-${row.place}`, on: { click: () => toggle(row) } }, el("bdi", {}, name));
  return el("tr", { id: `row-${row.place}`, class: is ? "is-open" : null },
    el("th", { scope: "row", class: "id" }, button),
    heads.slice(1).map((head) => el("td", { class: head.class }, cellOf(row, head))));
}

function cellOf(row, head) {
  if (head.title === "Inputs" && head.sort === undefined) return el("span", { class: "preview", dir: "auto" }, previewOf(row.inputs));
  if (head.title === "Outputs" && head.sort === undefined) return el("span", { class: "preview", dir: "auto" }, previewOf(row.outputs));
  if (head.sort === "seconds") return totalSeconds(row) === undefined ? "" : seconds(totalSeconds(row));
  if (head.sort === "failures") return (row.error ? [row.error, ...row.failures] : row.failures).map((each) => el("span", { class: "tag warn" }, each.code));
  return scoreCellOf(row, head.sort);
}

function scoreCellOf(row, column) {
  const here = scoreIn(row, column);
  const there = scoreBeside(row, column);
  if (!here) return el("span", { class: "none" }, row.failures.some((each) => each.source === COLUMNS[column].source) ? "failed" : "–");
  if (!there || there[1] === here[1]) return scoreOf(here[1]);
  return el("span", { class: "moved" }, scoreOf(there[1]), el("span", { class: "arrow" }, " → "), scoreOf(here[1]));
}

function openLineOf(row) {
  return el("tr", { class: "opened" }, el("td", { colspan: heads.length }, detailOf(row)));
}

function toggle(row) {
  if (!opened.delete(row)) opened.add(row);
  const line = document.getElementById(`row-${row.place}`);
  if (line.nextElementSibling && line.nextElementSibling.className === "opened") line.nextElementSibling.remove();
  const made = lineOf(row);
  line.replaceWith(made);
  if (opened.has(row)) made.after(openLineOf(row));
  document.getElementById(`open-${row.place}`).focus({ preventScroll: true });
}

/** Show a row, opened, wherever it is: what is wanted gives way where it hides the row. */
function reveal(row) {
  if (!matching.includes(row)) {
    clearWanted();
    search();
  }
  opened.add(row);
  first = Math.floor(matching.indexOf(row) / PAGE) * PAGE;
  draw();
  document.getElementById(`row-${row.place}`).scrollIntoView({ block: "start" });
  document.getElementById(`open-${row.place}`).focus({ preventScroll: true });
}
