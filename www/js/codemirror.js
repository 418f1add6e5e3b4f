// The YAML editor: CodeMirror 6 behind the functions that `editor.js` calls with an editor of its own making.
// Positions are UTF-16 units. All colours are in css/editor.css.
import { defaultKeymap, history, historyKeymap, indentWithTab, undo } from "@codemirror/commands";
import { yamlLanguage } from "@codemirror/lang-yaml";
import { LanguageSupport, bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit, syntaxTree } from "@codemirror/language";
import { diagnosticCount, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, Prec, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration, EditorView, ViewPlugin, WidgetType, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap,
  lineNumbers, placeholder,
} from "@codemirror/view";
import { classHighlighter, highlightTree } from "@lezer/highlight";
import { expressions, fields } from "./expressions.js";

/** What this file says. */
const WORDS = { keys: "YAML. Control and Space completes; Tab indents; Alt and Enter asks why this line; Alt and I explains what is under the cursor; Alt and Z wraps long lines; Escape and then Tab leaves the editor." };

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

/**
 * What is coloured, as every span is an element: of a line so many signs and so many spans, of what is seen so many spans;
 * beyond, the text is there and plain. Nothing that people write has as much. And so many lines are marked at once.
 */
const MOST = { signs: 2000, spans: 300, shown: 6000, marked: 5000 };

/** The stretches of what is seen that are looked at; each ends within a line that is too long, or where all ends. */
function stretches({ doc }, ranges, above = 0) {
  const found = [];
  for (const { from, to } of ranges) {
    let line = doc.lineAt(Math.max(0, from - above));
    let open = null;
    for (;;) {
      const end = Math.min(line.to, line.from + MOST.signs, to);
      open ??= { from: line.from, to: end };
      open.to = Math.max(open.from, end);
      if (end < line.to || line.to >= to) {
        found.push(open);
        open = null;
      }
      if (line.to >= to) break;
      line = doc.line(line.number + 1);
    }
  }
  return found;
}

/** Decorations in their order, as many as may be. @param {{from: number, to: number, value: Decoration}[]} found */
function bounded({ doc }, found) {
  const shown = [];
  let [end, spans] = [-1, 0];
  for (const { from, to, value } of found) {
    if (from > end) [end, spans] = [doc.lineAt(from).to, 0];
    if (++spans <= MOST.spans && shown.length < MOST.shown) shown.push(value.range(from, to));
  }
  return Decoration.set(shown, true);
}

