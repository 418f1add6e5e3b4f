// The engine in its own thread: texts in, verdict out. A run that never ends is ended with the thread.
import init, { apply, psa, readYaml } from "#engine";

/** What can be asked: text in, JSON out. */
const answers = { apply, psa, yaml: readYaml };

let begin;
const ready = new Promise((resolve) => (begin = resolve));

/** Instantiates the module that an earlier worker compiled, or compiles it while it loads. */
async function load(known) {
  const module = known ?? (await WebAssembly.compileStreaming(fetch(new URL("./engine_bg.wasm", import.meta.url))));
  await init({ module_or_path: module });
  if (!known) self.postMessage({ kind: "module", module });
}

/** How often a first question is answered again, and in how many milliseconds; none that takes longer than `QUICK`. */
const [TIMES, MILLIS, QUICK] = [150, 700, 60];

/**
 * A browser compiles a module quickly first and well only where it runs often. While nobody asks, the first question is
 * answered a few times more, for nobody, so that the first keys are as quick as the later ones.
 */
async function warm(input) {
  const start = performance.now();
  for (let time = 0; time < TIMES && performance.now() - start < MILLIS; time++) {
    apply(input);
    // A question that has come meanwhile goes first.
    await new Promise((resolve) => setTimeout(resolve));
  }
}

let isWarm = false;

self.onmessage = async ({ data }) => {
  if (data.start) {
    begin(load(data.module));
    return;
  }
  const { serial, ask, input } = data;
  try {
    await ready;
    self.postMessage({ kind: "begun", serial, text: "", millis: 0 });
    const start = performance.now();
    const text = answers[ask](input);
    const millis = performance.now() - start;
    self.postMessage({ kind: "output", serial, text, millis });
    if (ask === "apply" && !isWarm) {
      isWarm = true;
      if (millis < QUICK) await warm(input);
    }
  } catch (error) {
    self.postMessage({ kind: "failed", serial, text: String(error?.message ?? error), millis: 0 });
  }
};
