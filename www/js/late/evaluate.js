// The value of the expression that is selected, with those of its parts, above the selection. The whole engine evaluates it in
// the context of its rule, on the resource whose verdict is chosen.
// In: the label of an editor, the texts of the page by label. Out: an extension for the editors in which expressions stand.
import { StateEffect, StateField } from "@codemirror/state";
import { EditorView, showTooltip } from "@codemirror/view";
import { expressions } from "../expressions.js";
import { describeSelected } from "./cel/hover.js";
import { element } from "./describe.js";
import { ask, question } from "./engine.js";

/** What this file says. */
const WORDS = {
  on: ({ kind, namespace, name }, rule) => `on ${kind} ${namespace ? `${namespace}/` : ""}${name}, rule ${rule}`,
  firstOf: (lists) => `; of ${lists.join(" and ")} the first element`,
};

/** How long a selection rests before it is evaluated, and how long a value is shown in full. */
const [REST, LONGEST] = [300, 2000];

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

/** Shows a card, or none. */
export const setCard = StateEffect.define();

/** The card above the selection; it goes when the selection or the text changes. */
export const shown = StateField.define({
  create: () => null,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setCard)) return effect.value;
    return transaction.docChanged || transaction.selection ? null : value;
  },
  provide: (field) => showTooltip.from(field),
});

/** @param {string} label Policies, Exceptions or New policies @param {() => [string, string][]} texts label and text of every editor */
export function evaluation(label, texts) {
  let timer;
  const watch = EditorView.updateListener.of(({ view, selectionSet, docChanged }) => {
    if (!selectionSet && !docChanged) return;
    clearTimeout(timer);
    timer = setTimeout(show, REST, view);
  });
  async function show(view) {
    const { state } = view;
    const wanted = selected(state);
    const found = wanted && (await ask("evaluate", question(label, texts, wanted.from, wanted.expression)));
    const dom = wanted ? found && card(found) : await describeSelected(state, label, texts);
    // The reader may have gone on.
    if (dom && view.state.doc === state.doc && view.state.selection.eq(state.selection)) showCard(view, state.selection.main.from, dom);
  }
  return [shown, watch];
}

/** A card above a place; whoever goes there by keyboard hears it. */
export function showCard(view, pos, dom) {
  dom.setAttribute("role", "status");
  dom.tabIndex = 0;
  view.dispatch({ effects: setCard.of({ pos, above: true, create: () => ({ dom }) }) });
}
