// The YAML editor: CodeMirror 6 behind a few functions, all that the Rust side knows of it (playground/src/editor.rs, and
// `rewrite` and `takeBack` for the views that load late).
// Positions are UTF-16 units, here and there. All colours are in css/editor.css.
import { defaultKeymap, history, historyKeymap, indentWithTab, undo } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration, EditorView, ViewPlugin, drawSelection, highlightActiveLine, highlightActiveLineGutter,
  highlightSpecialChars, keymap, lineNumbers, placeholder,
} from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { expressions, fields } from "./expressions.js";

const setMarks = StateEffect.define();

/** Lines that a verdict points at; they move with the text. */
const marks = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    let next = value.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(setMarks)) next = effect.value;
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** `{{ … }}` stands out: it is what most policies are about. An expression may begin so far above what is seen. */
const ABOVE = 1000;
const markOf = (kind) => Decoration.mark({ class: `cm-expression cm-expression-${kind}` });
const kinds = ["name", "function", "string", "literal", "sign"];
const part = Object.fromEntries(kinds.map((kind) => [kind, markOf(kind)]));

function colours({ state, visibleRanges }) {
  const found = visibleRanges.flatMap(({ from, to }) => {
    const start = state.doc.lineAt(Math.max(0, from - ABOVE)).from;
    const text = state.sliceDoc(start, to);
    const tokens = [...expressions(text).flatMap((expression) => expression.tokens), ...fields(text)];
    return tokens.map((token) => part[token.kind].range(start + token.from, start + token.to));
  });
  return Decoration.set(found, true);
}

