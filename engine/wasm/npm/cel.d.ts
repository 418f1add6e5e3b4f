// Types of podsieve/cel: expressions of the Common Expression Language as Kyverno's and Kubernetes' policies hold them, over a
// module of its own that knows no policies.
import type { FunctionDoc } from "./index.js";

export type { CelInput, CelOutput, CelProblem } from "./index.js";
export { cel, default, init } from "./index.js";

/** A function that expressions may call; each library's own, where several have one of this name. */
export interface CelFunctionDoc extends Omit<FunctionDoc, "signature"> {
  /** `string.(int) -> string` is a method of a string, `(int) -> string` a function. */
  signatures: string[];
}

/** The functions that expressions may call. */
export function functions(): CelFunctionDoc[];
