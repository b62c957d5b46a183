// An opened row: what was asked, what was answered, what the judges said and how they were asked.

function detailOf(row) {
  const mate = mateOf(row);
  return el("div", { class: "detail" },
    part("Inputs", valueOf(row.inputs)),
    mate ? beside("Outputs", valueOf(row.outputs), valueOf(mate.outputs)) : part("Outputs", valueOf(row.outputs)),
    part("Reference", valueOf(row.reference)),
    mate ? beside("Scores", verdictsOf(row, COLUMNS), verdictsOf(mate, OTHER.columns)) : part("Scores", verdictsOf(row, COLUMNS)),
    mate ? beside("Exchanges", exchangesOf(row), exchangesOf(mate)) : part("Exchanges", exchangesOf(row)),
    Object.keys(row.metadata).length ? part("Metadata", valueOf(row.metadata)) : null,
    part("Took", tookOf(row)),
    el("p", { class: "note" }, el("a", { href: linkOf(row) }, "Link to this row")));
}

function part(title, content) {
  return el("section", { "aria-label": title }, el("h3", {}, title), content);
}

function beside(title, here, there) {
  return el("section", { "aria-label": title, class: "beside" }, el("h3", {}, title),
    el("div", {}, el("h4", {}, el("bdi", {}, RUN.name)), here),
    el("div", {}, el("h4", {}, el("bdi", {}, OTHER.name)), there));
}

function verdictsOf(row, columns) {
  const failures = row.error ? [row.error, ...row.failures] : row.failures;
  const scores = row.scores.map(([column, score, comment, metadata]) => el("li", {},
    el("p", { class: "verdict" }, el("bdi", { class: "key" }, columns[column].name), scoreOf(score)),
    comment ? el("div", { class: "text", dir: "auto" }, comment) : el("p", { class: "none" }, "no explanation"),
    metadata ? el("details", {}, el("summary", {}, "How it came about"), valueOf(metadata)) : null));
  if (!scores.length && !failures.length) return el("p", { class: "none" }, "none");
  return el("ul", { class: "verdicts" }, scores, failures.map(failureOf));
}

function failureOf(failure) {
  const attempts = failure.attempts ? ` after ${failure.attempts} attempt${failure.attempts > 1 ? "s" : ""}` : "";
  return el("li", { class: "failure" },
    el("p", { class: "verdict" }, el("bdi", { class: "key" }, failure.source || "target"), el("span", { class: "tag warn" }, failure.code), attempts),
    el("div", { class: "text", dir: "auto" }, failure.message || ""),
    failure.raw ? el("details", {}, el("summary", {}, "The last answer as it came"), el("div", { class: "text", dir: "auto" }, failure.raw)) : null);
}

function exchangesOf(row) {
  if (!row.exchanges.length) return el("p", { class: "none" }, "no model was asked");
  return row.exchanges.map((exchange) => {
    const facts = [exchange.model];
    if (exchange.remembered) facts.push("remembered");
    else if (exchange.seconds) facts.push(seconds(exchange.seconds));
    if (exchange.tokens) facts.push(`${counted(exchange.tokens.input_tokens)} tokens in, ${counted(exchange.tokens.output_tokens)} out`);
    if (exchange.error) facts.push(`failed: ${exchange.error}`);
    return el("details", { class: "exchange" },
      el("summary", {}, el("bdi", {}, exchange.source || "judge"), " ", el("small", {}, facts.filter(Boolean).join(" · "))),
      exchange.messages ? messagesOf(exchange.messages) : el("p", { class: "warning" }, "The rendered prompt was left out to keep this page small."),
      el("ol", { class: "messages" }, el("li", { class: "answer" }, el("span", { class: "role" }, "answer"), valueOf(exchange.answer))));
  });
}

function tookOf(row) {
  const took = Object.entries(row.seconds).map(([source, each]) => `${source} ${seconds(each)}`);
  if (row.tokens) took.push(`${counted(row.tokens.input_tokens + row.tokens.output_tokens)} tokens`);
  took.push(row.cost === null ? "cost unknown" : `$${row.cost.toFixed(6)}`);
  return el("p", {}, took.join(" · "));
}

function linkOf(row) {
  const link = `#row=${encodeURIComponent(wellFormed(row.id))}`;
  return row.repetition ? `${link}&repetition=${row.repetition}` : link;
}

/** The text with U+FFFD where a surrogate has lost its other half: such an id could not stand in a link. */
function wellFormed(text) {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}
