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

/** How long the engine may take. */
const LIMIT = 10_000;

/** `Pod default/web` of the page, as the engine wants it. */
function chosen() {
  const [, kind, namespace, name] = /^(\S+) (?:([^/]*)\/)?(.*)$/.exec(document.getElementById("columns")?.dataset.resource ?? "") ?? [];
  return kind ? { kind, namespace: namespace ?? "", name } : undefined;
}

/** A question about a place of an editor's text, with all texts. @param {() => [string, string][]} texts */
export function question(label, texts, at, expression = "") {
  const given = texts().filter(([label, text]) => INPUTS[label] && text.trim());
  const input = Object.fromEntries(given.map(([label, text]) => [INPUTS[label], [{ name: label, text }]]));
  return { input: { host: "playground", ...input }, place: INPUTS[label], at, expression, resource: chosen() };
}

/** The way to the whole engine, once something was asked. */
let line = null;

/** What a function of the engine says: its output, or why there is none; null where a newer question of its kind has come. */
export function ask(name, input) {
  line ??= new Line(true);
  const found = { output: (text) => JSON.parse(text), failed: (error) => ({ error }), late: () => ({ error: WORDS.tooLong }), replaced: () => null };
  return new Promise((resolve) => {
    line.ask(name, name, JSON.stringify(input), LIMIT, false, (end, text) => resolve(found[end](text)));
  });
}
