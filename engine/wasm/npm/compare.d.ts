// Types of podsieve/compare: whether two policies decide the same, and classic policies written anew in CEL, over a module of its own. The
// shapes are those of `podsieve compare --format json` and `podsieve convert --format json`, with whole ranges and objects as YAML.
import type { Diagnostic, Range, TestFolder, Texts } from "./index.js";

export type { Diagnostic, Range, TestFolder, Text, Texts } from "./index.js";
export { default, init } from "./index.js";

/** What of a search is limited; where nothing is said, as in the terminal. */
export interface SearchLimits {
  /** How many requests are tried at most; 8,000. */
  maxRequests?: number;
  /** How many seconds a search takes at most; 30. `convert` counts them for each policy. */
  maxSeconds?: number;
}

/** Two sides. Policies of any kind, PodSecurityPolicies, or a level of Pod Security: `level: restricted`. */
export interface CompareInput extends SearchLimits {
  /** The policies as they are. */
  old: Texts;
  /** Those that are to take their place. */
  new: Texts;
  /** Objects to begin with. */
  resources?: Texts;
  /** Which operations are tried; creations and updates, and deletions where a policy decides about them. */
  operations?: ("CREATE" | "UPDATE" | "DELETE")[];
  /** Whether the status of each rule counts too. */
  rules?: boolean;
  /** Whether both sides are compared as if they enforced. */
  enforced?: boolean;
  /** How many mistakes are put into the new side where no difference is found; 24. */
  mutants?: number;
  /** What random numbers begin with: the same seed gives the same answer. */
  seed?: number;
}

export type Grade = "same" | "no difference found" | "different" | "not compared";

/** The answer: a grade, and what shows it. */
export interface CompareOutput {
  grade: Grade;
  /** The smallest requests on which the sides differ. */
  findings: Finding[];
  /** Why they are not compared. */
  reasons: { side: "old" | "new"; text: string; range?: SideRange }[];
  /** How far the search came. */
  search: SearchCounts;
  /** Mistakes in the new side that no request noticed. */
  notNoticed: { class: string; text: string }[];
  /** Settings in which the sides differ and that are not compared, as `spec.background`: a grade without a difference is one but for these. */
  butFor: string[];
  /** What the answer rests on. */
  assumptions: string[];
  /** Whether the search ended by its limit or by `onProgress`. */
  stopped: boolean;
}

/** A stretch of a side's text. */
export type SideRange = Omit<Range, "input"> & { input: "old" | "new" };

/** A request on which the sides differ. */
export interface Finding {
  /** `wider`: the new side admits what the old one did not; `stricter`: the reverse; `otherwise`: another object, or other objects. */
  direction: "wider" | "stricter" | "otherwise";
  operation: "CREATE" | "UPDATE" | "DELETE";
  /** What the request is for beside the object: ephemeral containers that are added to a Pod. */
  subresource?: "ephemeralcontainers";
  /** Where the difference lies between the kinds of policies, whatever they say, or in texts that hardly an object has. */
  gap?: "ephemeral-containers" | "replication-controllers" | "existing-violations" | "unreadable-images" | "wildcards";
  /** The gap in a sentence. */
  explanation?: string;
  object: unknown;
  /** The object as YAML. */
  yaml: string;
  /** The object as it was before an update. */
  oldObject?: unknown;
  /** The same as YAML, where it differs from the object. */
  oldYaml?: string;
  user: string;
  groups: string[];
  /** Labels of the Namespace. */
  namespaceLabels: [string, string][];
  /** What the cluster holds, where policies ask for it. */
  cluster: unknown[];
  /** The same as YAML. */
  clusterYaml: string[];
  old: Decision;
  new: Decision;
  /** A folder for `kyverno test` that passes with the old side and fails with the new one; absent where it could not show the difference. */
  test?: TestFolder;
  /** Why there is no such test. */
  noTest?: string;
}

/** What a cluster does by one side. */
export interface Decision {
  effect: "allow" | "report" | "warn" | "deny" | "unknown";
  rules: { policy: string; rule: string; status: string; message: string; range?: SideRange }[];
  /** The object as this side leaves it, where it changes it, as YAML. */
  object?: string;
  /** What it generates, as YAML. */
  generated: string[];
}

/** How far a search came. */
export interface SearchCounts {
  /** The cases that stand for all requests, where every one of them was decided the same; 0 where the grade is not `same`, or needs none. */
  cases: number;
  requests: number;
  undecided: number;
  assumed: number;
  onlyWritten: number;
  places: number;
  oldBranches: number;
  newBranches: number;
  pairsMet: number;
  pairsNotMet: number;
  mutants: number;
  noticed: number;
}

/** Policies to convert. */
export interface ConvertInput extends SearchLimits {
  policies: Texts;
  /** Whether the new policies are not compared with their sources. */
  noCompare?: boolean;
  /**
   * What they become: of Kyverno's classic kinds those in CEL (`cel`, where it is not given), of ValidatingPolicies and classic ones
   * policies of the API server, or of these ValidatingPolicies.
   */
  to?: "cel" | "ValidatingAdmissionPolicy" | "ValidatingPolicy";
}

export interface ConvertOutput {
  policies: Conversion[];
  /** What is wrong with the texts themselves. */
  diagnostics: Diagnostic[];
}

/** A policy, and what became of it. */
export interface Conversion {
  /** Which of the texts it stands in, from 0. */
  index: number;
  range?: Range;
  kind: string;
  name: string;
  /** Whether all of it is converted; it is converted whole or not at all. */
  converted: boolean;
  /** The policies in CEL as YAML; empty where it is not converted. */
  text: string;
  /** How the new policies compare with their source. */
  grade?: Grade;
  requests: number;
  /** Whether the comparison ended before it was through. */
  stopped: boolean;
  /** Whether the source admits updates of objects that failed before, which is not counted as a difference. */
  allowsExistingViolations: boolean;
  findings: Finding[];
  reasons: { side: "old" | "new"; text: string }[];
  /** What has no faithful form, with its line. */
  refused: { rule: string; class: string; field: string; text: string; range?: Range }[];
  /** What a reader should know. */
  notes: string[];
}

/** Is called at most ten times a second with how many requests were tried; where it returns `false` the search ends. */
export type OnProgress = (requests: number) => boolean | void;

/** Looks for a request on which two sides decide differently. Takes up to `maxSeconds`: in a browser it belongs into a worker. */
export function compare(input: CompareInput, onProgress?: OnProgress): CompareOutput;

/** Writes classic policies anew in CEL, and compares each with what it became. */
export function convert(input: ConvertInput, onProgress?: OnProgress): ConvertOutput;
