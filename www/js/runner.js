// The engine's worker as the app sees it: `connect` gives something that takes inputs and can be ended.
// This file is loaded first and starts the worker at once, so that the engine loads beside the page, not after it.
// The first worker compiles the module and hands it back; a worker that follows it gets it ready-made.

/** What the first visit needs, and the whole engine for what is asked late; with the module once it is compiled. */
const first = { open: () => new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "engine" }), module: null };
const late = { open: () => new Worker(new URL("./late/worker.js", import.meta.url), { type: "module", name: "late" }), module: null };
let ahead = spawn(first);

function spawn(engine) {
  const worker = engine.open();
  worker.postMessage({ start: true, module: engine.module });
  worker.addEventListener("message", ({ data }) => {
    if (data.kind === "module") engine.module = data.module;
  });
  return worker;
}

/**
 * @param {boolean} isLate whether it is asked what the first visit does not need
 * @param {(kind: string, serial: number, text: string, millis: number) => void} onReply
 *   kind is `begun`, then `output` (text: what was asked for, as JSON) or `failed` (text: why).
 */
export function connect(isLate, onReply) {
  const worker = isLate ? spawn(late) : (ahead ?? spawn(first));
  if (!isLate) ahead = null;
  let last = 0;
  worker.onmessage = ({ data }) => {
    if (data.kind !== "module") onReply(data.kind, data.serial, data.text, data.millis);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    onReply("failed", last, event.message || "the engine's worker could not be started", 0);
  };
  return {
    /** @param {number} serial @param {string} ask a function of the engine's module @param {string} input its input as JSON */
    send(serial, ask, input) {
      last = serial;
      worker.postMessage({ serial, ask, input });
    },
    stop() {
      worker.onmessage = worker.onerror = null;
      worker.terminate();
    },
  };
}

/** How long a text may take to be read. */
const READING_MILLIS = 5000;

/** The documents of a YAML text, read by a worker that ends with it; null where it cannot be read. */
export function readYaml(text) {
  const worker = spawn(first);
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, READING_MILLIS, null);
    const end = (found) => {
      clearTimeout(timer);
      resolve(found);
    };
    worker.onmessage = ({ data }) => {
      if (data.kind === "output") end(JSON.parse(data.text));
      if (data.kind === "failed") end(null);
    };
    worker.onerror = () => end(null);
    worker.postMessage({ serial: 0, ask: "readYaml", input: text });
  }).finally(() => worker.terminate());
}

/** The text of a sample; empty where it cannot be had. @param {string} id @param {(text: string) => void} then */
export function readSample(id, then) {
  const text = (found) => (found.ok ? found.text() : "");
  fetch(new URL(`./late/samples/${id}.md`, import.meta.url)).then(text).catch(() => "").then(then);
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
      place.textContent = "This view could not be loaded; is there a network?";
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
  words.textContent = `The page could not start: ${error?.message ?? error}. A browser of 2023 or newer is needed.`;
  place.replaceChildren(words);
  throw error;
}
