// Types of podsieve. The shapes are those of `engine/lenses/src/wire`; a test holds the field names against each other.

/** What is to be decided. Every field may be left out. */
export interface Input {
  /**
   * As the Kyverno CLI evaluates (default: namespace `default` where a resource names none), as its Playground, or policies in
   * CEL as the webhook and the API server of a cluster do. Another word is an error.
   */
  host?: "cli" | "playground" | "cluster";
  /**
   * The release of Kubernetes whose API server decides ValidatingAdmissionPolicies and MutatingAdmissionPolicies, `"1.30"` to `"1.38"`;
   * `"1.37"` where it is left out. Without `host` it means `"cluster"`.
   */
  kubernetes?: string;
  /** Policies, and whatever else stands beside them in those files. */
  policies?: Texts;
  /** The resources that are evaluated. */
  resources?: Texts;
  /** The resources as they were before an update; paired with `resources` by kind, namespace and name. */
  oldResources?: Texts;
  /** PolicyExceptions. */
  exceptions?: Texts;
  /** Objects of the cluster: Namespaces with their labels, ConfigMaps, clone sources. */
  clusterResources?: Texts;
  /** Objects that policies of Kubernetes take as parameters. */
  parameters?: Texts;
  /** Documents of any form, for policies of the mode `JSON`; for the host `playground` they may stand among the resources. */
  payloads?: Texts;
  /** Requests, for policies of the mode `HTTP`. */
  httpPayloads?: Texts;
  /** Requests, for policies of the mode `Envoy`. */
  envoyPayloads?: Texts;
  /** Values files of the Kyverno CLI. */
  values?: Texts;
  /** A user info file of the Kyverno CLI. */
  userInfo?: Texts;
  /** The Kyverno Playground's context: user, operation, variables, namespace labels, flags; and `subresource`, which podsieve alone reads. */
  context?: Texts;
  /** Kyverno's own ConfigMap: resource filters and their like. */
  config?: Texts;
  /** Custom resource definitions; never required. */
  customResourceDefinitions?: Texts;
  /**
   * What is known of images, a map from references: `digest` or `resolvedImage`, `manifest`, `configData`, `signedBy`,
   * `attestations`; or a context file of the Kyverno CLI. No registry is asked.
   */
  imageData?: Texts;
  /** Whether each rule tells its steps. */
  trace?: boolean;
  /** Whether policies without a matching rule tell why, though no other step is told; `trace` does so too. */
  noMatch?: boolean;
}

/** Texts: YAML as it is, one or many documents, or with names. */
export type Texts = string | (string | Text)[];

/** A text and what to call it. */
export interface Text {
  /** A file name, or any other name; it comes back in ranges. */
  name: string;
  /** YAML or JSON, one or many documents. */
  text: string;
}

/** What was decided. */
export interface Output {
  /** Whose verdicts these are. */
  version: Version;
  /**
   * Whether all that was given was read and evaluated; zero failures are a pass only then. What was not is named by the
   * diagnostics that are errors.
   */
  complete: boolean;
  /** One entry a policy and resource, in the order of evaluation; without rules where nothing matched. */
  results: PolicyResult[];
  /** How many rule results have each status, and how much is undecided. */
  counts: Counts;
  /** Policies that Kyverno refuses, with its words. */
  refused: Refused[];
  /** What is to be said about the texts. */
  diagnostics: Diagnostic[];
  /** For each policy that is evaluated the rules that autogen makes of it, or why it makes none. */
  autogen: Autogen[];
  /** How many policies and resources were read. */
  loaded: Loaded;
  /** When each cleanup policy is due. */
  schedules?: Schedule[];
  /** What a GitOps tool will see as drift, where policies change objects. */
  drift?: Drift;
}

/** What a GitOps tool will see as drift. */
export interface Drift {
  /** One entry an object that differs. */
  objects: DriftOf[];
  /** The `ignoreDifferences` of an Argo CD Application that leaves these fields alone, as YAML. */
  ignoreDifferences: string;
}

/** The fields of one object that differ, as paths of jq. */
export interface DriftOf {
  /** The object. */
  resource: ObjectRef;
  /** Fields that say something else than the text. */
  changed: string[];
  /** Fields that the text does not have. */
  added: string[];
  /** Fields that the text alone has. */
  removed: string[];
}

/** When a cleanup policy is due. */
export interface Schedule {
  /** The policy. */
  policy: ObjectRef;
  /** The schedule as written. */
  schedule: string;
  /** The next times, RFC 3339 in UTC; none where the schedule is none. */
  next: string[];
  /** `Foreground`, `Background` or `Orphan`; empty where the policy does not say. */
  propagation: string;
}

/** The engine's version and the release whose verdicts it follows. */
export interface Version {
  /** This engine. */
  podsieve: string;
  /** The Kyverno release. */
  kyverno: string;
}

/** Numbers for a summary. */
export interface Counts {
  /** Rules that passed. */
  pass: number;
  /** Rules that failed. */
  fail: number;
  /** Rules that warned. */
  warn: number;
  /** Rules that could not be decided. */
  error: number;
  /** Rules that were skipped. */
  skip: number;
  /**
   * What was not evaluated: rules that match a resource and are of a kind that is not evaluated, and documents that could not
   * be read or used.
   */
  undecided: number;
}

