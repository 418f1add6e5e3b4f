// Keys and values of YAML: completed by the type that stands there, explained where the pointer rests.
// In: CodeMirror's state, a place, the label of the editor. Out: a completion result, or what is to be said of a key.
import { pickedCompletion } from "@codemirror/autocomplete";
import { card, element, prose } from "./describe.js";
import { choices, fieldsAt, inWords, kinds, withoutAnchor } from "./fields.js";

/** What this file says of a key that must be there. */
const REQUIRED = "required";

/** What every object begins with, where its kind is not known yet. */
const HEAD = {
  apiVersion: ["!string", "group and version of the kind"],
  kind: ["!string", "what it is"],
};

/** A key with what it holds and what it is for. */
function fieldCard(name, [holds, doc]) {
  const known = choices(holds);
  const list = known.length > 2 && element("p", "cm-card-quiet", known.join(" · "));
  const demand = holds.startsWith("!") && element("p", "cm-card-quiet", REQUIRED);
  return card(`${name}: ${inWords(holds)}`, doc && prose(doc), list, demand);
}

/** What follows a key: the next line for what has an inside, a dash for a list. */
function behind(holds, column) {
  const [form] = holds.replace(/^!/, "").split("|");
  const inner = "\n" + " ".repeat(column + 2);
  if (form.startsWith("[]")) return `:${inner}- `;
  return form.startsWith("#") || form.startsWith("{}") ? `:${inner}` : ": ";
}

/** As the schema has them, not by their letters. */
const inOrder = (at) => String(at).padStart(3, "0");

/** Options for the keys of a type that are not there yet. */
function keyOptions(fields, { others, key, column }) {
  const isFree = ([name]) => name !== "" && (name === key || !others.has(name));
  return Object.entries(fields).filter(isFree).map(([name, field], at) => ({
    label: name,
    sortText: inOrder(at),
    detail: inWords(field[0]),
    type: "property",
    boost: field[0].startsWith("!") ? 1 : 0,
    info: () => fieldCard(name, field),
    goesOn: choices(field[0]).length > 0 || /^!?(\[\])?#/.test(field[0]) || ["kind", "apiVersion"].includes(name),
    apply(view, completion, from, to) {
      const insert = name + (key === null ? behind(field[0], column) : "");
      const changes = { from, to, insert };
      const selection = { anchor: from + insert.length };
      const annotations = pickedCompletion.of(completion);
      view.dispatch({ changes, selection, scrollIntoView: true, userEvent: "input.complete", annotations });
    },
  }));
}

const plain = (label, detail) => ({ label, detail, type: "enum" });

/** Kinds and versions, which name each other. */
async function nameOptions(name, { others, path }) {
  const all = [...(await kinds()).keys()].map((full) => full.split(" "));
  const unique = (list) => [...new Map(list.map((option) => [option.label, option])).values()];
  if (path.at(-2) === "kinds" || name === "kind") {
    const version = name === "kind" && others.get("apiVersion");
    return unique(all.filter(([known]) => !version || known === version).map(([known, kind]) => plain(kind, known)));
  }
  const kind = others.get("kind");
  return unique(all.filter(([, known]) => !kind || known === kind).map(([version]) => plain(version)));
}

/** Completions of a key or a value; null where nothing is known of the place. */
export async function completeField({ state, pos, explicit }, label) {
  const found = await fieldsAt(state.doc, pos, label);
  if (!found) return null;
  const { place, holds } = found;
  const typed = state.sliceDoc(place.from, pos);
  const fields = found.fields ?? (place.path.length === 0 ? HEAD : null);
  const isItem = place.isKey && place.path.at(-1) === "[]" && !found.fields;
  if (place.isKey && !isItem) {
    if (!fields || !/^[\w=+X^<()./-]*$/.test(typed) || (typed === "" && !explicit && !place.isFresh)) return null;
    const from = place.from + (/^[=+X^<]?\(/.exec(typed)?.[0].length ?? 0);
    const to = place.key === null ? pos : place.from + place.key.length;
    return { from, to: Math.max(from, to), options: keyOptions(fields, place), filter: true, validFor: /^\w*$/ };
  }
  const name = place.path.at(-1);
  const isName = ["kind", "apiVersion"].includes(name) || place.path.at(-2) === "kinds";
  const options = isName ? await nameOptions(name, place) : choices(holds ?? "any").map((choice, at) => ({ ...plain(choice), sortText: inOrder(at) }));
  // What is written already is not offered again: Enter shall begin a new line.
  if (options.length === 0 || (!explicit && options.some((option) => option.label === typed))) return null;
  return { from: place.from, options };
}

/** What is to be said of the key at a place. */
export async function explainField(state, pos, label) {
  const found = await fieldsAt(state.doc, pos, label);
  if (!found?.place.isKey || found.place.key === null) return null;
  const { from, key } = found.place;
  const name = withoutAnchor(key);
  const field = found.fields?.[name] ?? (found.place.path.length === 0 ? HEAD[name] : undefined);
  if (!field || pos < from || pos > from + key.length) return null;
  return { from, to: from + key.length, dom: () => fieldCard(name, field) };
}
