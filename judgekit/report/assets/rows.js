// The rows: what the page carries, which of them are wanted, and in what order.

const DATA = JSON.parse(document.getElementById("data").textContent);
const [RUN, OTHER] = DATA.runs;
const ROWS = RUN.rows;
const COLUMNS = RUN.columns;
const MOST_VALUES = 200;

ROWS.forEach((row, place) => { row.place = place; });
const mates = new Map((OTHER ? OTHER.rows : []).map((row) => [rowKey(row), row]));

function rowKey(row) {
  return JSON.stringify([row.id, row.repetition]);
}

/** The same example in the other experiment, or undefined. */
function mateOf(row) {
  return OTHER && mates.get(rowKey(row));
}

/** A row's first score in a column, or undefined: `[column, score, comment, metadata]`. */
function scoreIn(row, column) {
  return row.scores.find((score) => score[0] === column);
}

/** The other experiment's score beside a row's score in a column, or undefined. */
function scoreBeside(row, column) {
  const mate = mateOf(row);
  const place = mate ? OTHER.columns.findIndex((each) => each.name === COLUMNS[column].name) : -1;
  return place < 0 ? undefined : scoreIn(mate, place);
}

function isFailed(row) {
  return row.error !== null || row.failures.length > 0;
}

function isChanged(row, column) {
  const columns = column === null ? COLUMNS.keys() : [column];
  return [...columns].some((each) => {
    const here = scoreIn(row, each);
    const there = scoreBeside(row, each);
    return here && there && here[1] !== there[1];
  });
}

/** What a search looks at: all text of a row and of its mate, but for the rendered prompts. */
function textOf(row) {
  if (row.text === undefined) {
    const mate = mateOf(row);
    row.text = [row, ...(mate ? [mate] : [])].map((each) => wordsOf([
      each.id, each.inputs, each.outputs, each.reference, each.metadata, each.failures, each.error,
      each.scores.map((score) => [score[1], score[2]]),
    ])).join("\n").toLowerCase();
  }
  return row.text;
}

function wordsOf(value) {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? Object.values(value).map(wordsOf).join("\n") : String(value);
}

const wanted = { query: "", column: null, low: null, high: null, choice: "", facet: "", value: "", failed: false, changed: false, sort: null, down: false };

/** The rows that are wanted, in the order that is wanted. */
function found() {
  const words = wanted.query.toLowerCase().split(/\s+/).filter(Boolean);
  const tests = [];
  if (wanted.failed) tests.push(isFailed);
  if (wanted.changed) tests.push((row) => isChanged(row, wanted.column));
  if (wanted.facet && wanted.value !== "") tests.push((row) => facetOf(row, wanted.facet) === wanted.value);
  if (wanted.column !== null) tests.push(...scoreTests());
  tests.push(...words.map((word) => (row) => textOf(row).includes(word)));
  return ordered(tests.length ? ROWS.filter((row) => tests.every((test) => test(row))) : ROWS.slice());
}

function scoreTests() {
  const { column, low, high, choice } = wanted;
  const tests = [];
  const score = (row) => (scoreIn(row, column) || [])[1];
  if (choice === "missing") tests.push((row) => score(row) === undefined);
  else if (choice !== "") tests.push((row) => JSON.stringify(score(row)) === choice);
  if (low !== null) tests.push((row) => score(row) >= low);
  if (high !== null) tests.push((row) => score(row) <= high);
  return tests;
}

/** A metadata value as text; undefined where the row has none. */
function facetOf(row, name) {
  if (!Object.hasOwn(row.metadata, name)) return undefined;
  const value = row.metadata[name];
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The metadata columns with few values: name to values. */
function facets() {
  const all = new Map();
  for (const row of ROWS) {
    for (const name of Object.keys(row.metadata)) {
      if (!all.has(name)) all.set(name, new Set());
      if (all.get(name).size <= MOST_VALUES) all.get(name).add(facetOf(row, name));
    }
  }
  return new Map([...all].filter(([, values]) => values.size <= MOST_VALUES));
}

const SORTS = {
  id: (row) => row.place,
  seconds: totalSeconds,
  failures: (row) => (isFailed(row) ? row.failures.length + (row.error ? 1 : 0) : undefined),
};

function totalSeconds(row) {
  const all = Object.values(row.seconds);
  return all.length ? all.reduce((sum, each) => sum + each, 0) : undefined;
}

function ordered(rows) {
  if (wanted.sort === null) return rows;
  const read = SORTS[wanted.sort] || ((row) => (scoreIn(row, wanted.sort) || [])[1]);
  const keyed = rows.map((row) => [read(row), row]);
  const sign = wanted.down ? -1 : 1;
  keyed.sort(([a, first], [b, second]) => {
    if (a === undefined || b === undefined) return (a === undefined) - (b === undefined) || first.place - second.place;
    return sign * compared(a, b) || first.place - second.place;
  });
  return keyed.map(([, row]) => row);
}

function compared(a, b) {
  return typeof a === "string" || typeof b === "string" ? String(a).localeCompare(String(b)) : a - b;
}
