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

/** The fields of an input that hold texts: YAML as it is, or with a name that comes back in ranges and messages. */
const TEXTS = [
  "policies", "resources", "oldResources", "exceptions", "clusterResources", "values", "userInfo", "context", "config",
  "customResourceDefinitions", "imageData", "admissionConfig",
];
const HOSTS = ["cli", "playground"];
/** Half a surrogate pair is no text: the module reads U+FFFD in its place, which is as long. */
const wellFormed = (text) => text.toWellFormed?.() ?? text;
const listed = (texts, field) =>
  (Array.isArray(texts) ? texts : [texts]).map((text, at, all) => {
    const name = all.length > 1 ? `${field} ${at + 1}` : field;
    if (typeof text === "string") return { name, text: wellFormed(text) };
    if (typeof text?.text === "string") return { ...text, name: text.name ?? name, text: wellFormed(text.text) };
    throw new TypeError(`${name} must be YAML as a string, or { name, text } with such a string`);
  });
/** An input whose texts all have names, as the module wants it. */
const named = (input) => {
  if (input === undefined) throw new TypeError("input is missing");
  // A `Map` has no fields either: it would be an empty input.
  if (typeof input !== "object" || input === null || Symbol.iterator in input) throw new TypeError("input must be an object with fields");
  const whole = { ...input };
  for (const field of TEXTS) whole[field] = whole[field] == null ? undefined : listed(whole[field], field);
  if (whole.host != null && !HOSTS.includes(whole.host)) throw new TypeError(`host must be one of ${HOSTS.join(", ")}`);
  if (whole.input != null) whole.input = named(whole.input);
  return whole;
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

/** A panic, which the module tells by itself: after it the instance is not to be trusted either. */
const isPanic = (error) => error instanceof Error && error.message.startsWith("podsieve has a fault");
/** What the host throws where memory or stack are exhausted, or where the module went astray. */
const isTrap = (error) => error instanceof WebAssembly.RuntimeError || error instanceof RangeError || error?.name === "InternalError";

/** Calls into a module: where a call stops halfway, the next one finds a new instance of it. */
const callerOf = (engine) => {
  let isBroken = false;
  const renew = () => {
    engine.__wbg_reset_state();
    isBroken = false;
  };
  return (name, ...texts) => {
    if (isBroken) renew();
    try {
      return engine[name](...texts);
    } catch (error) {
      // The loader has nothing to call yet; all that reaches the module is text, of which none is of a wrong type.
      if (error instanceof TypeError) throw new Error("podsieve is not loaded yet: `await init()` comes first", { cause: error });
      if (!isPanic(error) && !isTrap(error)) throw error;
      isBroken = true;
      try {
        // At once, so that the memory of the old instance is free.
        renew();
      } catch {
        // The next call tries again.
      }
      if (isPanic(error)) throw error;
      throw new Error(
        `podsieve stopped within ${name}(), most likely as its memory is exhausted (${error.message}): give it less at once, ` +
          "or report it where that is little; the next call begins anew",
        { cause: error },
      );
    }
  };
};

/** The functions over a module; those of `podsieve/tools` are there only where the module has them. */
export const functionsOf = (engine) => {
  const call = callerOf(engine);
  return {
    apply(input) {
      return JSON.parse(call("apply", JSON.stringify(named(input))));
    },
    decodeShare(text) {
      return JSON.parse(call("decodeShare", string(text, "text")));
    },
    encodeShare(state) {
      return call("encodeShare", json(state, "state"));
    },
    evaluate(input) {
      return JSON.parse(call("evaluate", JSON.stringify(named(input))));
    },
    explain(input) {
      return JSON.parse(call("explain", JSON.stringify(named(input))));
    },
    functions() {
      return JSON.parse(call("functions"));
    },
    jmespath(expression, document) {
      return JSON.parse(call("jmespath", string(expression, "expression"), json(document, "document")));
    },
    mesh(input, data) {
      return JSON.parse(call("mesh", JSON.stringify(named(input)), typeof data === "string" ? data : json(data, "data")));
    },
    psa(input) {
      return JSON.parse(call("psa", JSON.stringify(named(input))));
    },
    psp(input) {
      return JSON.parse(call("psp", JSON.stringify(named(input))));
    },
    report(input) {
      return JSON.parse(call("report", JSON.stringify(named(input))));
    },
    rewrite(input) {
      return JSON.parse(call("rewrite", json(input, "input")));
    },
    sieve(input) {
      return JSON.parse(call("sieve", JSON.stringify(named(input))));
    },
    testFolder(input) {
      return JSON.parse(call("testFolder", JSON.stringify(named(input))));
    },
    version() {
      return JSON.parse(call("version"));
    },
  };
};
