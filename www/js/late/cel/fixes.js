// What can be done about what is wrong with an expression of CEL: buttons beside the squiggle. The engine has tried each; names of
// fields are held against Kubernetes' schema here.
// In: the texts of the page by label, and the problems that the page has put into the editor. Out: an extension.
import { forEachDiagnostic, setDiagnostics, setDiagnosticsEffect } from "@codemirror/lint";
import { StateEffect, StateField } from "@codemirror/state";
import { EditorView, ViewPlugin } from "@codemirror/view";
import { ask, question } from "../engine.js";
import { holdsCel } from "./place.js";
import { fieldsBelow } from "./schema.js";

/** What this file says. */
const WORDS = {
  unknown: (name) => `Kubernetes has no field \`${name}\` here`,
  write: (name) => `Write ${name}`,
};
/** How long somebody who types is left alone; so many buttons stand beside a problem; a typing error changes so many letters. */
const [REST, MOST, FARTHEST] = [400, 4, 2];

const setOffers = StateEffect.define();

/** `{from, to, message, edits: [{label, changes}]}`; gone once the text changes. */
export const offers = StateField.define({
  create: () => [],
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setOffers)) return effect.value;
    return transaction.docChanged ? [] : value;
  },
});

/** The name from which another differs least: letters changed, added, taken away. */
function nearest(wanted, names) {
  const distance = (a, b) => {
    let row = [...Array(b.length + 1).keys()];
    for (let i = 0; i < a.length; i++) {
      const next = [i + 1];
      for (let j = 0; j < b.length; j++) next.push(Math.min(row[j] + (a[i] === b[j] ? 0 : 1), row[j + 1] + 1, next[j] + 1));
      row = next;
    }
    return row.at(-1);
  };
  const near = names.map((name) => [distance(wanted.toLowerCase().slice(0, 64), name.toLowerCase()), name]).sort(([a], [b]) => a - b)[0];
  return near && near[0] <= Math.min(FARTHEST, wanted.length / 2) ? near[1] : null;
}

/** Fields that the schema does not have. */
async function misspelt({ doc }, reads) {
  const found = [];
  for (const read of reads) {
    const [name, above] = [read.path.at(-1), { path: read.path.slice(0, -1), kinds: read.kinds }];
    const fields = await fieldsBelow(doc, read.from, above);
    if (!fields || name in fields) continue;
    const meant = nearest(name, Object.keys(fields));
    const edits = meant ? [{ label: WORDS.write(meant), changes: [{ from: read.from, to: read.to, insert: meant }] }] : [];
    found.push({ from: read.from, to: read.to, message: WORDS.unknown(name), edits });
  }
  return found;
}

const action = ({ label, changes }) => ({
  name: label,
  apply: (view) => view.dispatch({ changes, userEvent: "input.fix" }),
});

/** The edits that belong to a place. */
export const editsAt = (state, from, to) =>
  state.field(offers, false)?.filter((offer) => offer.from <= to && from <= offer.to).flatMap(({ edits }) => edits).slice(0, MOST) ?? [];

/** Puts buttons to the problems of the page, and what the page does not know beside them. */
function merge(view) {
  const all = view.state.field(offers);
  const list = [];
  let isChanged = false;
  forEachDiagnostic(view.state, ({ isOurs, actions, ...problem }, from, to) => {
    if (isOurs) return;
    const edits = editsAt(view.state, from, to).map(action);
    isChanged ||= (actions?.length ?? 0) !== edits.length;
    list.push({ ...problem, from, to, ...(edits.length > 0 ? { actions: edits } : {}) });
  });
  const isKnown = (offer) => list.some(({ from, to }) => offer.from <= to && from <= offer.to);
  const further = all.filter((offer) => !isKnown(offer)).map(({ from, to, message, edits }) => {
    return { from, to, message, severity: "warning", isOurs: true, actions: edits.slice(0, MOST).map(action) };
  });
  if (!isChanged && further.length === 0) return;
  const sorted = [...list, ...further].sort((a, b) => a.from - b.from || a.to - b.to);
  view.dispatch(setDiagnostics(view.state, sorted));
}

/** @param {string} label Policies, Exceptions or New policies @param {() => [string, string][]} texts label and text of every editor */
export function fixes(label, texts) {
  let timer;
  let isMerging = false;
  const look = async (view) => {
    const { state } = view;
    const text = state.doc.toString();
    const found = (await holdsCel(label, text)) ? await ask("celFixes", question(label, texts, 0)) : { fixes: [], reads: [] };
    if (!found?.fixes || view.state.doc !== state.doc) return;
    const all = [...found.fixes, ...(await misspelt(state, found.reads))];
    if (view.state.doc !== state.doc || (all.length === 0 && state.field(offers).length === 0)) return;
    view.dispatch({ effects: setOffers.of(all) });
  };
  const watch = EditorView.updateListener.of(({ view, docChanged, transactions }) => {
    if (docChanged) {
      clearTimeout(timer);
      timer = setTimeout(look, REST, view);
    }
    const is = (kind) => transactions.some(({ effects }) => effects.some((effect) => effect.is(kind)));
    if (isMerging || (!is(setDiagnosticsEffect) && !is(setOffers))) return;
    isMerging = true;
    // An editor is not changed while it tells of a change.
    queueMicrotask(() => {
      try {
        merge(view);
      } finally {
        isMerging = false;
      }
    });
  });
  // What is there already is looked at as well.
  const begin = ViewPlugin.define((view) => {
    timer = setTimeout(look, REST, view);
    return { destroy: () => clearTimeout(timer) };
  });
  return [offers, watch, begin];
}
