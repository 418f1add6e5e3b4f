// Types of podsieve/tools: everything of the main entry, and what is rarely asked for, over one larger module.
import type { CheckOutput, EvaluateInput, EvaluateOutput, Input, MeshInput, MeshOutput, PspInput, PspOutput, ReportInput, ReportOutput, RewriteInput, RewriteOutput, SieveInput, SieveOutput, TestFolder } from "./index.js";

export * from "./index.js";
export { default } from "./index.js";

/** Shows each Pod as it arrives after injection by a mesh. `data` is the package's `mesh.json`, as text or read. */
export function mesh(input: MeshInput, data: unknown): MeshOutput;

/**
 * Names the fields in resources and in patterns that their kind does not have, and the values that a field cannot hold: what
 * no API server would take. Kubernetes' own kinds alone are known. `complete` says that every text could be read, not that
 * nothing was found.
 */
export function checkResources(input: Input): CheckOutput;

/** Writes the reports of everything in the input; throws where the form is none. */
export function report(input: ReportInput): ReportOutput;

/** Finds the exemptions in texts and tells who else gets in through each, and the change that blocks them. */
export function sieve(input: SieveInput): SieveOutput;

/** The folder of a test with today's verdicts, as `podsieve test --init` writes it; throws where nothing is evaluated. */
export function testFolder(input: Input): TestFolder;

/** Evaluates Pods and workloads by PodSecurityPolicies and the RBAC that grants them, as Kubernetes did until 1.24. */
export function psp(input: PspInput): PspOutput;

/** The value of an expression where it stands in a policy, with the values of its parts; throws where it stands in no rule. */
export function evaluate(input: EvaluateInput): EvaluateOutput;

/** Writes a text in which one document says something else, its comments and its layout left alone. */
export function rewrite(input: RewriteInput): RewriteOutput;
