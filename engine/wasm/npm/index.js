// For browsers, with a bundler or without one: `await init()` loads the module once, then everything is synchronous.
import * as engine from "./engine.js";
import { functionsOf } from "./api.js";

export const { apply, decodeShare, encodeShare, explain, functions, jmespath, psa, version } = functionsOf(engine);

let loading;

export default function init(source) {
  loading ??= engine.default({ module_or_path: source ?? new URL("./engine_bg.wasm", import.meta.url) }).then(
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