/** A plugin that colours what is seen. @param {(view: EditorView) => DecorationSet} colours */
const colouring = (colours) =>
  ViewPlugin.fromClass(
    class {
      constructor(view) {
        this.decorations = colours(view);
      }
      update(update) {
        const isParsed = syntaxTree(update.startState) !== syntaxTree(update.state);
        if (update.docChanged || update.viewportChanged || isParsed) this.decorations = colours(update.view);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );

/** `{{ … }}` stands out: it is what most policies are about. An expression may begin so far above what is seen. */
const ABOVE = 1000;
const markOf = (kind) => Decoration.mark({ class: `cm-expression cm-expression-${kind}` });
const kinds = ["name", "function", "string", "literal", "sign"];
const part = Object.fromEntries(kinds.map((kind) => [kind, markOf(kind)]));

const coloured = (tokensOf) => colouring(({ state, visibleRanges }) => {
  const found = stretches(state, visibleRanges, ABOVE).flatMap(({ from: start, to }) =>
    tokensOf(state.sliceDoc(start, to)).map(({ kind, from, to }) => ({ from: start + from, to: start + to, value: part[kind] })),
  );
  return bounded(state, found.sort((a, b) => a.from - b.from));
});

const expressionColours = coloured((text) => [...expressions(text).flatMap(({ tokens }) => tokens), ...fields(text)]);

/** A text with expressions of CEL; what colours those comes then. */
const CEL = /(?:xpression["']?|interpolate):/;
let celColours;

async function colourCel({ view }) {
  // Whoever turned to an editor may write one.
  if (!view || (!help && !CEL.test(view.state.doc))) return;
  const { celFields } = await import("./late/cel/colours.js");
  celColours ??= coloured((text) => celFields(text).flatMap(({ tokens }) => tokens));
  view.dispatch({ effects: StateEffect.appendConfig.of(celColours) });
}

/** The colours of YAML, by the classes of css/editor.css. */
const named = {};
const yamlColours = Prec.high(colouring(({ state, visibleRanges }) => {
  const found = [];
  const put = (from, to, classes) => found.push({ from, to, value: (named[classes] ??= Decoration.mark({ class: classes })) });
  for (const { from, to } of stretches(state, visibleRanges)) highlightTree(syntaxTree(state), classHighlighter, put, from, to);
  return bounded(state, found);
}));

/** Signs that are not seen, or that turn the direction of others: each as its number. */
const UNSEEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffc]/g;

class Unseen extends WidgetType {
  constructor(sign) {
    super();
    this.sign = sign;
  }
  eq({ sign }) {
    return sign === this.sign;
  }
  toDOM() {
    const element = document.createElement("span");
    element.className = "cm-specialChar";
    element.textContent = "•";
    element.title = `U+${this.sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
    element.setAttribute("aria-label", element.title);
    return element;
  }
}

const unseen = colouring(({ state, visibleRanges }) => {
  const found = stretches(state, visibleRanges).flatMap(({ from, to }) =>
    [...state.sliceDoc(from, to).matchAll(UNSEEN)].map(({ 0: sign, index }) => {
      return { from: from + index, to: from + index + 1, value: Decoration.replace({ widget: new Unseen(sign) }) };
    }),
  );
  return bounded(state, found);
});

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
      for (const editor of editors) {
        editor.view?.dispatch({ effects: late.reconfigure(help.assist(editor.label, texts)) });
        colourCel(editor);
      }
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

/** What stands behind the cursor begins something that belongs below it: a key without a value, or the sign of a text block. */
const OPENS = /^(\s*(?:-\s+)*)[^\s#].*(?::|:\s+[|>][+-]?\d?)\s*$/;
/** Words of a text, where a colon at the end means nothing. */
const TEXTS = ["BlockLiteralContent", "QuotedLiteral"];

/** Enter behind `spec:` begins a line that is indented below it, as far as what stands there already. */
function beginBelow({ state, dispatch }) {
  const { main, ranges } = state.selection;
  const line = state.doc.lineAt(main.head);
  const opens = OPENS.exec(state.sliceDoc(line.from, main.head));
  if (!opens || ranges.length > 1 || !main.empty || state.sliceDoc(main.head, line.to).trim() !== "") return false;
  if (TEXTS.includes(syntaxTree(state).resolveInner(main.head, -1).name)) return false;
  const column = opens[1].length;
  const next = line.number < state.doc.lines ? state.doc.line(line.number + 1).text : "";
  const there = next.trim() === "" ? 0 : /^\s*/.exec(next)[0].length;
  const insert = `\n${" ".repeat(there > column ? there : column + 2)}`;
  const changes = { from: main.head, to: line.to, insert };
  dispatch(state.update({ changes, selection: { anchor: main.head + insert.length }, scrollIntoView: true, userEvent: "input" }));
  return true;
}

/** Whether long lines are wrapped, in all editors. */
const wrapping = new Compartment();
let wraps = false;
const wrapped = () => (wraps ? EditorView.lineWrapping : []);

export function wrap(all, on) {
  wraps = on;
  for (const { view } of all) view?.dispatch({ effects: wrapping.reconfigure(wrapped()) });
}

/** What makes YAML of the text: its structure and colours. An editor shows its text before it has it. */
const language = new Compartment();
// Short documents share a buffer of the tree, and a buffer is never used again after a change: with the default of 1024, a key
// press parses all of a text with many documents anew; with 128, only the document around it.
const yaml = new LanguageSupport(yamlLanguage.configure({ bufferLength: 128 }));
const yamlText = [yaml, yamlColours, expressionColours];

function extensions(editor, spoken = yamlText) {
  const { label, example, onChange, onLine, turnWrap } = editor;
  const ask = ({ state }) => {
    onLine(lineOf(state), true);
    return true;
  };
  return [
    placeholder(example),
    lineNumbers(),
    foldGutter(),
    language.of(spoken),
    unseen,
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
    wrapping.of(wrapped()),
    keymap.of([{ key: "Alt-Enter", run: ask }, { key: "Alt-z", run: turnWrap }, { key: "Enter", run: beginBelow }, indentWithTab, ...defaultKeymap, ...historyKeymap, ...foldKeymap, ...lintKeymap]),
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
  wraps = editor.isWrapped();
  const { parent, text: doc } = editor;
  editor.view = new EditorView({ parent, state: EditorState.create({ doc, extensions: extensions(editor, []) }) });
}

export function colour(editor) {
  const { view } = editor;
  if (language.get(view.state) !== yamlText) view.dispatch({ effects: language.reconfigure(yamlText) });
  colourCel(editor);
  // Of what the page does not evaluate the help says what is wrong.
  if (editor.label === "New policies") loadSoon();
}

export function setText(editor, text) {
  if (editor.view.state.doc.toString() === text) return;
  // From the top: a long text that takes the place of another far down would be measured again and again.
  editor.view.scrollDOM.scrollTop = 0;
  editor.view.setState(EditorState.create({ doc: text, extensions: extensions(editor) }));
  colourCel(editor);
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
    for (let line = first; line <= last && lines.size < MOST.marked; line++) lines.add(line);
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