/** What was read. */
export interface Loaded {
  /** Policies. */
  policies: number;
  /** Rules, those that Kyverno makes for controllers of Pods included. */
  rules: number;
  /** Resources. */
  resources: number;
  /** Exceptions. */
  exceptions: number;
}

/** What autogen makes of one policy. */
export interface Autogen {
  /** The policy. */
  policy: ObjectRef;
  /** The rules that it makes, in Kyverno's order. */
  rules: AutogenRule[];
  /** What keeps it from the policy, or from some of its rules. */
  hindrances?: AutogenHindrance[];
}

/** A rule that autogen makes. */
export interface AutogenRule {
  /** Its name. */
  rule: string;
  /** The rule that it is made of, as the author named it. */
  from: string;
  /** The kinds that it is for. */
  kinds: string[];
  /** The rule as YAML. */
  text: string;
  /** The rule that it is made of. */
  range?: Range;
}

/** Why autogen makes no rules. */
export interface AutogenHindrance {
  /** The rule for which it makes none; absent where it makes none for the whole policy. */
  rule?: string;
  /** One sentence. */
  reason: string;
  /** The lines that decide. */
  range?: Range;
}

/** One policy applied to one resource. */
export interface PolicyResult {
  /** The policy. */
  policy: ObjectRef;
  /** The resource. */
  resource: ObjectRef;
  /** What each rule that matched said. */
  rules: RuleResult[];
  /**
   * What a cluster would do with the request as far as this policy is concerned; `unknown` where a rule that matches is of a
   * kind that is not evaluated, and no other rule refuses.
   */
  effect: "allow" | "report" | "warn" | "unknown" | "deny";
  /** The resource after mutation, as YAML, where it changed. */
  patched?: string;
  /** The resource as the policy found it, written in the same manner, where it changed it. */
  original?: string;
  /**
   * Why no rule said anything, in one sentence: where a rule matches and is not evaluated, that; else what kept the rules from
   * matching, if `trace` or `noMatch` was asked for. Absent where rules spoke.
   */
  noMatch?: string;
  /** What a cluster would say instead of another host, and why, for a policy in CEL; absent where it says the same. */
  inCluster?: string;
  /** What was tried where no rule matched, if `trace` or `noMatch` was asked for. */
  steps?: Step[];
}

/** An object by name, and where it stands. */
export interface ObjectRef {
  /** Group and version, as written. */
  apiVersion: string;
  /** Kind. */
  kind: string;
  /** Namespace; empty for a cluster's own objects. */
  namespace: string;
  /** Name, or the generateName where there is none. */
  name: string;
  /** Its document. */
  range?: Range;
}

/** What one rule said. */
export interface RuleResult {
  /** The rule's name; with `autogen-` before it where Kyverno makes the rule. */
  rule: string;
  /** What kind of rule it is. */
  type: "Validation" | "Mutation" | "Generation" | "ImageVerify" | (string & {});
  /** The verdict. */
  status: Status;
  /** Kyverno's words. */
  message: string;
  /** What a cluster would do with the request because of it. */
  effect: "allow" | "report" | "warn" | "deny";
  /** The rule as the author named it, where Kyverno makes this one. */
  autogen?: string;
  /** Report properties, as pairs of name and value. */
  properties?: [string, string][];
  /** Names of the exceptions that applied. */
  exceptions?: string[];
  /** Why the verdict is less safe than it looks, one line each. */
  warnings?: string[];
  /** The lines of the policy that decided. */
  policyRanges: Range[];
  /** The lines of the resource that decided. */
  resourceRanges: Range[];
  /** What happened on the way, where `trace` was asked for. */
  steps?: Step[];
  /** Objects that the rule generated, as YAML. */
  generated?: string[];
  /**
   * What the verdict alone does not tell, such as why a rule that passed generated nothing.
   */
  note?: string;
  /** The other object that a `mutate` rule with targets has changed. */
  target?: Target;
}

/** An object that a rule has changed though another one was evaluated. */
export interface Target {
  /** The object. */
  resource: ObjectRef;
  /** As it was given, as YAML; absent where it was not. */
  original?: string;
  /** As the rule has left it, as YAML. */
  patched: string;
}

/** A rule's verdict. */
export type Status = "pass" | "fail" | "warn" | "error" | "skip";

/** One step of a decision. */
export interface Step {
  /** How deep the step lies within others, from 0. */
  depth: number;
  /**
   * `rule`, `match`, `exclude`, `context`, `precondition`, `variable`, `condition`, `pattern`, `field`, `anchor`, `check`,
   * `expression`, `foreach`, `exception`, `oldObject` or `verdict`.
   */
  kind: string;
  /** `yes`, `no`, `error` or empty. */
  outcome: string;
  /** One sentence. */
  text: string;
  /** Where in the policy. */
  policyRange?: Range;
  /** Where in the resource. */
  resourceRange?: Range;
}

/** A policy that Kyverno refuses. */
export interface Refused {
  /** The policy's name, with its namespace before it if it has one. */
  policy: string;
  /** Kyverno's words. */
  reason: string;
  /** The line that is refused. */
  range?: Range;
}

/** Something to be said about a text. */
export interface Diagnostic {
  /** A stable name such as `yaml-syntax`. */
  code: string;
  /** How much it matters. */
  severity: "error" | "warning" | "info";
  /** One line. */
  message: string;
  /** Where; absent for what concerns no place. */
  range?: Range;
  /** What to do, and what follows from it. */
  hints?: string[];
}

