// The engine's worker as the app sees it: `connect` gives something that takes inputs and can be ended.
// The module is compiled once, here, while it loads; each new worker gets it ready-made, so a restart is quick.

const compiled = WebAssembly.compileStreaming(fetch(new URL("./engine_bg.wasm", import.meta.url)));
// The first worker starts before anybody asks for it.
let ahead = spawn();

function spawn() {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "engine" });
  compiled.then((module) => worker.postMessage({ module }), () => {});
  return worker;
}

/**
 * @param {(kind: string, serial: number, text: string, millis: number) => void} onReply
 *   kind is `begun`, then `output` (text: Output as JSON) or `failed` (text: why).
 */
export function connect(onReply) {
  const worker = ahead ?? spawn();
  ahead = null;
  let last = 0;
  const failed = (why) => onReply("failed", last, String(why?.message ?? why), 0);
  compiled.catch((error) => failed(`the engine could not be loaded: ${error?.message ?? error}`));
  worker.onmessage = ({ data }) => onReply(data.kind, data.serial, data.text, data.millis);
  worker.onerror = (event) => {
    event.preventDefault();
    failed(event.message || "the engine's worker could not be started");
  };
  return {
    /** @param {number} serial @param {string} input the Input as JSON */
    send(serial, input) {
      last = serial;
      worker.postMessage({ serial, input });
    },
    stop() {
      worker.onmessage = worker.onerror = null;
      worker.terminate();
    },
  };
}

/** Says on the page, as text, that it could not start. */
export function announceFailure(error) {
  const place = document.getElementById("app");
  const words = document.createElement("p");
  words.className = "waiting";
  words.textContent = `The page could not start: ${error?.message ?? error}. A browser of 2022 or newer is needed.`;
  place.replaceChildren(words);
  throw error;
}
