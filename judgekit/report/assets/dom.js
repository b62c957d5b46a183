// Elements and text. Text enters the page here alone, as text nodes.

const ODD = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const ALLOWED = /^(class|id|type|name|value|for|href|role|scope|colspan|tabindex|dir|hidden|open|min|max|step|placeholder|title|autocomplete|aria-[a-z]+)$/;

/** An element: `props` are attributes by name, `on` its listeners; children are nodes, texts, or lists of them. */
function el(tag, props, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    } else if (value !== null && value !== undefined && value !== false) {
      if (!ALLOWED.test(name)) throw new Error(`attribute ${name}`);
      if (name === "href" && !String(value).startsWith("#")) throw new Error("a link leads away from the page");
      made.setAttribute(name, value === true ? "" : value);
    }
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined).flatMap(asNodes));
  return made;
}

function asNodes(child) {
  return child instanceof Node ? [child] : visible(String(child));
}

/** Text as nodes; a character that hides, or turns the text around, is shown by its number. */
function visible(text) {
  const nodes = [];
  let end = 0;
  for (const found of text.matchAll(ODD)) {
    if (found.index > end) nodes.push(document.createTextNode(text.slice(end, found.index)));
    const odd = document.createElement("span");
    odd.className = "odd";
    odd.textContent = "U+" + found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    nodes.push(odd);
    end = found.index + found[0].length;
  }
  if (end < text.length) nodes.push(document.createTextNode(text.slice(end)));
  return nodes;
}

const counted = (number) => number.toLocaleString("en-US");
const shortly = (number) => String(Number(number.toPrecision(4)));
const seconds = (number) => `${Number(number.toPrecision(3))} s`;

/** A score as an element: a tag for true and false, a number, or a label. */
function scoreOf(score) {
  if (score === true) return el("span", { class: "tag good" }, "true");
  if (score === false) return el("span", { class: "tag bad" }, "false");
  if (typeof score === "number") return el("span", { class: "number" }, shortly(score));
  return el("bdi", { class: "tag" }, score);
}

/** Any JSON value, readable: text as it is, messages with their roles, the rest by name. */
function valueOf(value, depth = 0) {
  if (value === null || value === undefined) return el("span", { class: "none" }, "none");
  if (typeof value === "string") return el("div", { class: "text", dir: "auto" }, value);
  if (typeof value !== "object") return el("code", {}, String(value));
  if (isMessages(value)) return messagesOf(value);
  const entries = Object.entries(value);
  if (!entries.length) return el("code", {}, Array.isArray(value) ? "[]" : "{}");
  if (depth > 3) return el("pre", { dir: "auto" }, JSON.stringify(value, null, 2));
  return el("dl", { class: "fields" }, entries.map(([name, each]) => [el("dt", {}, name), el("dd", {}, valueOf(each, depth + 1))]));
}

function isMessages(value) {
  return Array.isArray(value) && value.length > 0 && value.every((each) => each && typeof each === "object" && "role" in each && "content" in each);
}

function messagesOf(messages) {
  return el("ol", { class: "messages" }, messages.map((message) => {
    const { role, content, ...rest } = message;
    return el("li", {}, el("span", { class: "role" }, String(role)), valueOf(content, 2), Object.keys(rest).length ? valueOf(rest, 2) : null);
  }));
}

/** The beginning of a value, on one line. */
function previewOf(value) {
  let text = value;
  if (value && typeof value === "object") {
    const entries = Object.values(value);
    text = isMessages(value) ? value.at(-1).content : entries.length === 1 ? entries[0] : value;
  }
  if (text === null || text === undefined) return "";
  if (typeof text !== "string") text = JSON.stringify(text);
  return text.slice(0, 400).replace(/\s+/g, " ").slice(0, 160);
}