/** A stretch of one input text. */
export interface Range {
  /** The field of `Input` that holds the text: `policies`, `resources`, … */
  input: string;
  /** Which text of that field, from 0. */
  index: number;
  /** The text's name. */
  name: string;
  /** First UTF-16 unit. */
  from: number;
  /** The unit behind the last. */
  to: number;
  /** First line, from 1. */
  line: number;
  /** Character in that line, from 1. */
  column: number;
  /** Last line. */
  endLine: number;
}

/** A function that expressions may call. */
export interface FunctionDoc {
  /** Its name. */
  name: string;
  /** Name, kinds of arguments, kind of result: `add(any, any) any`. */
  signature: string;
  /** What it does, in a few words. */
  doc: string;
  /** At least one. */
  examples: FunctionExample[];
}

/** An expression that calls a function, and what comes of it. */
export interface FunctionExample {
  /** The expression; it looks at no document. */
  expression: string;
  /** Its value as JSON text. */
  value: string;
}

/** What is to be evaluated by the Pod Security Standards. */
export interface PsaInput {
  /** Pods, workloads, and Namespaces with their labels. */
  resources?: Texts;
  /** The version of the standards: `latest` (default) or `v1.N`. */
  version?: string;
  /** The configuration of the admission: an `AdmissionConfiguration` or a `PodSecurityConfiguration`; the first counts. */
  config?: Texts;
  /** Labels of namespaces, which count over those of Namespaces among the resources; `*` for every namespace. */
  namespaceLabels?: Record<string, Record<string, string>>;
  /** Who asks, for the exemptions of the configuration. */
  user?: string;
  /** Whether the texts are evaluated as they are written; else an API server's defaults are filled in first. */
  asWritten?: boolean;
}

/** What the standards and their admission say. */
export interface PsaOutput {
  /** Whose verdicts these are. */
  version: Version;
  /** Whether all that was given was read; what was not is named by the diagnostics that are errors. */
  complete: boolean;
  /** The version of the standards that was asked for, as written: `latest`. */
  asked: string;
  /** The version whose checks ran: `v1.37` for `latest`. */
  effective: string;
  /** Whether the texts were evaluated as they are written, without an API server's defaults. */
  asWritten: boolean;
  /** One entry for each object that is or makes a Pod, in the order of the texts. */
  objects: PsaObject[];
  /** The namespaces of these objects and of the texts, by name. */
  namespaces: PsaNamespace[];
  /** How many other objects there were. */
  others: number;
  /** What is to be said about the texts. */
  diagnostics: Diagnostic[];
}

/** A Pod or a workload. */
export interface PsaObject {
  /** The object; without a namespace it is in `default`. */
  resource: ObjectRef;
  /** The strictest level it satisfies in the version asked for. */
  reaches: "privileged" | "baseline" | "restricted";
  /** What each level says: baseline, then restricted. */
  levels: PsaLevel[];
  /** All checks, baseline first, each with its place in both levels. */
  checks: PsaCheck[];
  /** The versions of Kubernetes from the oldest to the newest, cut wherever the verdict of a level changes. */
  strip: PsaStretch[];
  /** What the API server says when the object is created in its namespace; absent where the configuration is bad. */
  admission?: PsaAdmission;
}

/** What one level says of an object. */
export interface PsaLevel {
  /** `baseline` or `restricted`. */
  level: "baseline" | "restricted";
  /** Whether the object satisfies it. */
  allowed: boolean;
  /** Kubernetes' words for what is wrong; empty where nothing is. */
  detail: string;
}

/** One check of the standards. */
export interface PsaCheck {
  /** The id: `hostNamespaces`. */
  id: string;
  /** The heading in the Pod Security Standards: `Host Namespaces`. */
  section: string;
  /** The level that it belongs to. */
  level: "baseline" | "restricted";
  /** Under baseline: `pass`, `fail` or `notApplicable`. */
  baseline: PsaOutcome;
  /** Under restricted: `pass`, `fail` or `notApplicable`. */
  restricted: PsaOutcome;
  /** Why it does not apply, in one sentence. */
  note?: string;
  /** The fields it looks at, `[*]` for any place of a list. */
  fields: string[];
  /** Kubernetes' reason, where it fails. */
  reason?: string;
  /** Kubernetes' words with names and values, where it fails. */
  detail?: string;
  /** The fields at fault. */
  findings?: PsaFinding[];
}

/** What a cell of the table of checks says. */
export type PsaOutcome = "pass" | "fail" | "notApplicable";

/** A field that breaks a check. */
export interface PsaFinding {
  /** The way to the field from the object: `spec.template.spec.hostPID`. */
  path: string;
  /** `forbidden`, `missing` or `wrongType`. */
  fault: "forbidden" | "missing" | "wrongType";
  /** The value at fault as JSON, where there is one. */
  value?: string;
  /** The container that sets the field or fails to. */
  container?: string;
  /** One line. */
  message: string;
  /** The lines of the field, or of what is nearest to a field that is missing. */
  range?: Range;
}

/** Versions of Kubernetes, one after the other, with the same verdicts. */
export interface PsaStretch {
  /** The first version: `v1.0`. */
  from: string;
  /** The last version. */
  to: string;
  /** Whether baseline is satisfied. */
  baseline: boolean;
  /** Whether restricted is satisfied. */
  restricted: boolean;
  /** The checks that fail from `from` on and did not before. */
  starts?: string[];
  /** The checks that failed before `from` and do not any more. */
  stops?: string[];
}

