// Names inside an expression: completed while one types, explained where the pointer rests.
// In: CodeMirror's state and a place. Out: a completion result, or what is to be said of a name.
import { pickedCompletion } from "@codemirror/autocomplete";
import rows from "../../data/functions.json";
import { expressions, tokens } from "../expressions.js";
import { card, functionCard, prose } from "./describe.js";
import { fieldsOf, inWords, matchedType, walk } from "./fields.js";
import { placeAt, shape } from "./place.js";
import { namesBelow } from "./variables.js";

const byName = new Map(rows.map((row) => [row.name, row]));
/** Around a place, so many characters are read. */
const AROUND = 4000;
/** Fields whose value is an expression without braces; `list` only in a loop. */
const isExpression = (path) => path.at(-1) === "jmesPath" || (path.at(-1) === "list" && path.includes("foreach"));

/** The tokens of the expression at a place, in positions of the document; null where there is none. */
function tokensAt(state, pos) {
  const { doc } = state;
  const first = doc.lineAt(Math.max(0, pos - AROUND)).from;
  const text = doc.sliceString(first, Math.min(doc.length, pos + AROUND));
  const inside = ({ from, to, closed }) => first + from + 2 <= pos && pos <= first + to - (closed ? 2 : 0);
  const around = expressions(text).find(inside);
  if (around) return around.tokens.slice(1).map((token) => ({ ...token, from: first + token.from, to: first + token.to }));
  const place = placeAt(doc, pos);
  if (!place || place.isKey || place.isText || !isExpression(place.path)) return null;
  const line = doc.lineAt(pos);
  const { valueAt } = shape(line.text);
  // Quotes around the value are YAML's.
  const [, quote, value] = /^(["']?)(.*?)\1\s*$/.exec(line.text.slice(valueAt));
  const start = line.from + valueAt + quote.length;
  return [...tokens(value)].map((token) => ({ ...token, from: start + token.from, to: start + token.to }));
}

/** The names that a name hangs on: `request`, `object` for the place behind `request.object.`. */
function chainBefore(text, list, at) {
  const chain = [];
  const sign = (token) => token && text(token);
  let next = at - 1;
  while (sign(list[next]) === ".") {
    next--;
    // A place in a list says nothing of what it is.
    while (sign(list[next]) === "]") {
      while (next >= 0 && sign(list[next]) !== "[") next--;
      next--;
    }
    if (next < 0 || list[next].kind === "sign") return null;
    chain.unshift(text(list[next]).replace(/^\\?"|\\?"$/g, ""));
    next--;
  }
  return chain;
}

/** What a context entry is, until its source is read. */
const PLAIN = "context entry";

/** The names that the rule around a place gives to its context entries, each with what it is. */
export function contextNames(doc, pos) {
  const found = new Map();
  const line = doc.lineAt(pos).number;
  const rule = placeAt(doc, pos)?.steps.find(({ name }, at, all) => name === "[]" && all[at - 1]?.name === "rules");
  let entries = -1;
  let name = null;
  for (let number = rule?.line ?? 1; number <= doc.lines && number < line + 400; number++) {
    const { dashes, column, key, value, isEmpty, indent } = shape(doc.line(number).text);
    if (rule && number > rule.line && dashes[0] === rule.column) break;
    if (isEmpty) continue;
    if (key === "context" && value === "") entries = column;
    else if (entries >= 0 && (indent < entries || (indent === entries && dashes.length === 0))) entries = -1;
    else if (entries >= 0 && key === "name" && dashes.length > 0) found.set((name = value), PLAIN);
    else if (entries >= 0 && value === "" && found.get(name) === PLAIN) found.set(name, `${PLAIN}, \`${key}\``);
  }
  return found;
}

/** The brackets come with the name, the cursor stands between them. */
export function call(view, completion, from, to) {
  const hasBracket = view.state.sliceDoc(to, to + 1) === "(";
  const insert = hasBracket ? completion.label : `${completion.label}()`;
  const anchor = from + completion.label.length + 1 + (completion.takesNothing && !hasBracket ? 1 : 0);
  const changes = { from, to, insert };
  view.dispatch({ changes, selection: { anchor }, userEvent: "input.complete", annotations: pickedCompletion.of(completion) });
}

const functions = rows.map((row) => ({
  label: row.name,
  detail: row.signature.slice(row.name.length),
  takesNothing: row.signature.startsWith(`${row.name}()`),
  info: () => functionCard(row),
  apply: call,
  type: "function",
}));

const variable = ([label, doc, detail], boost) => {
  const info = () => card(label, prose(doc));
  return { label, detail, type: "variable", boost, info };
};

/** The fields of the resource below a chain such as `request.object.spec`, as the kind has them that the rule matches. */
async function fieldsBelow(doc, pos, chain) {
  const isResource = chain[0] === "target" || (chain[0] === "request" && /^(object|oldObject)$/.test(chain[1]));
  const steps = isResource ? placeAt(doc, pos)?.steps : null;
  const resource = steps ? await matchedType(doc, steps) : null;
  const holds = await walk(resource, chain.slice(chain[0] === "target" ? 1 : 2));
  return holds && /^!?#/.test(holds) ? fieldsOf(holds.replace("!", "")) : null;
}

/** The members below a chain of names, each with what it is. */
async function membersBelow(doc, pos, chain) {
  const fields = chain && (await fieldsBelow(doc, pos, chain));
  if (!fields) return Object.entries(namesBelow(chain ?? ["?"]));
  return Object.entries(fields).flatMap(([name, [holds, text]]) => (name ? [[name, text, inWords(holds)]] : []));
}

/** Completions at a place; null where it is in no expression, false where nothing is to be completed in it. */
export async function completeExpression({ state, pos, explicit }) {
  const list = tokensAt(state, pos);
  if (!list) return null;
  const text = ({ from, to }) => state.sliceDoc(from, to);
  const at = list.findIndex(({ to }) => to >= pos);
  const own = list[at]?.from < pos ? list[at] : undefined;
  if (own && ["string", "literal"].includes(own.kind) && pos < own.to) return false;
  // A quote that has no other yet: the rest is a text.
  if (list.some((token) => token.to <= pos && /^["'`]$/.test(text(token)))) return false;
  const isName = own && ["name", "function"].includes(own.kind);
  const index = isName ? at : list.filter(({ to }) => to <= pos).length;
  const chain = chainBefore(text, list, index);
  const isMember = index > 0 && text(list[index - 1]) === ".";
  if (!isName && !explicit && !isMember) return false;
  const from = isName ? own.from : pos;
  const validFor = /^\w*$/;
  if (isMember) {
    const options = (await membersBelow(state.doc, pos, chain)).map((entry) => variable(entry, 1));
    return options.length > 0 ? { from, options, validFor } : false;
  }
  const entries = [...contextNames(state.doc, pos)].map((entry) => variable(entry, 2));
  const roots = Object.entries(namesBelow([])).map((entry) => variable(entry, 1));
  return { from, options: [...entries, ...roots, ...functions], validFor };
}

/** What is to be said of the name at a place: `{from, to, dom}` or null. */
export async function explainExpression(state, pos) {
  const list = tokensAt(state, pos);
  const at = list?.findIndex(({ from, to, kind }) => from <= pos && pos < to && kind !== "sign") ?? -1;
  if (at < 0) return null;
  const { from, to, kind } = list[at];
  const text = (token) => state.sliceDoc(token.from, token.to);
  const name = text(list[at]);
  if (kind === "function") return byName.has(name) ? { from, to, dom: () => functionCard(byName.get(name)) } : null;
  const chain = kind === "name" ? chainBefore(text, list, at) : null;
  if (!chain) return null;
  const members = new Map(await membersBelow(state.doc, pos, chain));
  const doc = members.get(name) ?? (chain.length === 0 ? contextNames(state.doc, pos).get(name) : undefined);
  return doc ? { from, to, dom: () => card([...chain, name].join("."), prose(doc)) } : null;
}
