// Comparing and converting policies for Node: the module is read and compiled while this file is imported, so that everything
// works at once.
import { readFileSync } from "node:fs";
import * as engine from "./comparison.js";
import { functionsOf } from "./api.js";

export const { compare, convert } = functionsOf(engine);

engine.initSync({ module: readFileSync(new URL("./comparison_bg.wasm", import.meta.url)) });

/** There for programs that run in browsers too; there is nothing left to do. */
export default async function init() {}

export { init };