/** What the admission says to a request. */
export interface PsaAdmission {
  /** Whether the request passes; a workload always does. */
  allowed: boolean;
  /** The message of a refusal. */
  message?: string;
  /** What the user is warned about. */
  warnings?: string[];
  /** What the audit log notes, as pairs of name and text. */
  audit?: [string, string][];
}

/** A namespace and what it asks for. */
export interface PsaNamespace {
  /** The name. */
  name: string;
  /** Whether its labels are known; else the cluster's defaults count. */
  declared: boolean;
  /** What Pods must satisfy: `baseline:latest`. */
  enforce: string;
  /** What the audit log measures. */
  audit: string;
  /** What users are warned about. */
  warn: string;
  /** What the API server says to the Namespace itself: bad labels, exemptions, Pods that run in it already. */
  admission?: PsaAdmission;
  /** What it could ask for, where objects are in it. */
  advice?: PsaAdvice;
  /** Its document. */
  range?: Range;
}

/** What a namespace could ask for. */
export interface PsaAdvice {
  /** The strictest level that everything in it satisfies. */
  level: "privileged" | "baseline" | "restricted";
  /** The labels that ask for it, as pairs of name and value. */
  labels: [string, string][];
  /** The objects that keep it from asking for more. */
  obstacles: PsaObstacle[];
}

/** An object that keeps its namespace down. */
export interface PsaObstacle {
  /** The object. */
  resource: ObjectRef;
  /** The level that it does not satisfy: the next above what the namespace can ask for. */
  next: "baseline" | "restricted";
  /** What it breaks. */
  findings: PsaObstacleFinding[];
  /** The smallest change after which it satisfies the level; tried. Empty where no change of single fields does it. */
  changes: PsaChange[];
}

/** A check that stands in the way. */
export interface PsaObstacleFinding {
  /** The id of the check. */
  check: string;
  /** Kubernetes' reason. */
  reason: string;
  /** Kubernetes' words with names and values. */
  detail: string;
  /** Kyverno's narrowest exclusions that lift it, as YAML for `exclude` of a podSecurity rule; tried. */
  exclusion?: string;
  /** The lines of the first field at fault. */
  range?: Range;
}

/** One change of a field. */
export interface PsaChange {
  /** The way to the field from the object. */
  path: string;
  /** The value to set as JSON; absent where the field is to go. */
  value?: string;
  /** The check that asks for it. */
  check: string;
  /** One line: `set spec.hostPID: false`. */
  text: string;
  /** The lines of the field, or of what is nearest to a field that is missing. */
  range?: Range;
}

/** What is to be evaluated by PodSecurityPolicies. */
export interface PspInput {
  /** Pods, workloads, PodSecurityPolicies, Roles, ClusterRoles and their bindings. */
  resources?: Texts;
  /** The release of Kubernetes that speaks: `1.24` (default), or an older one. */
  kubernetesVersion?: string;
  /** Who makes the Pods that no controller makes; empty for nobody with rights of their own. */
  user?: string;
  /** The groups of that user. */
  groups?: string[];
  /** Whether the texts are evaluated as they are written; else a Pod without a service account gets `default`. */
  asWritten?: boolean;
}

/** What is to be reported, and how. */
export interface ReportInput {
  /** What is evaluated. */
  input?: Input;
  /**
   * `"wgpolicy"` (default): for each resource a PolicyReport or ClusterPolicyReport of wgpolicyk8s.io/v1alpha2, as a
   * cluster holds them. `"openreports"`: what `kyverno apply --policy-report` prints.
   */
  form?: "wgpolicy" | "openreports";
}

/** The reports. */
export interface ReportOutput {
  /** YAML, one document a report; empty where no rule matched. */
  text: string;
  /**
   * Whether all that was given was read and evaluated. Where it was not, `apply` names what is missing, and the reports of a
   * cluster begin with a comment that says so.
   */
  complete: boolean;
}

/** What no API server would take. */
export interface CheckOutput {
  /** Who says so. */
  version: Version;
  /** Whether all that was given was read; `apply` names what was not. */
  complete: boolean;
  /** One warning for each field that a kind does not have, and each value that a field cannot hold. */
  diagnostics: Diagnostic[];
}

/** The folder of a test: what `kyverno test` runs. */
export interface TestFolder {
  /** The files, `kyverno-test.yaml` first. */
  files: Text[];
  /** What could not be taken along, one line each; they also stand at the head of the test file. */
  notes: string[];
}

/** What PodSecurityPolicies say. */
export interface PspOutput {
  /** Whose verdicts these are. */
  version: Version;
  /** Whether all that was given was read; what was not is named by the diagnostics that are errors. */
  complete: boolean;
  /** The release of Kubernetes that speaks: `1.24`. */
  kubernetesVersion: string;
  /** Whether the texts were evaluated as they are written. */
  asWritten: boolean;
  /** Whether roles or bindings were among the texts; where none are, everybody may use every policy. */
  hasRbac: boolean;
  /** The policies, by name. */
  policies: PspPolicy[];
  /** One entry for each object that is or makes a Pod, in the order of the texts. */
  pods: PspPod[];
  /** What is to be said about the texts. */
  diagnostics: Diagnostic[];
}

