// A user's program; `tsc` must accept it as it stands.
import init, { apply, cel, decodeShare, encodeShare, explain, functions, jmespath, psa, version } from "podsieve";
import { functions as celFunctions } from "podsieve/cel";
import { compare, convert } from "podsieve/compare";
import type { CompareOutput, Grade } from "podsieve/compare";
import { apply as small, cel as none } from "podsieve/classic";
import { mesh, sieve } from "podsieve/tools";
import type { CelOutput, Diagnostic, Edit, FunctionDoc, Input, MeshOutput, Output, PsaOutcome, PsaOutput, Range, RuleResult, SieveAttack, Status } from "podsieve";

await init();

const input: Input = {
  host: "playground",
  policies: [{ name: "policy.yaml", text: "" }],
  resources: [{ name: "pod.yaml", text: "" }],
  trace: true,
};
const output: Output = apply(input);
const failed: RuleResult[] = output.results.flatMap((result) => result.rules).filter((rule) => rule.status === "fail");
const lines: number[] = failed.flatMap((rule) => rule.resourceRanges).map((range: Range) => range.line);
const status: Status | undefined = failed[0]?.status;
const worst: Diagnostic | undefined = output.diagnostics.find((diagnostic) => diagnostic.severity === "error");
const reason: string = output.results[0]?.noMatch ?? "";
const policy: string | undefined = decodeShare("https://playground.kyverno.io/#/?content=").state["policy"];
const link: string = "#/?content=" + encodeURIComponent(encodeShare({ policy: "", resource: "" }));
const found: unknown = jmespath("a.b", { a: { b: 1 } });
const known: FunctionDoc[] = functions();
console.log(known[0]?.examples[0]?.expression);
const value: CelOutput = cel({ expression: "object.spec.replicas > limit", object: { spec: { replicas: 3 } }, variables: { limit: 2 } });
console.log(value.value, value.problems?.[0]?.column, celFunctions()[0]?.signatures, small(input).complete);
const evaluated: PsaOutput = psa({ resources: "", version: "v1.24", asWritten: true });
const cell: PsaOutcome | undefined = evaluated.objects[0]?.checks[0]?.restricted;
const edits: Edit[] = explain({ input, rule: "team" }).explanations.flatMap((explanation) => explanation.edits ?? []);
const arriving: MeshOutput = mesh({ resources: [{ name: "pod.yaml", text: "" }], mesh: "linkerd@2.14,cni" }, "{}");
const attack: SieveAttack | undefined = sieve({ input: { policies: input.policies ?? [] } }).exemptions[0]?.attacks[0];
const compared: CompareOutput = compare({ old: "", new: [{ name: "new.yaml", text: "" }], operations: ["CREATE"] }, (requests) => requests < 100);
const grade: Grade | undefined = convert({ policies: "", noCompare: true, to: "ValidatingAdmissionPolicy" }).policies[0]?.grade;
console.log(compared.findings[0]?.old.rules[0]?.range?.line, grade);
console.log(attack?.tightening?.text);
console.log(edits[0]?.after, arriving.objects[0]?.gap, lines, cell, status, worst?.hints, reason, policy, link, found, version().kyverno);

// @ts-expect-error: a field that the engine does not know
apply({ polices: [] });
apply({ policies: ["kind: ClusterPolicy"] });
// @ts-expect-error: a text is not an object that was parsed already
apply({ policies: [{ kind: "ClusterPolicy" }] });
// @ts-expect-error: not a kind of policy
cel({ expression: "1", kind: "Pod" });
// @ts-expect-error: the small module has no CEL
none({ expression: "1" });
