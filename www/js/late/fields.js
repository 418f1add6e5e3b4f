// What may stand at a place of a YAML text: keys of its type, values of its field; and what they are for. Types of policies
// are at hand, those of Kubernetes' kinds are loaded when a text first needs them, the common ones apart from the rest.
// In: CodeMirror's document and a place in it. Out: `{holds, fields}`; `holds` is written as in data/policies.json.
import policies from "../../data/policies.json";
import { borders, heading, neighbours, placeAt, shape } from "./place.js";
import { inputs } from "./inputs.js";

/** What this file says. */
const WORDS = { list: (of) => `list of ${of}`, map: (of) => `map of ${of}`, choice: "a choice", or: " or ", plain: "map", manyMaps: ["list of map", "list of maps"] };

const files = new Map();

/** A file beside this one, loaded once; a load that failed is tried again when asked again. */
function file(name) {
  if (!files.has(name)) {
    const loaded = fetch(new URL(`./${name}.json`, import.meta.url)).then((answer) => (answer.ok ? answer.json() : {}));
    files.set(name, loaded.catch(() => files.delete(name) && {}));
  }
  return files.get(name);
}

/** All kinds: `apiVersion kind` and the type of each. */
export async function kinds() {
  const ours = Object.entries(policies.kinds).map(([name, number]) => [name, `#${number}`]);
  const theirs = Object.entries(await file("kubernetes")).map(([name, type]) => [name, `#${type}`]);
  return new Map([...ours, ...theirs]);
}

/** The type of a kind; where there is no version, that of the first kind of this name. */
async function typeOfKind(version, kind) {
  const all = await kinds();
  const found = all.get(`${version} ${kind}`);
  if (found || version) return found ?? null;
  return [...all].find(([name]) => name.endsWith(` ${kind}`))?.[1] ?? null;
}

/** The fields of a type: `{name: [holds, doc]}`. */
export async function fieldsOf(type) {
  const name = type.slice(1);
  if (inputs[name]) return inputs[name];
  if (/^\d+$/.test(name)) return policies.types[name];
  const [, group, last] = /^(.*)\.(\w+)$/.exec(name);
  const types = (await file("kubernetes-common"))[group] ?? (await file("kubernetes-other"))[group];
  return types?.[last] ?? null;
}

/** A key without its anchor: `=(spec)` is `spec`. */
export const withoutAnchor = (key) => /^[=+X^<]?\((.*)\)$/.exec(key)?.[1] ?? key;

const forms = (holds) => holds.replace(/^!/, "").split("|");

/** One step down: `[]` into a list, a name into a map or a type. */
async function below(holds, name) {
  for (const form of forms(holds)) {
    if (name === "[]" && form.startsWith("[]")) return form.slice(2);
    if (name !== "[]" && form.startsWith("{}")) return form.slice(2);
    if (name !== "[]" && form.startsWith("#")) return (await fieldsOf(form))?.[withoutAnchor(name)]?.[0] ?? null;
  }
  return null;
}

/** The lines of the rule that these steps go through, as text. */
function ruleText(doc, steps) {
  const rule = steps.find(({ name }, at) => name === "[]" && steps[at - 1]?.name === "rules");
  if (!rule) return "";
  const lines = [];
  for (let number = rule.line; number <= doc.lines && lines.length < 500; number++) {
    const { text } = doc.line(number);
    if (number > rule.line && shape(text).dashes[0] === rule.column) break;
    lines.push(text);
  }
  return lines.join("\n");
}

/** The type of the first kind that the rule around a place matches. */
export async function matchedType(doc, steps) {
  const [, inLine, below] = /\bkinds:[ \t]*(?:\[([^\]]*)\]|#.*)?((?:\s*\n\s*-\s+\S+.*)*)/.exec(ruleText(doc, steps)) ?? [];
  const first = (inLine ?? below?.replace(/^\s*-/, "").split("\n")[0] ?? "").split(",")[0];
  const parts = first.trim().replace(/["']/g, "").split("/").filter((part) => /^[A-Z]/.test(part));
  return parts.length > 0 ? typeOfKind("", parts[0]) : null;
}

/** Fields that hold a piece of the resource that the rule is about, and one that holds a new one. */
const PIECES = { pattern: "", anyPattern: "[]", patchStrategicMerge: "", data: "" };

/** What a piece of the resource holds: the resource itself, or in a loop the element of its list. */
async function piece(doc, steps, at, name) {
  const { line, column } = steps[at];
  const beside = name === "data" ? neighbours(doc, line, column) : null;
  if (beside) return typeOfKind(beside.get("apiVersion") ?? "", beside.get("kind") ?? "");
  const resource = await matchedType(doc, steps);
  if (!resource) return null;
  const isLoop = steps.slice(0, at).some((step) => step.name === "foreach") && name !== "patchStrategicMerge";
  if (!isLoop) return PIECES[name] + resource;
  const lists = [...ruleText(doc, steps).matchAll(/\blist:\s*["']?request\.object\.([\w.]+)(?:\[\])?["']?\s*$/gm)];
  if (lists.length !== 1) return null;
  const element = await walk(resource, [...lists[0][1].split("."), "[]"]);
  return element && PIECES[name] + element;
}

/** What stands at the end of a path. */
export async function walk(holds, path) {
  for (const name of path) holds = holds && (await below(holds, name));
  return holds;
}

/** What stands at a place of a document, whose kind is told by its head; `null` where nobody knows. */
export async function holdsAt(doc, place, label) {
  const head = heading(doc, borders(doc, place.steps[0]?.line ?? doc.lineAt(place.from).number));
  let holds = inputs[label] ? `#${label}` : await typeOfKind(head.apiVersion ?? "", head.kind ?? "");
  for (const [at, name] of place.path.entries()) {
    if (!holds) return null;
    const isPiece = name in PIECES && place.path.includes("rules") && !place.path.includes("context");
    holds = isPiece ? await piece(doc, place.steps, at, name) : await below(holds, name);
  }
  return holds;
}

/** The place of a position, with what it holds and, if that is a type, its fields. */
export async function fieldsAt(doc, pos, label) {
  const place = placeAt(doc, pos);
  if (!place || place.isText) return null;
  const holds = await holdsAt(doc, place, label);
  const type = holds && forms(holds).find((form) => form.startsWith("#"));
  return { place, holds, fields: type ? await fieldsOf(type) : null };
}

/** In words what a field holds: `list of Container`. */
export function inWords(holds) {
  const word = (form) => {
    if (form.startsWith("[]")) return WORDS.list(word(form.slice(2)));
    if (form.startsWith("{}")) return WORDS.map(word(form.slice(2)));
    if (form.startsWith("=")) return form.slice(1).split(",").length > 3 ? WORDS.choice : form.slice(1).replaceAll(",", WORDS.or);
    if (/^#\d+$/.test(form)) return WORDS.plain;
    return form.startsWith("#") ? form.replace(/^.*[.#]/, "") : form;
  };
  return forms(holds).map(word).join(WORDS.or).replace(...WORDS.manyMaps);
}

/** The texts that a field may hold, where they are known. */
export function choices(holds) {
  const form = forms(holds)[0];
  if (form === "boolean") return ["true", "false"];
  return form.startsWith("=") ? form.slice(1).split(",") : [];
}