/** A PodSecurityPolicy. */
export interface PspPolicy {
  /** Its name. */
  name: string;
  /** Why the admission leaves it out; none where it can be used. */
  unusable: string[];
  /** What the API server says of the object: such a policy could not be stored. */
  errors: PspRefusal[];
  /** Its document. */
  range?: Range;
}

/** A Pod, or the Pod that a controller would make. */
export interface PspPod {
  /** The object. */
  resource: ObjectRef;
  /** The service account of the Pod; empty for none. */
  account: string;
  /** Who makes the Pod. */
  user: string;
  /** Whether the Pod passes. */
  allowed: boolean;
  /** The policy that lets it in. */
  policy?: string;
  /** The message of the refusal; of what a controller makes as its event says it. */
  message?: string;
  /** The reasons of the policies that account or user may use. */
  refusals?: PspRefusal[];
  /** The Pod as the policy leaves it, as YAML, where it passes. */
  admitted?: string;
}

/** One reason of a refusal. */
export interface PspRefusal {
  /** The error in the words of the original. */
  text: string;
  /** The lines of the field. */
  range?: Range;
}

/** What is to be sieved. */
export interface SieveInput {
  /** What is asked: `check` (default), `funnel` or `narrow`. */
  ask?: "check" | "funnel" | "narrow";
  /**
   * The texts, as for `apply`: policies, exceptions, Namespaces, and the Pods that the exemptions are meant for. The
   * funnel and `narrow` look at those of the resources that are refused.
   */
  input?: Input;
  /** The configuration of Pod Security Admission: an `AdmissionConfiguration` or a `PodSecurityConfiguration`. */
  admissionConfig?: Texts;
  /**
   * A level of the Pod Security Standards that stands in where no policy refuses the workload: `baseline` or
   * `restricted`.
   */
  level?: "baseline" | "restricted";
  /** Which form `narrow` writes: `exception`, `podSecurity` or `rule`; all that can be had where it is absent. */
  form?: "exception" | "podSecurity" | "rule";
  /** When an exemption that `narrow` writes ends: a date, or a duration such as `720h`; never where it is absent. */
  expires?: string;
  /** Resources that exemptions are meant for whatever their texts call them, each as `Pod/shop/web`; for `check`. */
  meantFor?: string[];
  /** Resources that no exemption is meant for: whatever lets one in is wide; for `check`. */
  notMeantFor?: string[];
  /** Whether `narrow` takes the images by digest or tag as they are written; else any tag of the same repository. */
  exactImages?: boolean;
}

/** What the sieve found. */
export interface SieveOutput {
  /** Whose verdicts these are. */
  version: Version;
  /**
   * Whether all that was given was read and evaluated; zero failures are a pass only then. What was not is named by the
   * diagnostics that are errors.
   */
  complete: boolean;
  /** What was asked: `check`, `funnel` or `narrow`. */
  ask: "check" | "funnel" | "narrow";
  /** The exemptions in the texts, in their order; for `check`. */
  exemptions: SieveExemption[];
  /** The funnel of each refused workload; for `funnel`. */
  funnels: SieveFunnel[];
  /** The narrowest exemptions; for `narrow`. */
  narrowest: SieveNarrow[];
  /** How many Pods were evaluated. */
  tried: number;
  /** What is to be said about the texts, and about limits that were reached. */
  diagnostics: Diagnostic[];
}

/** One exemption and what gets in through it. */
export interface SieveExemption {
  /**
   * What kind: `podSecurity`, `exclude`, `exception`, `precondition`, `condition`, `anchor`, `psaLabel`,
   * `psaExemption`; of policies in CEL `celException`, `matchCondition`, `validation`, `excludeResourceRule`, `selector`.
   */
  kind:
    | "podSecurity"
    | "exclude"
    | "exception"
    | "precondition"
    | "condition"
    | "anchor"
    | "psaLabel"
    | "psaExemption"
    | "celException"
    | "matchCondition"
    | "validation"
    | "excludeResourceRule"
    | "selector";
  /** One line: ``control `Capabilities` for images `istio/proxyv2*` ``. */
  text: string;
  /** The policy or exception that holds it, or the Namespace. */
  owner: ObjectRef;
  /** The rule that holds it, or the rules that an exception lifts; empty for Pod Security Admission. */
  rule: string;
  /** Its lines. */
  range?: Range;
  /**
   * `wide` (somebody gets in), `narrow` (nobody did), `idle` (it lets nothing in), `unknown` (no Pod is known that it
   * is meant for) or `untried` (too many Pods had been evaluated before it could be tried to the end).
   */
  status: "wide" | "narrow" | "idle" | "unknown" | "untried";
  /** Why, for `idle`, `unknown` and `untried`, and what else is worth knowing; one line each. */
  notes?: string[];
  /** The Pods that it is meant for: admitted with it, refused without it. */
  legitimate: SievePod[];
  /** The Pods of the texts that it lets in and is not meant for, as the caller or the text itself says. */
  strangers?: SievePod[];
  /** The width: how many of the attackers that anybody can make get in. */
  width: number;
  /** How many attackers were tried. */
  tried: number;
  /** The attackers that get in. */
  attacks: SieveAttack[];
  /** What was tried, by family. */
  families: SieveFamily[];
}

