// The editors as the Rust side knows them (playground/src/editor.rs, and `rewrite` and `takeBack` for the views that load
// late). What edits is `codemirror.js`: it comes with the page where there is room for editors beside the verdicts, and
// on a phone once an editor is turned to. Until then an editor is its text and what was asked of it.
// Positions are UTF-16 units, here and there.

import { answered } from "./runner.js";

/** What this file says. */
const WORDS = { unloaded: "The editor could not be loaded; is there a network? Turn to it again." };

/** All editors of the page: `{ label, example, onChange, text, view, waiting, parent, isGone }`. */
const editors = new Set();

/** Where the browser keeps whether long lines are wrapped. */
const WRAP = "podsieve:wrap";
let wraps = false;
try {
  wraps = localStorage.getItem(WRAP) !== null;
} catch {
  // Storage may be forbidden; lines are not wrapped then.
}

export const isWrapped = () => wraps;

/** Wraps long lines in all editors, or no longer. */
export function wrap() {
  wraps = !wraps;
  codemirror?.wrap(editors, wraps);
  try {
    if (wraps) localStorage.setItem(WRAP, "");
    else localStorage.removeItem(WRAP);
  } catch {
    // What cannot be kept is not kept.
  }
  return true;
}

let codemirror = null;
let loading = null;

function load() {
  loading ??= import("./codemirror.js").then(
    (module) => (codemirror = module),
    () => (loading = null),
  );
  return loading;
}

/**
 * @param {HTMLElement} parent @param {string} label @param {string} example what an empty text shows in grey
 * @param {string} text @param {(text: string) => void} onChange
 * @param {(line: number, isAsked: boolean) => void} onLine the cursor is on another line, or somebody asks about its line
 */
export function mount(parent, label, example, text, onChange, onLine) {
  const editor = { parent, label, example, onChange, onLine, text, view: null, waiting: new Map(), isGone: false, isComing: false, isWrapped, turnWrap: wrap };
  editors.add(editor);
  editor.seen = new IntersectionObserver((entries) => {
    if (entries.some(({ isIntersecting }) => isIntersecting)) come(editor);
  });
  editor.seen.observe(parent);
  return editor;
}

/** The first verdict goes before the editors, which take longer to make than it does; but not if it keeps the page waiting. */
const LATEST = 1500;
const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
const turn = Promise.race([answered.then(frame), new Promise((done) => setTimeout(done, LATEST))]);

/** Each editor is made in a few short tasks of its own, so that the page answers in between. */
const APART = 20;
let coming = 0;

/** An editor is about to be seen, or to be written to. */
async function come(editor) {
  if (editor.isComing) return;
  editor.isComing = true;
  await turn;
  if (!(await load())) {
    editor.isComing = false;
    editor.parent.textContent = WORDS.unloaded;
    return;
  }
  editor.seen.disconnect();
  setTimeout(build, APART * coming++, editor);
}

/** First its text is there, then the colours, then what was asked of it meanwhile, in order. */
function build(editor) {
  coming--;
  if (editor.isGone) return;
  editor.parent.textContent = "";
  codemirror.create(editor, editors);
  editor.waiting = new Map([["colour", []], ...editor.waiting]);
  setTimeout(proceed, 0, editor);
}

function proceed(editor) {
  if (editor.isGone || editor.waiting.size === 0) return;
  const [name, what] = editor.waiting.entries().next().value;
  try {
    codemirror[name](editor, ...what);
  } finally {
    editor.waiting.delete(name);
    setTimeout(proceed, 0, editor);
  }
}

/** Done now, or once the editor is there: of several things of one name, the last. */
const soon = (name) => (editor, ...what) => {
  if (editor.view && editor.waiting.size === 0) return codemirror[name](editor, ...what);
  editor.waiting.delete(name);
  editor.waiting.set(name, what);
};

/** Another text takes the place of this one; its history begins anew. */
export function setText(editor, text) {
  if (editor.view) return soon("setText")(editor, text);
  editor.text = text;
}

/** @param {{from: number, to: number, severity: string, message: string}[]} list squiggles, as JSON */
export const diagnose = soon("diagnose");

/**
 * Marks whole lines, and scrolls to the first of them.
 * @param {string} json [{from, to}] @param {string} status gives the colour @param {boolean} scroll
 */
export const mark = soon("mark");

/** Puts the cursor at a place and the keyboard into the editor. */
export const reveal = soon("reveal");

/** To be called when an editor that was hidden is shown. */
export const shown = soon("shown");

const named = (label) => [...editors].find((editor) => editor.label === label);

/**
 * The text changes where it differs, as one edit that can be undone; whether there is an editor of this name by now. One
 * that is not there yet is on its way from here on.
 */
export function rewrite(label, text) {
  const editor = named(label);
  if (!editor) return false;
  if (editor.view) codemirror.rewrite(editor, text);
  else come(editor);
  return editor.view !== null;
}

/** Takes the last edit of an editor back. */
export function takeBack(label) {
  const editor = named(label);
  if (editor?.view) codemirror.takeBack(editor);
}

/** Asks about the line with the cursor, in the editor that had the keyboard last. */
export const askLine = () => codemirror?.askLine();

export function unmount(editor) {
  editor.isGone = true;
  editors.delete(editor);
  editor.seen.disconnect();
  editor.view?.destroy();
}
