// Comparing and converting policies for browsers, with a bundler or without one: `await init()` loads the module once, then
// everything is synchronous; a search takes seconds, so it belongs into a worker.
import * as engine from "./comparison.js";
import { functionsOf, loaderOf } from "./api.js";

export const { compare, convert } = functionsOf(engine);

// The name stands here in full, as bundlers look for it.
export const init = loaderOf(engine, () => new URL("./comparison_bg.wasm", import.meta.url));
export default init;
