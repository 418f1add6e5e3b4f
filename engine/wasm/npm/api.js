// The functions of the package over the module's strings: objects in, objects out. Shared by all loaders.
import * as engine from "./engine.js";

export function apply(input) {
  return JSON.parse(engine.apply(JSON.stringify(input)));
}

export function decodeShare(text) {
  return JSON.parse(engine.decodeShare(text));
}

export function encodeShare(state) {
  return engine.encodeShare(JSON.stringify(state));
}

export function explain(input) {
  return JSON.parse(engine.explain(JSON.stringify(input)));
}

export function functions() {
  return JSON.parse(engine.functions());
}

export function jmespath(expression, document) {
  return JSON.parse(engine.jmespath(expression, JSON.stringify(document)));
}

export function mesh(input, data) {
  return JSON.parse(engine.mesh(JSON.stringify(input), typeof data === "string" ? data : JSON.stringify(data)));
}

export function psa(input) {
  return JSON.parse(engine.psa(JSON.stringify(input)));
}

export function psp(input) {
  return JSON.parse(engine.psp(JSON.stringify(input)));
}

export function report(input) {
  return JSON.parse(engine.report(JSON.stringify(input)));
}

export function sieve(input) {
  return JSON.parse(engine.sieve(JSON.stringify(input)));
}

export function testFolder(input) {
  return JSON.parse(engine.testFolder(JSON.stringify(input)));
}

export function version() {
  return JSON.parse(engine.version());
}
