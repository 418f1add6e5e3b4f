// For browsers, with a bundler or without one: `await init()` loads the module once, then everything is synchronous.
import * as engine from "./engine.js";
import { functionsOf, loaderOf } from "./api.js";

export const { apply, cel, decodeShare, encodeShare, explain, functions, jmespath, psa, version } = functionsOf(engine);

// The name stands here in full, as bundlers look for it.
export const init = loaderOf(engine, () => new URL("./engine_bg.wasm", import.meta.url));
export default init;