/** A Pod that an exemption is meant for. */
export interface SievePod {
  /** The object; its range where it stands in the texts. */
  resource: ObjectRef;
  /** Whether it was made of the exemption's own values, as no text holds such a Pod. */
  made: boolean;
  /** It as YAML. */
  text: string;
  /** The user that asks for it, where the exemption is about users. */
  user?: string;
  /** The groups of that user. */
  groups?: string[];
  /** The Namespace as YAML, where the exemption is about its labels. */
  namespace?: string;
  /** Its name in `meantFor` and `notMeantFor`. */
  key: string;
  /** Why the exemption is not meant for it, in one line; absent for those that it is meant for. */
  doubt?: string;
}

/** A family of attackers, and how many of them get in. */
export interface SieveFamily {
  /** Its name: `registry`, `position`, … (docs/sieve.md lists them). */
  name: string;
  /** What it is, in a few words. */
  title: string;
  /** How many were tried. */
  tried: number;
  /** How many get in. */
  admitted: number;
}

/** An attacker that gets in: admitted with the exemption and refused without it. */
export interface SieveAttack {
  /** The family. */
  family: string;
  /** What differs from the legitimate Pod, in one line: ``image `evil.example/istio/proxyv2:1` ``. */
  text: string;
  /** Who can do it: `anyone` who may create Pods, or `publisher`: who may push to the registry of the image. */
  who: "anyone" | "publisher";
  /** Which of the legitimate Pods it was made of. */
  legitimate: number;
  /** The object as YAML. */
  resource: string;
  /** The user that asks for it, where the exemption is about users. */
  user?: string;
  /** The groups of that user. */
  groups?: string[];
  /** The Namespace as YAML, where the exemption is about its labels. */
  namespace?: string;
  /** The lines in which it differs from the legitimate Pod, with three lines around each. */
  diff: SieveLine[];
  /** What is said to it without the exemption. */
  refusal: string;
  /** The change that shuts it out and leaves every legitimate Pod in; absent where no single change does. */
  tightening?: SieveTightening;
}

/** A line of a comparison. */
export interface SieveLine {
  /** `+` (the attacker's), `-` (the legitimate Pod's), or a blank (both). */
  sign: "+" | "-" | " ";
  /** The line. */
  text: string;
}

/** A change of an exemption. */
export interface SieveTightening {
  /** One line: ``write the registry out: `docker.io/istio/proxyv2:1.24.6` ``. */
  text: string;
  /** The lines that change. */
  range?: Range;
  /** The change of the text itself; absent where the object has to be written anew. */
  edit?: SieveEdit;
  /** The whole object after the change, as YAML. */
  object: string;
  /** What to look at before it is written, one line each: a registry that one Pod alone uses. */
  notes?: string[];
}

/** Replace this stretch of a text by another. */
export interface SieveEdit {
  /** The stretch; empty where something is put in. */
  range: Range;
  /** What stands there instead. */
  text: string;
}

/** A refused workload and the ways to let it in, from the widest to the narrowest. */
export interface SieveFunnel {
  /** The workload. */
  resource: ObjectRef;
  /** Who refuses it: a policy, or empty for Pod Security Admission. */
  policy: string;
  /** The rule that refuses it; for Pod Security Admission the level. */
  rule: string;
  /** What is said to it. */
  refusal: string;
  /** The widths: `cluster`, `namespace`, `profile`, `control`, `image`, `place`. */
  steps: SieveStep[];
  /** The attackers that each way was tried with, by name. */
  attackers: string[];
}

/** One width of the funnel. */
export interface SieveStep {
  /** `cluster`, `namespace`, `profile`, `control`, `image` or `place`. */
  width: "cluster" | "namespace" | "profile" | "control" | "image" | "place";
  /** In words. */
  title: string;
  /** Each system that could say it. */
  forms: SieveForm[];
}

/** How one system says one width. */
export interface SieveForm {
  /**
   * `psa` (Pod Security Admission), `podSecurity` (an exclude of the rule), `exception` (a PolicyException) or
   * `rule`.
   */
  system: "psa" | "podSecurity" | "exception" | "rule";
  /** Whether it can. */
  can: boolean;
  /** Why it cannot, or what is to be known. */
  note: string;
  /** The change, as YAML. */
  text: string;
  /** Whether the workload gets in with it. */
  admits: boolean;
  /** How many attackers get in as well. */
  letIn: number;
  /** How many were tried. */
  tried: number;
  /** Which attackers get in, by name. */
  names: string[];
}

/** The narrowest exemption of one form for a refused workload. */
export interface SieveNarrow {
  /** The workload. */
  resource: ObjectRef;
  /** The policy that refuses it. */
  policy: string;
  /** The rule that refuses it. */
  rule: string;
  /** `exception`, `podSecurity` or `rule`. */
  form: "exception" | "podSecurity" | "rule";
  /** The whole object to use, as YAML: the PolicyException, or the policy with its change. */
  object: string;
  /** The part that is new, as YAML. */
  change: string;
  /** The attackers that it shuts out. */
  refuses: string[];
  /** The attackers that get in all the same. */
  admits: string[];
  /** What is to be known, one line each. */
  notes: string[];
}

/** What is to be injected. */
export interface MeshInput {
  /** Pods, workloads, and Namespaces with their labels and annotations. */
  resources?: Texts;
  /** Further objects, of which Namespaces alone count. */
  clusterResources?: Texts;
  /** The mesh, its version and options: `istio@1.27,cni`. Where it is empty, only the releases are told. */
  mesh?: string;
}

