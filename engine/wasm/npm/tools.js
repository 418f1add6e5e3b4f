// For browsers, with a bundler or without one: `await init()` loads the module once, then everything is synchronous.
import * as engine from "./whole.js";
import { functionsOf } from "./api.js";

export const { apply, decodeShare, encodeShare, evaluate, explain, functions, jmespath, mesh, psa, psp, report, rewrite, sieve, testFolder, version } = functionsOf(engine);

let loading;

export default function init(source) {
  loading ??= engine.default({ module_or_path: source ?? new URL("./whole_bg.wasm", import.meta.url) }).then(
    () => undefined,
    (error) => {
      // The next call may try again.
      loading = undefined;
      throw error;
    },
  );
  return loading;
}

export { init };
