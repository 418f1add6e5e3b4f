// The engine's worker as the app sees it: `connect` gives something that takes inputs and can be ended.
// This file is loaded first and starts the worker at once, so that the engine loads beside the page, not after it.
// The first worker compiles the module and hands it back; a worker that follows it gets it ready-made.

let compiled = null;
let ahead = spawn();

function spawn() {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "engine" });
  worker.postMessage({ start: true, module: compiled });
  worker.addEventListener("message", ({ data }) => {
    if (data.kind === "module") compiled = data.module;
  });
  return worker;
}

/**
 * @param {(kind: string, serial: number, text: string, millis: number) => void} onReply
 *   kind is `begun`, then `output` (text: Output or PsaOutput as JSON) or `failed` (text: why).
 */
export function connect(onReply) {
  const worker = ahead ?? spawn();
  ahead = null;
  let last = 0;
  worker.onmessage = ({ data }) => {
    if (data.kind !== "module") onReply(data.kind, data.serial, data.text, data.millis);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    onReply("failed", last, event.message || "the engine's worker could not be started", 0);
  };
  return {
    /** @param {number} serial @param {"apply" | "psa"} ask @param {string} input its input as JSON */
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
  const worker = spawn();
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
    worker.postMessage({ serial: 0, ask: "yaml", input: text });
  }).finally(() => worker.terminate());
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