/** Pods as they arrive. */
export interface MeshOutput {
  /** Whose verdicts these are. */
  version: Version;
  /** Whether all that was given was read; what was not is named by the diagnostics that are errors. */
  complete: boolean;
  /** The mesh: `istio` or `linkerd`; empty where none was asked for or the question was wrong. */
  mesh: string;
  /** The version that was asked for. */
  asked: string;
  /** The release that answers for it. */
  release: string;
  /** What is to be known about that, in one line. */
  note?: string;
  /** One entry for each object that is or makes a Pod, in the order of the texts. */
  objects: MeshObject[];
  /** All releases that can be asked for, oldest first. */
  releases: MeshRelease[];
  /** What is to be said about the texts and the question. */
  diagnostics: Diagnostic[];
}

/** One Pod as it arrives. */
export interface MeshObject {
  /** The object that is or makes the Pod. */
  resource: ObjectRef;
  /** What became of it; `already` where it was injected before, `refused` by the injector itself. */
  outcome: "injected" | "left" | "already" | "refused";
  /** Why: `the namespace's label istio-injection: enabled`. */
  reason: string;
  /** The Pod as YAML. */
  pod: string;
  /** All that the mesh added or changed. */
  added: MeshAdded[];
  /** The strictest level of the Pod Security Standards that the object satisfies as it is written. */
  before: "privileged" | "baseline" | "restricted";
  /** The strictest level that the Pod satisfies as it arrives. */
  after: "privileged" | "baseline" | "restricted";
  /** Where the Pod satisfies less than the object: what that means, in one sentence. */
  gap?: string;
}

/** One piece that is the mesh's. */
export interface MeshAdded {
  /** The way to it from the Pod: `spec.initContainers[0]`. */
  path: string;
  /** What it is: `container istio-init`. */
  what: string;
  /** Its lines in the Pod's YAML. */
  range?: Range;
}

/** A release and its options. */
export interface MeshRelease {
  /** `istio` or `linkerd`. */
  mesh: string;
  /** The release: `1.26.8`. */
  version: string;
  /** The first version that it stands for: `1.26`. */
  from: string;
  /** The repository and the tag that were read. */
  source: string;
  /** Whether the proxy is a native sidecar unless `classic` is asked for. */
  native: boolean;
  /** What may stand behind the version, by name. */
  options: string[];
}

/** What is to be explained. */
export interface ExplainInput {
  /** What is to be decided; its `trace` makes no difference. */
  input?: Input;
  /** Only rules of this name, as written or as autogen names them. */
  rule?: string;
  /**
   * Only what is said of this resource, by kind, namespace and name, and where it has a range by its line and column; of the first
   * 20 of several, and of all resources where it is absent.
   */
  resource?: Pick<ObjectRef, "kind" | "namespace" | "name" | "range">;
  /** Leaves out the search for edits. */
  noEdits?: boolean;
  /** Tells of every step which fields of the resource it looked at. */
  reads?: boolean;
}

/** Why everything was decided as it was. */
export interface ExplainOutput {
  /** Whose verdicts these are. */
  version: Version;
  /**
   * Whether all that was given was read and evaluated; zero failures are a pass only then. What was not is named by the
   * diagnostics that are errors.
   */
  complete: boolean;
  /** One entry a policy, resource and rule. */
  explanations: Explanation[];
  /** Policies that Kyverno refuses, with its words. */
  refused: Refused[];
  /** What is to be said about the texts. */
  diagnostics: Diagnostic[];
}

/** Why one rule said what it said of one resource. */
export interface Explanation {
  /** The policy. */
  policy: ObjectRef;
  /** The resource. */
  resource: ObjectRef;
  /** The rule's name; with `autogen-` before it where autogen made the rule; empty where no rule was asked. */
  rule: string;
  /** The rule as the author named it, where autogen made this one. */
  autogen?: string;
  /** The verdict; `noMatch` for a rule that is not for the resource, `undecided` for one of a kind that is not evaluated. */
  verdict: Status | "noMatch" | "undecided";
  /** What a cluster would do with the request because of it; `unknown` where it is not decided. */
  effect: "allow" | "report" | "warn" | "unknown" | "deny";
  /** Kyverno's words; empty where no rule spoke. */
  message: string;
  /** Why, in one sentence: the step that decided. */
  sentence: string;
  /** The steps that decided, by their places in `steps`; the first is the one of the sentence. */
  deciding: number[];
  /** The fields of the resource that these steps looked at. */
  fields: ExplainField[];
  /** What happened on the way. */
  steps: Step[];
  /** The smallest edits found that make a failing rule pass; tried on the resource. Absent where none were found. */
  edits?: Edit[];
  /** The fields that the steps looked at, where `reads` was asked for. */
  reads?: ExplainRead[];
}

/** A field of the resource that a step looked at. */
export interface ExplainRead {
  /**
   * The step, by its place in `steps`; absent for a check of the Pod Security Standards that passes beside others that do not,
   * and is not a step.
   */
  step?: number;
  /** The way to the field. */
  path: string;
  /** Whether the resource has no such field. */
  absent: boolean;
  /** Its lines; those of what holds it where it is absent. */
  range?: Range;
}

