// What stands at the cursor, for those who work by keyboard: the card that the pointer would show, the problems of the place, and
// buttons for what can be done about them.
// In: an editor. Out: a card above the cursor; the second time the keyboard goes into it, and Escape comes back.
import { forEachDiagnostic } from "@codemirror/lint";
import { element, prose } from "../describe.js";
import { setCard, showCard, shown } from "../evaluate.js";
import { editsAt } from "./fixes.js";

/** The problems at a place, each once. */
function problems(state, pos) {
  const found = [];
  forEachDiagnostic(state, (problem, from, to) => {
    if (from <= pos && pos <= to) found.push({ message: problem.message, from, to });
  });
  return found;
}

function button(view, { label, changes }) {
  const made = element("button", "cm-button", label);
  made.type = "button";
  made.addEventListener("click", () => {
    view.dispatch({ changes, effects: setCard.of(null), userEvent: "input.fix" });
    view.focus();
  });
  return made;
}

/** Shows the card. @param {(state: object, pos: number) => Promise<null | {dom: () => Element}>} explain */
export function about(view, explain) {
  const open = view.state.field(shown, false);
  if (open) {
    const card = view.dom.querySelector(".cm-about");
    (card?.querySelector("button") ?? card)?.focus();
    return true;
  }
  const { state } = view;
  const pos = state.selection.main.head;
  const wrong = problems(state, pos);
  // Behind a word it is the word that is asked about.
  const at = /\w/.test(state.sliceDoc(pos, pos + 1)) ? pos : Math.max(0, pos - 1);
  explain(state, at).then((found) => {
    const said = wrong.flatMap(({ message }) => message.split("\n").map(prose));
    const [from, to] = wrong.length > 0 ? [Math.min(...wrong.map((one) => one.from)), Math.max(...wrong.map((one) => one.to))] : [at, pos];
    const edits = editsAt(state, from, to).map((edit) => button(view, edit));
    if ((!found && said.length + edits.length === 0) || view.state.doc !== state.doc) return;
    const dom = element("div", "cm-about", found?.dom());
    if (said.length + edits.length > 0) dom.append(element("div", "cm-card", ...said, ...edits));
    dom.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      view.dispatch({ effects: setCard.of(null) });
      view.focus();
    });
    showCard(view, pos, dom);
  });
  return true;
}

/** Closes it. */
export function closeAbout(view) {
  if (!view.state.field(shown, false)) return false;
  view.dispatch({ effects: setCard.of(null) });
  return true;
}
