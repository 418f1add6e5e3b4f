// Problems of policies that are compared and not evaluated: the page asks for those of all other texts itself.
// In: the label of their editor, the texts of the page by label. Out: an extension that puts squiggles where something is wrong.
import { diagnosticCount, setDiagnostics } from "@codemirror/lint";
import { EditorView, ViewPlugin } from "@codemirror/view";
import { ask, question } from "./engine.js";

/** How long the text rests before it is looked at; so many problems are shown, each with so many hints and characters. */
const [REST, MOST, HINTS, LONGEST] = [300, 500, 10, 2000];

/** What stands in the text of policies, as CodeMirror has it; as `squiggles` of `playground/src/components/text_field.rs`. */
function squiggles({ diagnostics, refused }, length) {
  const here = ({ range }) => range?.input === "policies" && range.from <= length;
  const problem = ({ range: { from, to } }, severity, lines) => ({
    from,
    to: Math.min(to, length),
    severity,
    message: lines.join("\n").slice(0, LONGEST),
  });
  const said = diagnostics.filter(here).map((one) => problem(one, one.severity, [one.message, ...(one.hints ?? []).slice(0, HINTS)]));
  const isSaid = ({ range }) => said.some(({ from, to, severity }) => severity === "error" && range.from <= from && to <= range.to);
  const more = refused.filter((one) => here(one) && !isSaid(one)).map((one) => problem(one, "error", [one.reason]));
  return [...said, ...more].slice(0, MOST).sort((a, b) => a.from - b.from || a.to - b.to);
}

/** @param {string} label New policies @param {() => [string, string][]} texts label and text of every editor */
export function problems(label, texts) {
  let timer;
  const look = async (view) => {
    const { doc } = view.state;
    // What is wrong with policies is known without resources.
    const { host, policies = [], customResourceDefinitions } = question(label, texts, 0).input;
    const found = policies.length > 0 ? await ask("apply", { host, policies, customResourceDefinitions }) : { diagnostics: [], refused: [] };
    if (!found?.diagnostics || view.state.doc !== doc) return;
    const list = squiggles(found, doc.length);
    if (list.length > 0 || diagnosticCount(view.state) > 0) view.dispatch(setDiagnostics(view.state, list));
  };
  const soon = (view) => {
    clearTimeout(timer);
    timer = setTimeout(look, REST, view);
  };
  const begin = ViewPlugin.define((view) => {
    soon(view);
    return { destroy: () => clearTimeout(timer) };
  });
  return [begin, EditorView.updateListener.of(({ view, docChanged }) => docChanged && soon(view))];
}
