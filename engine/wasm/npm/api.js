// The functions of the package over the module's strings: objects in, objects out. Shared by all loaders.
import * as engine from "./engine.js";

/** A value for the module; what is missing or of another type is told before it gets there. */
const json = (value, name) => {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`${name} is missing`);
  return text;
};
const string = (value, name) => {
  if (typeof value !== "string") throw new TypeError(`${name} must be a string, this is ${value === null ? "null" : typeof value}`);
  return value;
};

export function apply(input) {
  return JSON.parse(engine.apply(json(input, "input")));
}

export function decodeShare(text) {
  return JSON.parse(engine.decodeShare(string(text, "text")));
}

export function encodeShare(state) {
  return engine.encodeShare(json(state, "state"));
}

export function explain(input) {
  return JSON.parse(engine.explain(json(input, "input")));
}

export function functions() {
  return JSON.parse(engine.functions());
}

export function jmespath(expression, document) {
  return JSON.parse(engine.jmespath(string(expression, "expression"), json(document, "document")));
}

export function mesh(input, data) {
  return JSON.parse(engine.mesh(json(input, "input"), typeof data === "string" ? data : json(data, "data")));
}

export function psa(input) {
  return JSON.parse(engine.psa(json(input, "input")));
}

export function psp(input) {
  return JSON.parse(engine.psp(json(input, "input")));
}

export function report(input) {
  return JSON.parse(engine.report(json(input, "input")));
}

export function sieve(input) {
  return JSON.parse(engine.sieve(json(input, "input")));
}

export function testFolder(input) {
  return JSON.parse(engine.testFolder(json(input, "input")));
}

export function version() {
  return JSON.parse(engine.version());
}
