// The YAML editor: CodeMirror 6 behind the functions that `editor.js` calls with an editor of its own making.
// Positions are UTF-16 units. All colours are in css/editor.css.
import { defaultKeymap, history, historyKeymap, indentWithTab, undo } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { diagnosticCount, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration, EditorView, ViewPlugin, drawSelection, highlightActiveLine, highlightActiveLineGutter,
  highlightSpecialChars, keymap, lineNumbers, placeholder,
} from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { expressions, fields } from "./expressions.js";

/** What this file says. */
const WORDS = { keys: "YAML. Control and Space completes; Tab indents; Alt and Enter asks why this line; Escape and then Tab leaves the editor." };

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

/** The editors of the page, those without a view too; and what helps in them, once it is there. */
let editors = new Set();
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
const texts = () => [...editors].map(({ label, text, view }) => [label, view ? view.state.doc.toString() : text]);

/** Loads completion, hovers and search, for all editors; a load that failed is tried again when asked again. */
function loadHelp() {
  loading ??= import("./late/assist.js").then(
    (module) => {
      help = module;
      for (const { view, label } of editors) view?.dispatch({ effects: late.reconfigure(help.assist(label, texts)) });
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

/** The number of the line with the cursor. */
const lineOf = (state) => state.doc.lineAt(state.selection.main.head).number;

/** Whether the page follows the cursor from line to line: while *Why* is open. */
const isFollowed = () => document.getElementById("columns")?.dataset.follows !== undefined;

/** Whether somebody has gone to another line, or pointed at one. */
function isLineChosen({ selectionSet, startState, state, transactions }) {
  const is = (event) => transactions.some((transaction) => transaction.isUserEvent(event));
  if (!selectionSet || !is("select")) return false;
  return lineOf(startState) !== lineOf(state) || (is("select.pointer") && state.selection.main.empty);
}

/** The editor that had the keyboard last. */
let last = null;

export function askLine() {
  const editor = editors.has(last) ? last : [...editors].find(({ view }) => view);
  editor?.onLine(lineOf(editor.view.state), true);
}

/** What makes YAML of the text: its structure and colours. An editor shows its text before it has it. */
const language = new Compartment();
const yamlText = [yaml(), syntaxHighlighting(classHighlighter), expressionColours];

function extensions(editor, spoken = yamlText) {
  const { label, example, onChange, onLine } = editor;
  const ask = ({ state }) => {
    onLine(lineOf(state), true);
    return true;
  };
  return [
    placeholder(example),
    lineNumbers(),
    foldGutter(),
    language.of(spoken),
    highlightSpecialChars(),
    history(),
    drawSelection(),
    indentOnInput(),
    indentUnit.of("  "),
    bracketMatching(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    late.of(help ? help.assist(label, texts) : beforeHelp),
    marks,
    typeOver,
    keymap.of([{ key: "Alt-Enter", run: ask }, indentWithTab, ...defaultKeymap, ...historyKeymap, ...foldKeymap, ...lintKeymap]),
    EditorView.contentAttributes.of({
      tabindex: "0",
      "aria-label": label,
      "aria-description": WORDS.keys,
    }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
      if (update.focusChanged && update.view.hasFocus) last = editor;
      if (isLineChosen(update) && isFollowed()) onLine(lineOf(update.state), false);
    }),
  ];
}

/** Gives an editor its view: the text alone, `colour` follows. */
export function create(editor, all) {
  editors = all;
  const { parent, text: doc } = editor;
  editor.view = new EditorView({ parent, state: EditorState.create({ doc, extensions: extensions(editor, []) }) });
}

export function colour({ view }) {
  if (language.get(view.state) !== yamlText) view.dispatch({ effects: language.reconfigure(yamlText) });
}

export function setText(editor, text) {
  if (editor.view.state.doc.toString() === text) return;
  // From the top: a long text that takes the place of another far down would be measured again and again.
  editor.view.scrollDOM.scrollTop = 0;
  editor.view.setState(EditorState.create({ doc: text, extensions: extensions(editor) }));
}

export function rewrite({ view }, text) {
  const old = view.state.doc.toString();
  let [from, end] = [0, 0];
  const most = Math.min(old.length, text.length);
  while (from < most && old[from] === text[from]) from++;
  while (end < most - from && old.at(-1 - end) === text.at(-1 - end)) end++;
  const changes = { from, to: old.length - end, insert: text.slice(from, text.length - end) };
  view.dispatch({ changes, selection: { anchor: from }, userEvent: "input", effects: EditorView.scrollIntoView(from, { y: "center" }) });
}

export const takeBack = ({ view }) => undo(view);

export function diagnose(editor, json) {
  const end = editor.view.state.doc.length;
  const list = JSON.parse(json).map((d) => {
    const from = Math.min(d.from, end);
    return { ...d, from, to: Math.max(from, Math.min(d.to, end)) };
  });
  if (list.length === 0 && diagnosticCount(editor.view.state) === 0) return;
  editor.view.dispatch(setDiagnostics(editor.view.state, list));
}

export function mark(editor, json, status, scroll) {
  const { doc } = editor.view.state;
  const lines = new Set();
  for (const { from, to } of JSON.parse(json)) {
    const first = doc.lineAt(Math.min(from, doc.length)).number;
    const last = doc.lineAt(Math.min(Math.max(from, to - 1), doc.length)).number;
    for (let line = first; line <= last; line++) lines.add(line);
  }
  if (lines.size === 0 && editor.view.state.field(marks).size === 0) return;
  const sorted = [...lines].sort((a, b) => a - b);
  const decoration = Decoration.line({ class: `cm-marked cm-marked-${status}` });
  const effects = [setMarks.of(Decoration.set(sorted.map((line) => decoration.range(doc.line(line).from))))];
  if (scroll && sorted.length > 0) {
    effects.push(EditorView.scrollIntoView(doc.line(sorted[0]).from, { y: "start", yMargin: 96 }));
  }
  editor.view.dispatch({ effects });
}

export function reveal(editor, from) {
  const anchor = Math.min(from, editor.view.state.doc.length);
  editor.view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
  editor.view.focus();
}

export const shown = ({ view }) => view.requestMeasure();
