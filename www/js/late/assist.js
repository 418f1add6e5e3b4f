// What the editor helps with once somebody works in it: completion, hovers, search. Loaded by codemirror.js when it is first
// needed; all of it together costs as much as a third of the editor.
import { acceptCompletion, autocompletion, closeCompletion } from "@codemirror/autocomplete";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Prec } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap } from "@codemirror/view";
import css from "../../css/assist.css";
import { about, closeAbout } from "./cel/about.js";
import { completeCel } from "./cel/complete.js";
import { fixes } from "./cel/fixes.js";
import { explainCel } from "./cel/hover.js";
import { NEW } from "./engine.js";
import { evaluation, shown } from "./evaluate.js";
import { completeExpression, explainExpression } from "./functions.js";
import { completeField, explainField } from "./keys.js";
import { problems } from "./problems.js";

export { startCompletion } from "@codemirror/autocomplete";
export { openSearchPanel } from "@codemirror/search";

const sheet = new CSSStyleSheet();
sheet.replaceSync(css);
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];

/** Pixels between list and card. */
const GAP = 4;
/** So many milliseconds after Escape, as CodeMirror has it. */
const LEAVING = 2000;

/** What is said of the name at a place. */
const explain = (label, texts) => async (state, pos) =>
  (await explainExpression(state, pos)) ?? (await explainCel(state, pos, label, texts)) ?? (await explainField(state, pos, label));

/** The same under the pointer. */
const hover = (label, texts) =>
  hoverTooltip(
    async ({ state }, pos) => {
      const found = await explain(label, texts)(state, pos);
      return found && { pos: found.from, end: found.to, above: true, create: () => ({ dom: found.dom() }) };
    },
    { hoverTime: 350 },
  );

/** An expression where there is one, else keys and values of YAML. */
const source = (label, texts) => async (context) => {
  const found = (await completeExpression(context)) ?? (await completeCel(context, label, texts));
  return found === null ? completeField(context, label) : found || null;
};

/** As everywhere in the editor, the next Tab leaves it, also where Escape closed a list. */
const close = (view) => {
  const wasOpen = closeCompletion(view);
  if (wasOpen) view.setTabFocusMode(LEAVING);
  return wasOpen || closeAbout(view);
};

/** The card stands beside the list where there is room, else above or below it and the line, never over them. */
function beside(view, list, option, card, space) {
  const [width, height] = [card.right - card.left + GAP, card.bottom - card.top + GAP];
  const down = Math.max(space.top, Math.min(option.top, space.bottom - height)) - list.top;
  if (space.right - list.right >= width) return { style: `left: ${list.right - list.left + GAP}px; top: ${down}px` };
  if (list.left - space.left >= width) return { style: `right: ${list.right - list.left + GAP}px; top: ${down}px` };
  const line = view.coordsAtPos(view.state.selection.main.head) ?? list;
  const [top, bottom] = [Math.min(list.top, line.top), Math.max(list.bottom, line.bottom)];
  if (top - space.top >= height) return { style: `left: 0; top: ${top - height - list.top}px` };
  return { style: space.bottom - bottom >= height ? `left: 0; top: ${bottom + GAP - list.top}px` : "display: none" };
}

/** A list that scrolls has to be within reach of the keyboard by itself, though Tab takes what is chosen in it. */
const reachable = EditorView.updateListener.of(({ view }) => {
  const list = view.dom.querySelector(".cm-tooltip-autocomplete > ul");
  if (list) list.tabIndex = 0;
});

/** The extensions of the editor with this label, among the texts of all editors. */
export function assist(label, texts) {
  return [
    ["Policies", "Exceptions", NEW].includes(label) ? [evaluation(label, texts), fixes(label, texts)] : shown,
    label === NEW ? problems(label, texts) : [],
    // Tab takes what is chosen; without a list it is not ours. Before the keys that completion brings.
    Prec.highest(keymap.of([{ key: "Tab", run: acceptCompletion }, { key: "Escape", run: close }, { key: "Alt-i", run: (view) => about(view, explain(label, texts)) }])),
    autocompletion({
      override: [source(label, texts)],
      icons: false,
      maxRenderedOptions: 60,
      positionInfo: beside,
      // A key that was taken is followed by its value.
      activateOnCompletion: ({ goesOn }) => goesOn === true,
    }),
    reachable,
    hover(label, texts),
    highlightSelectionMatches(),
    search({ top: true }),
    keymap.of(searchKeymap),
  ];
}
