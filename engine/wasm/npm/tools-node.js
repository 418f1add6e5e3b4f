// For Node: the module is read and compiled while this file is imported, so that everything works at once.
import { readFileSync } from "node:fs";
import * as engine from "./whole.js";
import { functionsOf } from "./api.js";

export const { apply, cel, checkResources, decodeShare, encodeShare, evaluate, explain, functions, jmespath, mesh, psa, psp, report, rewrite, sieve, testFolder, version } = functionsOf(engine);

engine.initSync({ module: readFileSync(new URL("./whole_bg.wasm", import.meta.url)) });

/** There for programs that run in browsers too; there is nothing left to do. */
export default async function init() {}

export { init };
