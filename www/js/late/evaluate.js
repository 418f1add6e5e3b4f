// The value of the expression that is selected, with those of its parts, above the selection. The whole engine evaluates it in
// the context of its rule, on the resource whose verdict is chosen.
// In: the label of an editor, the texts of the page by label. Out: an extension for the editors in which expressions stand.
import { StateEffect, StateField } from "@codemirror/state";
import { EditorView, showTooltip } from "@codemirror/view";
import { expressions } from "../expressions.js";
import { Line } from "../runner.js";
import { element } from "./describe.js";

/** What this file says. */
const WORDS = {
  tooLong: "this takes too long",
  on: ({ kind, namespace, name }, rule) => `on ${kind} ${namespace ? `${namespace}/` : ""}${name}, rule ${rule}`,
  firstOf: (lists) => `; of ${lists.join(" and ")} the first element`,
};

/** The fields of the engine's input, by the labels of their editors. */
const INPUTS = {
  Policies: "policies",
  Exceptions: "exceptions",
  Request: "context",
  "Kyverno config": "config",
  CRDs: "customResourceDefinitions",
  Resources: "resources",
  "Old resources": "oldResources",
  Cluster: "clusterResources",
  "Image data": "imageData",
};

/** How long a selection rests before it is evaluated, how long the engine may take, and how long a value is shown in full. */
const [REST, LIMIT, LONGEST] = [300, 10_000, 2000];

/** What is selected where it is an expression or a part of one: `{{ … }}`, or the value of `jmesPath` or `list`. */
export function selected({ doc, selection }) {
  const { from, to, empty } = selection.main;
  if (empty || to - from > 4000) return null;
  const start = doc.lineAt(Math.max(0, from - 4000)).from;
  const text = doc.sliceString(start, doc.lineAt(to).to);
  const holds = (one) => one.closed && start + one.from <= from && to <= start + one.to;
  const line = doc.lineAt(from);
  const field = /^[ \t]*(?:- +)*(?:jmesPath|list): +["']?(?=[^"'\s])/.exec(line.text);
  const isIn = expressions(text).some(holds) || (field && line.from + field[0].length <= from && to <= line.to);
  const expression = doc.sliceString(from, to).replace(/^\s*\{\{|\}\}\s*$/g, "").trim();
  // A line ends with a quote of YAML; in it the quotes of the expression are doubled.
  const isQuoted = field?.[0].endsWith("'") || /'[^']*\{\{/.test(line.text);
  return isIn && expression ? { from, expression: isQuoted ? expression.replaceAll("''", "'") : expression.replace(/["']$/, "") } : null;
}

/** `Pod default/web` of the page, as the engine wants it. */
function chosen() {
  const [, kind, namespace, name] = /^(\S+) (?:([^/]*)\/)?(.*)$/.exec(document.getElementById("columns")?.dataset.resource ?? "") ?? [];
  return kind ? { kind, namespace: namespace ?? "", name } : undefined;
}

/** The way to the whole engine, once an expression was selected. */
let line = null;

/** What the engine says: its output, or why there is none; null where a newer question has come. */
function ask(input) {
  line ??= new Line(true);
  const found = { output: (text) => JSON.parse(text), failed: (error) => ({ error }), late: () => ({ error: WORDS.tooLong }), replaced: () => null };
  return new Promise((resolve) => {
    line.ask("evaluate", "evaluate", JSON.stringify(input), LIMIT, false, (end, text) => resolve(found[end](text)));
  });
}

const shorten = (text) => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

/** A value as one reads it: short ones on a line. */
function written(value) {
  const parsed = JSON.parse(value);
  return shorten(value.length > 60 && typeof parsed === "object" ? JSON.stringify(parsed, null, 2) : value);
}

function card({ error, values = [], resource, rule, loops = [] }) {
  if (error) return element("div", "cm-card cm-values", element("p", "cm-card-quiet", error));
  const row = ({ expression, value, error: why }) =>
    element("div", "", element("code", "", expression), element("pre", why === undefined ? "" : "cm-card-quiet", value === undefined ? (why ?? "") : written(value)));
  const loop = loops.length > 0 ? WORDS.firstOf(loops) : "";
  return element("div", "cm-card cm-values", ...values.map(row).reverse(), element("p", "cm-card-quiet", `${WORDS.on(resource, rule)}${loop}`));
}

const setCard = StateEffect.define();

/** The card above the selection; it goes when the selection or the text changes. */
const shown = StateField.define({
  create: () => null,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setCard)) return effect.value;
    return transaction.docChanged || transaction.selection ? null : value;
  },
  provide: (field) => showTooltip.from(field),
});

/** @param {string} label Policies or Exceptions @param {() => [string, string][]} texts label and text of every editor */
export function evaluation(label, texts) {
  let timer;
  const watch = EditorView.updateListener.of(({ view, selectionSet, docChanged }) => {
    if (!selectionSet && !docChanged) return;
    clearTimeout(timer);
    const wanted = selected(view.state);
    if (wanted) timer = setTimeout(show, REST, view, wanted);
  });
  async function show(view, { from, expression }) {
    const { state } = view;
    const given = texts().filter(([label, text]) => INPUTS[label] && text.trim());
    const input = Object.fromEntries(given.map(([label, text]) => [INPUTS[label], [{ name: label, text }]]));
    const found = await ask({ input: { host: "playground", ...input }, place: INPUTS[label], at: from, expression, resource: chosen() });
    // The reader may have gone on.
    if (!found || view.state.doc !== state.doc || !view.state.selection.eq(state.selection)) return;
    const dom = card(found);
    dom.setAttribute("role", "status");
    dom.tabIndex = 0;
    view.dispatch({ effects: setCard.of({ pos: from, above: true, create: () => ({ dom }) }) });
  }
  return [shown, watch];
}
