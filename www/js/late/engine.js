// What the editors ask the whole engine: about the texts of the page, on the resource whose verdict is chosen.
// In: the texts by label. Out: what the engine says, or why it says nothing.
import { Line } from "../runner.js";

/** What this file says. */
const WORDS = { tooLong: "this takes too long" };

/** The fields of the engine's input, by the labels of their editors. */
export const INPUTS = {
  Policies: "policies",
  Exceptions: "exceptions",
  Request: "context",
  "Kyverno config": "config",
  CRDs: "customResourceDefinitions",
  Resources: "resources",
  "Old resources": "oldResources",
  Cluster: "clusterResources",
  "Image data": "imageData",
};

/** The editor of policies that are compared and not evaluated: they are asked about in place of those that are. */
export const NEW = "New policies";

/** How long the engine may take. */
const LIMIT = 10_000;

/** `Pod default/web` of the page, as the engine wants it. */
function chosen() {
  const [, kind, namespace, name] = /^(\S+) (?:([^/]*)\/)?(.*)$/.exec(document.getElementById("columns")?.dataset.resource ?? "") ?? [];
  return kind ? { kind, namespace: namespace ?? "", name } : undefined;
}

/** A question about a place of an editor's text, with all texts. @param {() => [string, string][]} texts */
export function question(label, texts, at, expression = "") {
  const isNew = label === NEW;
  const fieldOf = (of) => (isNew && of === NEW ? INPUTS.Policies : isNew && of === "Policies" ? undefined : INPUTS[of]);
  const given = texts().filter(([of, text]) => fieldOf(of) && text.trim());
  const input = Object.fromEntries(given.map(([of, text]) => [fieldOf(of), [{ name: of, text }]]));
  return { input: { host: document.getElementById("columns")?.dataset.host, ...input }, place: fieldOf(label), at, expression, resource: chosen() };
}

/** The way to the whole engine, once something was asked. */
let line = null;

/** What a function of the engine says: its output, or why there is none; null where a newer question of its kind has come. */
export function ask(name, input) {
  line ??= new Line("late");
  const found = { output: (text) => JSON.parse(text), failed: (error) => ({ error }), late: () => ({ error: WORDS.tooLong }), replaced: () => null };
  return new Promise((resolve) => {
    line.ask(name, name, JSON.stringify(input), LIMIT, false, (end, text) => resolve(found[end](text)));
  });
}
