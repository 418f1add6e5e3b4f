// For browsers, with a bundler or without one: `await init()` loads the module once, then everything is synchronous.
import * as engine from "./whole.js";
import { functionsOf, loaderOf } from "./api.js";

export const { apply, cel, checkResources, decodeShare, encodeShare, evaluate, explain, functions, jmespath, mesh, psa, psp, report, rewrite, sieve, testFolder, version } = functionsOf(engine);

// The name stands here in full, as bundlers look for it.
export const init = loaderOf(engine, () => new URL("./whole_bg.wasm", import.meta.url));
export default init;
