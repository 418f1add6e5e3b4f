// Types of podsieve/cel: expressions of the Common Expression Language as Kyverno's and Kubernetes' policies hold them, over a
// module of its own.
import type { FunctionDoc } from "./index.js";

export { default } from "./index.js";

/** An expression and what it is asked over. */
export interface CelInput {
  /** The expression. */
  expression: string;
  /** `object`, a resource as it was read; numbers are doubles, as in the Kyverno CLI. Without one, there is no request either. */
  object?: unknown;
  /** Further variables, by their names. */
  variables?: Record<string, unknown>;
  /** Whose functions, variables and limits there are (default: `ValidatingPolicy`). */
  kind?: "ValidatingPolicy" | "GeneratingPolicy" | "ValidatingAdmissionPolicy" | "validate.cel";
}

/** What an expression gives. */
export interface CelOutput {
  /** The type that the checker found; absent where the expression does not compile. */
  type?: string;
  /** The value as JSON; absent where there is an error. */
  value?: unknown;
  /** What the evaluation cost, as Kubernetes counts it. */
  cost?: number;
  /** Why there is no value, in the words of the original. */
  error?: string;
  /** Where the expression does not compile: each problem. */
  problems?: CelProblem[];
}

/** What is wrong with an expression. */
export interface CelProblem {
  /** The words of the original, without place and picture. */
  message: string;
  /** The line, from 1; absent where the problem is about the whole. */
  line?: number;
  /** The column in code points, from 1. */
  column?: number;
}

/** A function that expressions may call; each library's own, where several have one of this name. */
export interface CelFunctionDoc extends Omit<FunctionDoc, "signature"> {
  /** `string.(int) -> string` is a method of a string, `(int) -> string` a function. */
  signatures: string[];
}

/** Evaluates an expression; never throws for what is wrong with it. */
export function cel(input: CelInput): CelOutput;

/** The functions that expressions may call. */
export function functions(): CelFunctionDoc[];
