// CEL for browsers, with a bundler or without one: `await init()` loads the module once, then everything is synchronous.
import * as engine from "./expressions.js";
import { functionsOf, loaderOf } from "./api.js";

export const { cel, functions } = functionsOf(engine);

// The name stands here in full, as bundlers look for it.
export const init = loaderOf(engine, () => new URL("./expressions_bg.wasm", import.meta.url));
export default init;
