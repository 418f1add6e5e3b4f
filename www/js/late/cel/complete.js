// What may stand at a place of an expression of CEL: the engine's checker knows variables, functions and types, Kubernetes' schema the
// fields of the object.
// In: CodeMirror's context. Out: a completion result; null where no expression is, false where nothing is to be completed.
import { card, functionCard, prose } from "../describe.js";
import { ask, question } from "../engine.js";
import { inWords } from "../fields.js";
import { call } from "../functions.js";
import { celAt } from "./place.js";
import { fieldsBelow } from "./schema.js";

/** Which of them come first. */
const ORDER = { field: 3, variable: 3, macro: 1, function: 0, keyword: -1 };

/** The card of a function, with one example. */
const described = ({ label, detail, doc, examples }) =>
  examples ? functionCard({ signature: detail, doc, examples }) : card(label, prose(doc), detail && prose(`\`${detail}\``));

function option(given) {
  const { label, kind, detail, doc } = given;
  const isCalled = kind === "function" || kind === "macro";
  const short = isCalled ? detail.replace(/^.*?\b([\w.]+\()/, "$1").slice(label.length).replace(/^[^(]*/, "") : detail;
  return {
    label,
    type: kind === "keyword" ? "keyword" : isCalled ? "function" : "variable",
    detail: short,
    boost: ORDER[kind] ?? 0,
    info: doc || isCalled ? () => described(given) : undefined,
    ...(isCalled ? { apply: call, takesNothing: detail.includes("()") } : {}),
  };
}

/** A field of the schema; what the page's object holds there stands beside its type. */
const fieldOption = ([label, [holds, text]], value) => ({
  label,
  type: "variable",
  detail: inWords(holds),
  boost: ORDER.field + 1,
  info: () => card(label, text && prose(text), value && prose(`\`${value}\``)),
});

/** Completions at a place. */
export async function completeCel({ state, pos, explicit, aborted }, label, texts) {
  if (!(await celAt(state, label, pos))) return null;
  const before = state.sliceDoc(Math.max(0, pos - 64), pos);
  if (!explicit && !/(?:[A-Za-z_]\w*|\.\??)$/.test(before)) return false;
  const found = await ask("celComplete", question(label, texts, pos));
  if (!found?.options || aborted) return false;
  const fields = found.path ? await fieldsBelow(state.doc, pos, found) : null;
  const known = Object.entries(fields ?? {}).filter(([name]) => /^[A-Za-z_]\w*$/.test(name));
  const values = new Map(found.options.filter(({ kind }) => kind === "field").map((each) => [each.label, each.detail]));
  const schema = known.map((entry) => fieldOption(entry, values.get(entry[0])));
  const names = new Set(known.map(([name]) => name));
  const options = [...schema, ...found.options.filter(({ label }) => !names.has(label)).map(option)];
  return options.length > 0 ? { from: found.from, options, validFor: /^\w*$/ } : false;
}
