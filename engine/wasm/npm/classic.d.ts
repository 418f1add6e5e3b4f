// Types of podsieve/classic: the main entry without CEL.
export type * from "./index.js";
export { apply, decodeShare, default, encodeShare, explain, functions, init, jmespath, psa, version } from "./index.js";
