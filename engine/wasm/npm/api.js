// The functions of the package over the module's strings: objects in, objects out. Shared by all loaders and both modules.
/** More characters than this do not cross: the module reads them into a memory of 4 GiB at most, some times as large. */
const MOST_CHARACTERS = 2 ** 27;
const checked = (text, name) => {
  if (text.length <= MOST_CHARACTERS) return text;
  throw new RangeError(`${name} has ${text.length} characters, podsieve takes ${MOST_CHARACTERS} at most: give it less at once`);
};

/** A value for the module; what is missing or of another type is told before it gets there. */
const json = (value, name) => {
  let text;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    // Longer than any string of the host.
    if (error instanceof RangeError) throw new RangeError(`${name} is too large to be written as JSON: give podsieve less at once`, { cause: error });
    // Two lines and more, where the host draws the circle.
    const [why] = String(error?.message).split("\n");
    throw new TypeError(`${name} cannot be written as JSON, as it holds itself or what JSON has no word for: ${why}`, { cause: error });
  }
  if (text === undefined) throw new TypeError(`${name} is missing`);
  return checked(text, name);
};
const string = (value, name) => {
  if (typeof value !== "string") throw new TypeError(`${name} must be a string, this is ${value === null ? "null" : typeof value}`);
  return checked(value, name);
};

/** The fields of an input that hold texts: YAML as it is, or with a name that comes back in ranges and messages. */
const TEXTS = [
  "policies", "old", "new", "resources", "oldResources", "exceptions", "clusterResources", "parameters", "payloads",
  "httpPayloads", "envoyPayloads", "values", "userInfo", "context", "config",
  "customResourceDefinitions", "imageData", "admissionConfig",
];
const HOSTS = ["cli", "playground", "cluster"];
/** The fields that are true or false, and those that are one word. */
const FLAGS = ["trace", "noMatch", "asWritten", "noEdits", "reads", "rules", "enforced", "noCompare"];
const WORDS = ["version", "user", "kubernetesVersion", "rule", "form", "mesh", "ask", "level", "to"];
/** Half a surrogate pair is not a text: the module reads U+FFFD in its place, which is as long. */
const wellFormed = (text) => text.toWellFormed?.() ?? text;
const listed = (texts, field) =>
  (Array.isArray(texts) ? texts : [texts]).map((text, at, all) => {
    const name = all.length > 1 ? `${field} ${at + 1}` : field;
    if (typeof text === "string") return { name, text: wellFormed(text) };
    if (typeof text?.text === "string") return { ...text, name: text.name == null ? name : string(text.name, `the name of ${name}`), text: wellFormed(text.text) };
    const isBytes = ArrayBuffer.isView(text) || ArrayBuffer.isView(text?.text);
    throw new TypeError(`${name} must be YAML as a string, or { name, text } with such a string${isBytes ? "; these are bytes: toString() makes a string of a Buffer" : ""}`);
  });
/** An input whose texts all have names, as the module wants it. */
const named = (input, isInner = false) => {
  if (input === undefined) throw new TypeError("input is missing");
  // A `Map` has no fields either: it would be an empty input.
  if (typeof input !== "object" || input === null || Symbol.iterator in input) throw new TypeError("input must be an object with fields");
  const whole = { ...input };
  for (const field of TEXTS) whole[field] = whole[field] == null ? undefined : listed(whole[field], field);
  if (whole.host != null && !HOSTS.includes(whole.host)) throw new TypeError(`host must be one of ${HOSTS.join(", ")}`);
  for (const field of FLAGS) if (whole[field] != null && typeof whole[field] !== "boolean") throw new TypeError(`${field} must be true or false`);
  for (const field of WORDS) if (whole[field] != null) string(whole[field], field);
  const characters = TEXTS.flatMap((field) => whole[field] ?? []).reduce((sum, { text }) => sum + text.length, 0);
  if (characters > MOST_CHARACTERS) {
    throw new RangeError(`the texts have ${characters} characters, podsieve takes ${MOST_CHARACTERS} at most: give it less at once`);
  }
  // One input is within that of some functions, and none within that one.
  if (whole.input != null && !isInner) whole.input = named(whole.input, true);
  return whole;
};
const written = (input) => json(named(input), "input");

