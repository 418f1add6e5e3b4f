// The functions of the package over the module's strings: objects in, objects out. Shared by all loaders and both modules.
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

/** `init` over a module: loads it once, from what the caller gives or from its own place. */
export const loaderOf = (engine, place) => {
  let loading;
  return function init(source) {
    loading ??= engine.default({ module_or_path: source ?? place() }).then(
      () => undefined,
      (error) => {
        // The next call may try again.
        loading = undefined;
        throw error;
      },
    );
    return loading;
  };
};

/** The functions over a module; those of `podsieve/tools` are there only where the module has them. */
export const functionsOf = (engine) => ({
  apply(input) {
    return JSON.parse(engine.apply(json(input, "input")));
  },
  decodeShare(text) {
    return JSON.parse(engine.decodeShare(string(text, "text")));
  },
  encodeShare(state) {
    return engine.encodeShare(json(state, "state"));
  },
  evaluate(input) {
    return JSON.parse(engine.evaluate(json(input, "input")));
  },
  explain(input) {
    return JSON.parse(engine.explain(json(input, "input")));
  },
  functions() {
    return JSON.parse(engine.functions());
  },
  jmespath(expression, document) {
    return JSON.parse(engine.jmespath(string(expression, "expression"), json(document, "document")));
  },
  mesh(input, data) {
    return JSON.parse(engine.mesh(json(input, "input"), typeof data === "string" ? data : json(data, "data")));
  },
  psa(input) {
    return JSON.parse(engine.psa(json(input, "input")));
  },
  psp(input) {
    return JSON.parse(engine.psp(json(input, "input")));
  },
  report(input) {
    return JSON.parse(engine.report(json(input, "input")));
  },
  rewrite(input) {
    return JSON.parse(engine.rewrite(json(input, "input")));
  },
  sieve(input) {
    return JSON.parse(engine.sieve(json(input, "input")));
  },
  testFolder(input) {
    return JSON.parse(engine.testFolder(json(input, "input")));
  },
  version() {
    return JSON.parse(engine.version());
  },
});
