// What is said of a part of an expression of CEL: its type, its value on the chosen resource, of a function how it is called.
// In: CodeMirror's state and a place, or what is selected. Out: `{from, to, dom}`, or a card.
import { card, element, functionCard, prose } from "../describe.js";
import { ask, question } from "../engine.js";
import { inWords } from "../fields.js";
import { celAt } from "./place.js";
import { fieldAt } from "./schema.js";

/** What this file says. */
const WORDS = {
  type: "type",
  value: "value",
  noValue: "no value",
  on: (resource) => `on ${resource}`,
  element: (places) => `, element ${places.map((at) => at + 1).join(" of element ")}`,
};
/** So much of a value is shown. */
const LONGEST = 2000;

function written(value) {
  let text = value;
  try {
    const parsed = JSON.parse(value);
    if (value.length > 60 && typeof parsed === "object") text = JSON.stringify(parsed, null, 2);
  } catch {
    // It was cut, and stays as it is.
  }
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

const row = (name, ...inside) => element("div", "cm-card-row", element("span", "cm-card-quiet", name), ...inside);

async function celCard(state, found) {
  const { text, type, value, error, on, elements = [], note, signature, examples } = found;
  const field = found.path ? await fieldAt(state.doc, found.from, found) : null;
  const inner = [];
  if (type) inner.push(row(WORDS.type, element("code", "", type === "dyn" && field ? `${type} (${inWords(field[0])})` : type)));
  if (value !== undefined) inner.push(row(WORDS.value, element("pre", "", written(value))));
  if (error) inner.push(row(WORDS.noValue, element("span", "", error)));
  if (on) inner.push(element("p", "cm-card-quiet", WORDS.on(on) + (elements.length > 0 ? WORDS.element(elements) : "")));
  const doc = note ?? field?.[1];
  const made = signature ? functionCard({ signature, doc, examples }) : card(text);
  made.classList.add("cm-cel");
  made.append(...inner, ...(signature || !doc ? [] : [prose(doc)]));
  return made;
}

/** What is to be said of the place: `{from, to, dom}` or null. */
export async function explainCel(state, pos, label, texts) {
  if (!(await celAt(state, label, pos)) || /\s/.test(state.sliceDoc(pos, pos + 1))) return null;
  const found = await ask("celDescribe", question(label, texts, pos, String(pos)));
  // What does not type has a problem that says so; there is nothing to say beside it.
  if (!found || ![found.type, found.value, found.error, found.signature].some(Boolean)) return null;
  const dom = await celCard(state, found);
  return { from: found.from, to: Math.min(found.to, state.doc.length), dom: () => dom };
}

/** The card of what is selected, where that is a part of an expression. */
export async function describeSelected(state, label, texts) {
  const { from, to, empty } = state.selection.main;
  if (empty || !(await celAt(state, label, from, to))) return null;
  const found = await ask("celDescribe", question(label, texts, from, String(to)));
  return found?.text ? celCard(state, found) : null;
}