/** How many characters two names begin with in common. */
const shared = (one, other) => {
  let count = 0;
  while (count < one.length && one[count].toLowerCase() === other[count]?.toLowerCase()) count += 1;
  return count;
};
/** What the module says of an input of the wrong shape, with the field that was most likely meant. */
const misshapen = (error) => {
  const [, field, known = ""] = /^input: unknown field `(.*)`, expected (.*)$/s.exec(error.message) ?? [];
  const [near] = [...known.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort((one, other) => shared(field, other) - shared(field, one));
  const hint = near !== undefined && shared(field, near) * 2 >= near.length ? `; did you mean \`${near}\`?` : "";
  return new TypeError(error.message + hint, { cause: error });
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

/** An instance with more memory than this is let go after its answer: WebAssembly gives none of it back. */
const MOST_BYTES = 2 ** 29;

/** Calls into a module: where a call stops halfway, the next one finds a new instance of it. */
const callerOf = (engine) => {
  /** The next call begins with a new instance. */
  let isSpent = false;
  const renew = () => {
    engine.__wbg_reset_state();
    isSpent = false;
  };
  /** At once, so that the memory of the old instance is free. */
  const letGo = () => {
    isSpent = true;
    try {
      renew();
    } catch {
      // The next call tries again.
    }
  };
  return (name, ...texts) => {
    if (isSpent) renew();
    try {
      const answer = engine[name](...texts);
      if (engine.instanceMemory().buffer.byteLength > MOST_BYTES) letGo();
      return answer;
    } catch (error) {
      // The loader has nothing to call yet; all that reaches the module is text, of which none is of a wrong type.
      if (error instanceof TypeError) throw new Error("podsieve is not loaded yet: `await init()` comes first", { cause: error });
      if (!isPanic(error) && !isTrap(error)) throw error.message?.startsWith("input: ") ? misshapen(error) : error;
      letGo();
      if (isPanic(error)) throw error;
      throw new Error(
        `podsieve stopped within ${name}(), most likely as its memory is exhausted (${error.message}): give it less at once, ` +
          "or report it where that is little; the next call begins anew",
        { cause: error },
      );
    }
  };
};

/** The functions over a module; those of `podsieve/tools`, `podsieve/cel` and `podsieve/compare` are there only where the module has them. */
export const functionsOf = (engine) => {
  const call = callerOf(engine);
  /** A question that takes long; what the caller's function throws is thrown once the module has ended its search. */
  const search = (name, input, onProgress) => {
    if (onProgress != null && typeof onProgress !== "function") throw new TypeError("onProgress must be a function");
    const thrown = [];
    const hear = (count) => {
      try {
        return onProgress(count);
      } catch (error) {
        thrown.push(error);
        return false;
      }
    };
    const answer = call(name, written(input), onProgress == null ? undefined : hear);
    if (thrown.length > 0) throw thrown[0];
    return JSON.parse(answer);
  };
  return {
    cel(input) {
      if (typeof input !== "object" || input === null || Symbol.iterator in input) throw new TypeError("input must be an object with fields");
      const { expression, ...rest } = input;
      return JSON.parse(call("cel", json({ expression: wellFormed(string(expression, "expression")), ...rest }, "input")));
    },
    apply(input) {
      return JSON.parse(call("apply", written(input)));
    },
    checkResources(input) {
      return JSON.parse(call("checkResources", written(input)));
    },
    compare(input, onProgress) {
      return search("compare", input, onProgress);
    },
    convert(input, onProgress) {
      return search("convert", input, onProgress);
    },
    decodeShare(text) {
      return JSON.parse(call("decodeShare", string(text, "text")));
    },
    encodeShare(state) {
      return call("encodeShare", json(state, "state"));
    },
    evaluate(input) {
      return JSON.parse(call("evaluate", written(input)));
    },
    explain(input) {
      return JSON.parse(call("explain", written(input)));
    },
    functions() {
      return JSON.parse(call("functions"));
    },
    jmespath(expression, document) {
      return JSON.parse(call("jmespath", string(expression, "expression"), json(document, "document")));
    },
    mesh(input, data) {
      return JSON.parse(call("mesh", written(input), typeof data === "string" ? data : json(data, "data")));
    },
    psa(input) {
      return JSON.parse(call("psa", written(input)));
    },
    psp(input) {
      return JSON.parse(call("psp", written(input)));
    },
    report(input) {
      return JSON.parse(call("report", written(input)));
    },
    rewrite(input) {
      return JSON.parse(call("rewrite", json(input, "input")));
    },
    sieve(input) {
      return JSON.parse(call("sieve", written(input)));
    },
    testFolder(input) {
      return JSON.parse(call("testFolder", written(input)));
    },
    version() {
      return JSON.parse(call("version"));
    },
  };
};
