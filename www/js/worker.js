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
    self.postMessage({ kind: "output", serial, text, millis: performance.now() - start });
  } catch (error) {
    self.postMessage({ kind: "failed", serial, text: String(error?.message ?? error), millis: 0 });
  }
};
