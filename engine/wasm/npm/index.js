// For browsers, with a bundler or without one: `await init()` loads the module once, then everything is synchronous.
import load from "./engine.js";

export { apply, decodeShare, encodeShare, explain, functions, jmespath, mesh, psa, psp, report, sieve, testFolder, version } from "./api.js";

let loading;

export default function init(source) {
  loading ??= load({ module_or_path: source ?? new URL("./engine_bg.wasm", import.meta.url) }).then(
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
