// The engine in its own thread: texts in, verdict out. A run that never ends is ended with the thread.
// Built twice: with what the first visit needs, and with the whole engine for what is asked late.
import init, * as engine from "#engine";

/** What this file says. */
const WORDS = {
  unloaded: (status) => `the engine could not be loaded (HTTP status ${status})`,
  missing: (file) => `${file} could not be loaded`,
};

/** The functions of the module; not each module has each. */
const functions = { ...engine };

let begin;
const ready = new Promise((resolve) => (begin = resolve));

// A failure is told to whoever asks first.
ready.catch(() => {});

/** Compiles the module while it loads; afterwards where the host does not say that it is WebAssembly. */
async function compile(address) {
  const found = await fetch(address);
  if (!found.ok) throw new Error(WORDS.unloaded(found.status));
  const canStream = found.headers.get("content-type") === "application/wasm";
  return canStream ? WebAssembly.compileStreaming(found) : WebAssembly.compile(await found.arrayBuffer());
}

/** Instantiates the module that an earlier worker compiled, or compiles it. */
async function load(known) {
  const module = known ?? (await compile(new URL(__MODULE__, import.meta.url)));
  await init({ module_or_path: module });
  // What is drawn has bounds, so that no text of a stranger keeps the page from answering; what compares draws the beginning alone.
  functions.forPage?.();
  if (!known) self.postMessage({ kind: "module", module });
}

/** How often a first question is answered again, and in how many milliseconds; none that takes longer than `QUICK`. */
const [TIMES, MILLIS, QUICK] = [150, 700, 60];

/** How many milliseconds after its answer: the page draws the verdict and makes its editors first. */
const AFTER = 1000;

/**
 * A browser compiles a module quickly first and well only where it runs often. While nobody asks, the first question is
 * answered a few times more, for nobody, so that the first keys are as quick as the later ones.
 */
async function warm(input) {
  await new Promise((resolve) => setTimeout(resolve, AFTER));
  const start = performance.now();
  for (let time = 0; time < TIMES && performance.now() - start < MILLIS; time++) {
    functions.changes(input);
    // A question that has come meanwhile goes first.
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/** What else a function is given: what meshes inject is a file of its own. */
const file = (name) => fetch(new URL(name, import.meta.url)).then((found) => (found.ok ? found.text() : Promise.reject(new Error(WORDS.missing(name)))));
const data = {};

let isWarm = false;

self.onmessage = async ({ data: message }) => {
  if (message.start) {
    begin(load(message.module));
    return;
  }
  /** `ask` names a function of the module: text in, JSON out; of several texts a list of what came of them. */
  const { serial, ask, input } = message;
  try {
    await ready;
    if (ask === "mesh") data.mesh ??= await file("./mesh.json");
    self.postMessage({ kind: "begun", serial, text: "", millis: 0 });
    const start = performance.now();
    // Who compares hears how many requests were tried.
    data.compare = data.convert = (count) => void self.postMessage({ kind: "progress", serial, text: String(count), millis: 0 });
    const text = Array.isArray(input) ? input.map((one) => functions[ask](one)) : functions[ask](input, data[ask]);
    const millis = performance.now() - start;
    self.postMessage({ kind: "output", serial, text, millis });
    if (ask === "changes" && !isWarm) {
      isWarm = true;
      if (millis < QUICK) await warm(input);
    }
  } catch (error) {
    self.postMessage({ kind: "failed", serial, text: String(error?.message ?? error), millis: 0 });
  }
};
