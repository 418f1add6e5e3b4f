// For browsers, with a bundler or without one: `await init()` loads the module once, then everything is synchronous.
import * as engine from "./classic_engine.js";
import { functionsOf, loaderOf } from "./api.js";

export const { apply, decodeShare, encodeShare, explain, functions, jmespath, psa, version } = functionsOf(engine);

// The name stands here in full, as bundlers look for it.
export const init = loaderOf(engine, () => new URL("./classic_engine_bg.wasm", import.meta.url));
export default init;