const expressionColours = ViewPlugin.fromClass(
  class {
    constructor(view) {
      this.decorations = colours(view);
    }
    update(update) {
      if (update.docChanged || update.viewportChanged) this.decorations = colours(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

/** The editors on the page; and what helps in them, once it is there. */
const mounted = new Set();
const late = new Compartment();
let help = null;
let loading = null;
/** The editor in which something was typed before the help was there. */
let typed = null;

/** Whether the cursor stands behind a letter or a dot, where a key opens the list. */
function isWord({ state }) {
  const { head, empty } = state.selection.main;
  return empty && /[\w.]$/.test(state.sliceDoc(Math.max(0, head - 1), head));
}

/** Label and text of every editor. */
const texts = () => [...mounted].map(({ label, view }) => [label, view.state.doc.toString()]);

/** Loads completion, hovers and search, for all editors; a load that failed is tried again when asked again. */
function loadHelp() {
  loading ??= import("./late/assist.js").then(
    (module) => {
      help = module;
      for (const { view, label } of mounted) view.dispatch({ effects: late.reconfigure(help.assist(label, texts)) });
      // The list for what was typed meanwhile does not wait for another key.
      if (typed?.hasFocus && isWord(typed)) help.startCompletion(typed);
      return help;
    },
    () => (loading = null),
  );
  return loading;
}

/** A key of something that is not loaded yet. */
const ahead = (name) => (view) => {
  if (help) return false;
  loadHelp().then((module) => module?.[name](view));
  return true;
};

/** Until the help is there: it comes when somebody turns to an editor and the browser has nothing else to do. */
const beforeHelp = [
  keymap.of([
    { key: "Ctrl-Space", run: ahead("startCompletion") },
    { key: "Mod-f", run: ahead("openSearchPanel"), preventDefault: true },
  ]),
  EditorView.domEventHandlers({ focus: loadSoon, pointerenter: loadSoon }),
  EditorView.updateListener.of(({ view, docChanged, selectionSet, transactions }) => {
    if (transactions.some((transaction) => transaction.isUserEvent("input.type"))) typed = view;
    else if (docChanged || selectionSet) typed = null;
  }),
];

function loadSoon() {
  if (!loading) (globalThis.requestIdleCallback ?? setTimeout)(loadHelp, { timeout: 1000 });
}

/**
 * Typing over a selection, done by the editor itself: Chromium would carry the colour of what it replaces over as an
 * inline style, which the page's Content-Security-Policy refuses with a report.
 */
const typeOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    if (event.inputType !== "insertText" || event.data === null || view.composing) return false;
    if (view.state.selection.ranges.every((range) => range.empty)) return false;
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

function extensions({ label, example, onChange }) {
  return [
    placeholder(example),
    lineNumbers(),
    foldGutter(),
    highlightSpecialChars(),
    history(),
    drawSelection(),
    indentOnInput(),
    indentUnit.of("  "),
    bracketMatching(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    yaml(),
    syntaxHighlighting(classHighlighter),
    expressionColours,
    late.of(help ? help.assist(label, texts) : beforeHelp),
    marks,
    typeOver,
    keymap.of([indentWithTab, ...defaultKeymap, ...historyKeymap, ...foldKeymap, ...lintKeymap]),
    EditorView.contentAttributes.of({
      tabindex: "0",
      "aria-label": label,
      "aria-description": "YAML. Control and Space completes; Tab indents; Escape and then Tab leaves the editor.",
    }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
    }),
  ];
}

/**
 * @param {HTMLElement} parent @param {string} label @param {string} example what an empty text shows in grey
 * @param {string} text @param {(text: string) => void} onChange
 */
export function mount(parent, label, example, text, onChange) {
  const editor = { label, example, onChange, view: null, isGone: false, waiting: [] };
  setTimeout(build, APART * coming++, editor, parent, text);
  return editor;
}

/**
 * Each editor is made in a task and a frame of its own, so that the page answers in between. What is asked of one that
 * is not made yet waits for it.
 */
const APART = 20;
let coming = 0;

function build(editor, parent, doc) {
  coming--;
  if (editor.isGone) return;
  editor.view = new EditorView({ parent, state: EditorState.create({ doc, extensions: extensions(editor) }) });
  mounted.add(editor);
  for (const work of editor.waiting.splice(0)) work();
}

const soon = (work) => (editor, ...what) => {
  if (editor.view) work(editor, ...what);
  else editor.waiting.push(() => work(editor, ...what));
};

/** Another text takes the place of this one; its history begins anew. */
export const setText = soon((editor, text) => {
  if (editor.view.state.doc.toString() === text) return;
  // From the top: a long text that takes the place of another far down would be measured again and again.
  editor.view.scrollDOM.scrollTop = 0;
  editor.view.setState(EditorState.create({ doc: text, extensions: extensions(editor) }));
});

const named = (label) => [...mounted].find((editor) => editor.label === label)?.view;

/** The text changes where it differs, as one edit that can be undone; whether there is an editor of this name. */
export function rewrite(label, text) {
  const view = named(label);
  if (!view) return false;
  const old = view.state.doc.toString();
  let [from, end] = [0, 0];
  const most = Math.min(old.length, text.length);
  while (from < most && old[from] === text[from]) from++;
  while (end < most - from && old.at(-1 - end) === text.at(-1 - end)) end++;
  const changes = { from, to: old.length - end, insert: text.slice(from, text.length - end) };
  view.dispatch({ changes, selection: { anchor: from }, userEvent: "input", effects: EditorView.scrollIntoView(from, { y: "center" }) });
  return true;
}

/** Takes the last edit of an editor back. */
export function takeBack(label) {
  const view = named(label);
  if (view) undo(view);
}

/** @param {{from: number, to: number, severity: string, message: string}[]} list squiggles, as JSON */
export const diagnose = soon((editor, json) => {
  const end = editor.view.state.doc.length;
  const list = JSON.parse(json).map((d) => {
    const from = Math.min(d.from, end);
    return { ...d, from, to: Math.max(from, Math.min(d.to, end)) };
  });
  editor.view.dispatch(setDiagnostics(editor.view.state, list));
});

/**
 * Marks whole lines, and scrolls to the first of them.
 * @param {string} json [{from, to}] @param {string} status gives the colour @param {boolean} scroll
 */
export const mark = soon((editor, json, status, scroll) => {
  const { doc } = editor.view.state;
  const lines = new Set();
  for (const { from, to } of JSON.parse(json)) {
    const first = doc.lineAt(Math.min(from, doc.length)).number;
    const last = doc.lineAt(Math.min(Math.max(from, to - 1), doc.length)).number;
    for (let line = first; line <= last; line++) lines.add(line);
  }
  const sorted = [...lines].sort((a, b) => a - b);
  const decoration = Decoration.line({ class: `cm-marked cm-marked-${status}` });
  const effects = [setMarks.of(Decoration.set(sorted.map((line) => decoration.range(doc.line(line).from))))];
  if (scroll && sorted.length > 0) {
    effects.push(EditorView.scrollIntoView(doc.line(sorted[0]).from, { y: "start", yMargin: 96 }));
  }
  editor.view.dispatch({ effects });
});

/** Puts the cursor at a place and the keyboard into the editor. */
export const reveal = soon((editor, from) => {
  const anchor = Math.min(from, editor.view.state.doc.length);
  editor.view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
  editor.view.focus();
});

/** To be called when an editor that was hidden is shown. */
export const shown = soon((editor) => {
  editor.view.requestMeasure();
});

export function unmount(editor) {
  editor.isGone = true;
  mounted.delete(editor);
  editor.view?.destroy();
}