/** A field of the resource that decided. */
export interface ExplainField {
  /** The way to it: `spec.containers[0].image`. */
  path: string;
  /** Its value as JSON; absent where the resource has no such field. */
  value?: string;
  /** What the policy wants there, as JSON: a part of a pattern, or the other side of a condition. */
  wanted?: string;
  /** The literals of the expression that reads it, as JSON. */
  literals?: string[];
  /** Its lines; those of what holds it where the field is absent. */
  range?: Range;
}

/** A change of one field of a resource. */
export interface Edit {
  /** The way to the field. */
  path: string;
  /** Its value before, as JSON; absent where it was not there. */
  before?: string;
  /** Its value after, as JSON; absent where it goes. */
  after?: string;
  /** The changed lines with what they stand in, as YAML; empty where the field goes. */
  yaml: string;
  /** The lines that change; those of what holds the field where it is absent. */
  range?: Range;
}

/** An expression of a policy, a cleanup policy or a PolicyException. */
export interface EvaluateInput {
  /** The texts, as for `apply`. */
  input?: Input;
  /** In which of the texts the expression stands; `policies` where it is absent. */
  place?: "policies" | "exceptions";
  /** Where it stands in the first of these texts, in UTF-16 units. */
  at?: number;
  /** The expression, or a part of one; braces around it are left out. */
  expression?: string;
  /**
   * The resource that it is evaluated on, by kind, namespace and name; the first that the rule is for where it is absent
   * or the rule is not for it.
   */
  resource?: Pick<ObjectRef, "kind" | "namespace" | "name">;
}

/** Its value. */
export interface EvaluateOutput {
  /** Whose values these are. */
  version: Version;
  /** The rule in whose context it was evaluated. */
  rule: string;
  /** The resource that it was evaluated on. */
  resource: ObjectRef;
  /** The lists of the loops around it, outermost first: of each its first element was taken. */
  loops: string[];
  /** The parts from the innermost to the whole expression, which comes last. */
  values: Evaluated[];
}

/** A part of an expression and its value. */
export interface Evaluated {
  /** The part. */
  expression: string;
  /** Its value as JSON; absent where it has none. */
  value?: string;
  /** Why it has none, in Kyverno's words. */
  error?: string;
}

/** A document of a text, and what it shall say. */
export interface RewriteInput {
  /** The text, of one or many documents. */
  text?: string;
  /** A place in the document that changes, in UTF-16 units, such as the beginning of its range. */
  at?: number;
  /** What the document shall say, as YAML; what it says now where it is absent. */
  object?: string;
  /** Changes of single fields, by their `path` and `after`; as `explain` gives them. */
  edits?: Pick<Edit, "path" | "after">[];
}

/** The text afterwards. */
export interface RewriteOutput {
  /** The whole text, in which that document alone has changed, as little as could be. */
  text: string;
}

/** The texts of a Kyverno Playground link: `policy`, `resource`, `oldResource`, `context`, `config`, … */
export type ShareState = Record<string, string>;

/** What a link carries. */
export interface DecodedShare {
  /** Its texts, in their order. */
  state: ShareState;
  /** Whether the link is whole; a link that was cut gives what is left of it. */
  complete: boolean;
  /** What is to be said about it. */
  notes: ShareNote[];
}

/** A remark about a link. */
export interface ShareNote {
  /** A stable name. */
  code: string;
  /** One line. */
  message: string;
}

/** An expression and what it is asked over. */
export interface CelInput {
  /** The expression. */
  expression: string;
  /** `object`, a resource as it was read; numbers are doubles, as in the Kyverno CLI. Without one, there is no request either. */
  object?: unknown;
  /** Further variables, by their names. */
  variables?: Record<string, unknown>;
  /** Whose functions, variables and limits there are (default: `ValidatingPolicy`). */
  kind?:
    | "ValidatingPolicy" | "MutatingPolicy" | "GeneratingPolicy" | "DeletingPolicy" | "ValidatingAdmissionPolicy"
    | "validate.cel";
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

/** Loads the module in a browser; without it nothing else works there. In Node there is nothing to wait for. */
export default function init(source?: string | URL | Request | Response | BufferSource | WebAssembly.Module): Promise<void>;
export { init };

/** Evaluates policies against resources. What is wrong with a text is in the output's diagnostics, not thrown. */
export function apply(input: Input): Output;

/** Says why each rule decided as it did, and which edits, tried by running them, make a failing one pass. */
export function explain(input: ExplainInput): ExplainOutput;

/** Evaluates Pods and workloads by the Pod Security Standards, check by check, as Kubernetes does. */
export function psa(input: PsaInput): PsaOutput;

/** Reads a link of the Kyverno Playground in any form people pass on; throws where nothing can be read. */
export function decodeShare(text: string): DecodedShare;

/** Writes what stands behind `#/?content=` in a link; the order of the keys is kept. */
export function encodeShare(state: ShareState): string;

/** Evaluates an expression of Kyverno's JMESPath dialect; throws with the words of the original. */
export function jmespath(expression: string, document: unknown): unknown;

/**
 * Evaluates an expression of CEL as the policies of a kind hold it, with the functions of Kubernetes and Kyverno; what is wrong
 * with the expression is in the output, not thrown. Not in `podsieve/classic`.
 */
export function cel(input: CelInput): CelOutput;

/** Every function that an expression of JMESPath may call, by name, with examples: for completion and documentation. */
export function functions(): FunctionDoc[];

/** The versions of the engine and of the Kyverno release that it follows. */
export function version(): Version;
