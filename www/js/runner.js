// The engine's workers as the page sees them: a `Line` takes questions and gives each one answer.
// This file is loaded first and starts a worker at once, so that the engine loads beside the page, not after it.
// The first worker compiles the module and hands it back; a worker that follows it gets it ready-made.

/** What this file says. */
const WORDS = {
  noWorker: "the engine's worker could not be started",
  noView: "This view could not be loaded; is there a network?",
  noStart: (why) => `The page could not start: ${why}. A browser of 2023 or newer is needed.`,
};

/** Only what this policy lets through runs on the page (`require-trusted-types-for` in index.html): its own files. */
const policy = globalThis.trustedTypes?.createPolicy("podsieve", {
  createScriptURL(address) {
    if (new URL(address).origin === location.origin) return address;
    throw new TypeError(address);
  },
});

/** The address of a script, as browsers with and without such policies take it. @param {string} name @param {string} base */
export function script(name, base) {
  const { href } = new URL(name, base);
  return policy?.createScriptURL(href) ?? href;
}

/** What the first visit needs, the whole engine for what is asked late, and what compares; each with its module once that is compiled. */
const engineOf = (file, name) => ({ open: () => new Worker(script(file, import.meta.url), { type: "module", name }), module: null });
const engines = {
  first: engineOf("./worker.js", "engine"),
  late: engineOf("./late/worker.js", "late"),
  comparison: engineOf("./late/compare.js", "comparison"),
};
const { first } = engines;
let ahead = spawn(first);

function spawn(engine) {
  const worker = engine.open();
  worker.postMessage({ start: true, module: engine.module });
  worker.addEventListener("message", ({ data }) => {
    if (data.kind === "module") engine.module = data.module;
  });
  return worker;
}

let answer;
/** Kept once the first question has its answer. */
export const answered = new Promise((resolve) => (answer = resolve));

/** A worker and what is asked of it: one question at a time, of each kind the newest; a run without end ends with its worker. */
export class Line {
  #engine;
  #worker = null;
  #busy = null;
  #waiting = [];
  #serial = 0;

  /** @param {"first" | "late" | "comparison"} name which engine is asked */
  constructor(name) {
    this.#engine = engines[name];
  }

  /**
   * Called from `playground/src/worker.rs`, `playground/src/late/engine.rs` and `playground/src/late/compare/search.rs` too, which name these arguments in this order:
   * what changes here changes there.
   * @param {string} kind a newer question of this kind takes the place of the one that waits
   * @param {string} name a function of the engine's module @param {string | string[]} input its input, mostly JSON; or a list, each of which is asked about
   * @param {number} limit milliseconds that the run may take @param {boolean} isUrgent whether it goes before those that wait
   * @param {(end: string, text: string, millis: number) => void} onReply called once; end is `output` (text: what was asked
   *   for, of a list a list), `failed` (text: why), `late` (the limit is over), `stopped` (by `stop`) or `replaced` (by a newer one);
   *   of what compares it is called before with `progress` (text: how many requests were tried)
   */
  ask(kind, name, input, limit, isUrgent, onReply) {
    const replaced = this.#waiting.filter((other) => other.kind === kind);
    this.#waiting = this.#waiting.filter((other) => other.kind !== kind);
    const question = { kind, name, input, limit, onReply, timer: 0, serial: ++this.#serial };
    if (isUrgent) this.#waiting.unshift(question);
    else this.#waiting.push(question);
    for (const other of replaced) other.onReply("replaced", "", 0);
    this.#proceed();
  }

  /** Hands a waiting question to the worker if it is free. */
  #proceed() {
    if (this.#busy || this.#waiting.length === 0) return;
    this.#busy = this.#waiting.shift();
    this.#worker ??= this.#open();
    const { serial, name: ask, input } = this.#busy;
    this.#worker.postMessage({ serial, ask, input });
  }

  #open() {
    const worker = (this.#engine === first && ahead) || spawn(this.#engine);
    if (worker === ahead) ahead = null;
    worker.onmessage = ({ data: { kind, serial, text, millis } }) => {
      if (serial !== this.#busy?.serial) return;
      if (kind === "begun") this.#busy.timer = setTimeout(() => this.#stop("late", ""), this.#busy.limit);
      else if (kind === "progress") this.#busy.onReply(kind, text, millis);
      else this.#reply(kind, text, millis);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.#stop("failed", event.message || WORDS.noWorker);
    };
    return worker;
  }

  #reply(end, text, millis) {
    const question = this.#busy;
    this.#busy = null;
    clearTimeout(question?.timer);
    try {
      question?.onReply(end, text, millis);
    } finally {
      answer();
      this.#proceed();
    }
  }

  #stop(end, text) {
    this.end();
    this.#reply(end, text, 0);
  }

  /** Ends the question that is being answered with its worker. */
  stop() {
    if (this.#busy) this.#stop("stopped", "");
  }

  /** Ends the worker; the next question starts another. */
  end() {
    if (!this.#worker) return;
    this.#worker.onmessage = this.#worker.onerror = null;
    this.#worker.terminate();
    this.#worker = null;
  }
}

/** How long so many texts, of so many characters, may take to be read at once. */
const READING = { millis: 5000, texts: 1000, characters: 250_000 };

/**
 * The documents of each of these YAML texts, read by a worker that ends with them; null for texts that cannot be read.
 * @param {(count: number) => void} onRead hears how many are read
 */
export async function readYaml(texts, onRead = () => {}) {
  const line = new Line("first");
  const read = (some) => new Promise((resolve) => {
    const take = (end, found) => resolve(end === "output" ? found.map((one) => JSON.parse(one)) : some.map(() => null));
    line.ask("readYaml", "readYaml", some, READING.millis, false, take);
  });
  const found = [];
  while (found.length < texts.length) {
    let [end, characters] = [found.length, 0];
    do characters += texts[end++].length;
    while (end < texts.length && end - found.length < READING.texts && characters + texts[end].length < READING.characters);
    found.push(...(await read(texts.slice(found.length, end))));
    onRead(found.length);
  }
  line.end();
  return found;
}

/** The texts of all samples, by id, once one is asked for. */
let samples = null;

/** The text of a sample; empty where it cannot be had. @param {string} id @param {(text: string) => void} then */
export function readSample(id, then) {
  const fail = () => (samples = null);
  samples ??= fetch(new URL("./late/samples.json", import.meta.url)).then((found) => (found.ok ? found.json() : fail()), fail);
  samples.then((texts) => texts?.[id] ?? "", () => "").then(then);
}

/** What draws the views that load late, once it is asked for. */
let views = null;

/** @param {Element} place @param {string} json what is to be drawn @param {(ask: string, text: string) => void} onAsk */
export function draw(place, json, onAsk) {
  views ??= import("./late/views.js");
  views.then(
    (module) => place.isConnected && module.draw(place, json, onAsk),
    () => {
      views = null;
      place.textContent = WORDS.noView;
    },
  );
}

/** To be called when the place goes. */
export function erase(place) {
  views?.then((module) => module.erase(place), () => {});
}

/** Says on the page, as text, that it could not start. */
export function announceFailure(error) {
  const place = document.getElementById("app");
  const words = document.createElement("p");
  words.className = "waiting";
  words.textContent = WORDS.noStart(error?.message ?? error);
  place.replaceChildren(words);
  throw error;
}
