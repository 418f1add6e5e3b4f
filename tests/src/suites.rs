//! Which files hold which suite.
//!
//! In: a folder of recorded answers. Out: [`Suite`]s with the files they read and how far the engine is with
//! them. A suite that the engine does not answer yet is listed all the same, so that none is passed over.

use crate::cluster::Given;
use crate::recorded;
use engine::json::Value;
use std::path::{Path, PathBuf};

/// How a suite is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answerer {
    /// `emit::answer` with this name, held against the file of answers.
    Emit(&'static str),
    /// `emit::answer` with `apply`; each answer must name what the original crashed on.
    Crash,
    /// `emit::answer` with this name for each row, with the Pod of its id.
    Pods(&'static str),
    /// `emit::answer` with this name for each row, which holds case and answer.
    Rows(&'static str),
    /// The built `podsieve`, run in a folder.
    Program(Deprecations),
    /// The built `podsieve test`, run over the folders of a list.
    Trees,
    /// Requests to an API server, through `cluster`, with objects as one of the two has them.
    Cluster(Given),
    /// Policies of Kubernetes by release, through `cluster::releases`.
    ClusterReleases,
    /// Pods in namespaces with a level of pod security, through `cluster::psa`.
    ClusterPods,
    /// Requests to Kyverno's controller, through `cluster::kyverno`.
    ClusterKyverno,
    /// Links through `engine_lenses::share`.
    Links,
    /// Injected Pods through `engine_lenses::injection`.
    Mesh,
    /// Nobody yet.
    NotYet,
}

/// What is made of the lines about kinds that Kyverno will remove: it prints them on standard output, `podsieve` on standard
/// error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deprecations {
    /// They came after the release that was recorded.
    Unknown,
    /// Both say the same of the same files.
    Compared,
}

/// How far the engine is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Every verdict is held: a difference is a failure.
    Complete,
    /// Counted, and known to differ.
    InProgress,
    /// Not begun: named, and counted apart.
    NotYet,
}

/// A suite.
#[derive(Clone, Debug)]
pub struct Suite {
    /// Its name on screen.
    pub name: &'static str,
    /// Who answers.
    pub answerer: Answerer,
    /// The cases, relative to the folder.
    pub input: &'static str,
    /// The answers of the original; the same file where a row holds both.
    pub expected: &'static str,
    /// Answers of a later release, which take the place of those with the same id.
    pub changed: Option<&'static str>,
}

impl Suite {
    /// Where the cases lie.
    pub fn input(&self, folder: &Path) -> PathBuf {
        folder.join(self.input)
    }

    /// Where the answers lie.
    pub fn expected(&self, folder: &Path) -> PathBuf {
        folder.join(self.expected)
    }

    /// The answers, each before that of a later release which takes its place.
    pub fn answers(&self, folder: &Path) -> Result<Vec<Value>, String> {
        let mut answers = recorded::rows(&self.expected(folder))?;
        if let Some(changed) = self.changed.map(|file| folder.join(file)) {
            answers.extend(recorded::rows(&changed)?);
        }
        Ok(answers)
    }
}

macro_rules! suite {
    ($name:literal, $answerer:expr, $stem:literal) => {
        suite!($name, $answerer, $stem, changed None)
    };
    ($name:literal, $answerer:expr, $stem:literal, changed $changed:expr) => {
        Suite {
            name: $name,
            answerer: $answerer,
            input: concat!($stem, "in.jsonl.gz"),
            expected: concat!($stem, "out.jsonl.gz"),
            changed: $changed,
        }
    };
    ($name:literal, $answerer:expr, rows $file:literal) => {
        Suite { name: $name, answerer: $answerer, input: $file, expected: $file, changed: None }
    };
}

/// The Pods of the standards' own fixtures, and generated ones.
pub const PODS: &str = "podsecurity/pods.jsonl";
/// The definitions of the custom kinds in requests to an API server.
pub const CLUSTER_KINDS: &str = "cluster/crds.yaml";
/// Generated Pods.
pub const FUZZ_PODS: &str = "podsecurity/fuzz-pods.jsonl.gz";
/// What Kyverno says of Pods with exclusions.
pub const EXCLUDED: &str = "podsecurity/kyverno-pss.jsonl.gz";
/// Lists of exclusions that rows name.
pub const EXCLUSIONS: &str = "podsecurity/kyverno-excludes.json";

/// All suites, in the order in which they are said.
pub const SUITES: &[Suite] = &[
    suite!("library", Answerer::Emit("apply"), "library/"),
    suite!("links/apply", Answerer::Emit("apply"), "links/"),
    suite!("links/decode", Answerer::Links, rows "links/links.txt"),
    suite!("playground", Answerer::Emit("playground"), "playground/"),
    suite!("random/pattern-leaf", Answerer::Emit("apply"), "random/pattern-leaf."),
    suite!("random/anchors", Answerer::Emit("apply"), "random/anchors."),
    suite!("random/conditions", Answerer::Emit("apply"), "random/conditions."),
    suite!("random/variables", Answerer::Emit("apply"), "random/variables."),
    suite!("random/match", Answerer::Emit("apply"), "random/match."),
    suite!("random/mutate", Answerer::Emit("apply"), "random/mutate."),
    suite!("random/podsecurity", Answerer::Emit("apply"), "random/podsecurity."),
    suite!("random/braces", Answerer::Emit("apply"), "random/braces."),
    suite!("random/numbers", Answerer::Emit("apply"), "random/numbers."),
    suite!("random/crash", Answerer::Crash, rows "random/crash.in.jsonl.gz"),
    suite!("random/jmespath", Answerer::Emit("jmespath"), "random/jmespath."),
    suite!("random/wildcard", Answerer::Emit("wildcard"), "random/wildcard."),
    suite!("jmespath-standard", Answerer::Emit("jmespath"), "jmespath-standard/cases."),
    suite!("random-cel/expressions", Answerer::Emit("apply"), "random-cel/cel-expressions."),
    suite!(
        "random-cel/functions",
        Answerer::Emit("apply"),
        "random-cel/cel-functions.",
        changed Some("random-1191/cel-functions.changed.jsonl")
    ),
    suite!("random-cel/syntax", Answerer::Emit("apply"), "random-cel/cel-syntax."),
    suite!("random-cel/match", Answerer::Emit("apply"), "random-cel/cel-match."),
    suite!("random-cel/exceptions", Answerer::Emit("apply"), "random-cel/cel-exceptions."),
    suite!("random-cel/rule", Answerer::Emit("apply"), "random-cel/cel-rule."),
    suite!("random-cel/admission", Answerer::Emit("apply"), "random-cel/cel-admission."),
    suite!("random-cel/mutate", Answerer::Emit("apply"), "random-cel/cel-mutate."),
    suite!("random-cel/generate", Answerer::Emit("apply"), "random-cel/cel-generate."),
    suite!("random-cel/delete", Answerer::Emit("apply"), "random-cel/cel-delete."),
    suite!("random-cel/images", Answerer::Emit("apply"), "random-cel/cel-images."),
    suite!("random-cel/json", Answerer::Emit("apply"), "random-cel/cel-json."),
    suite!("random-1191/api-path", Answerer::Emit("apply"), "random-1191/api-path."),
    suite!("random-1191/autogen-images", Answerer::Emit("apply"), "random-1191/autogen-images."),
    suite!("random-1191/autogen-mutating", Answerer::Emit("apply"), "random-1191/autogen-mutating."),
    suite!("random-1191/autogen-validating", Answerer::Emit("apply"), "random-1191/autogen-validating."),
    suite!("random-1191/global-context", Answerer::Emit("apply"), "random-1191/global-context."),
    suite!("random-1191/http-block", Answerer::Emit("apply"), "random-1191/http-block."),
    suite!("random-1191/image-exceptions", Answerer::Emit("apply"), "random-1191/image-exceptions."),
    suite!("random-1191/image-extractors", Answerer::Emit("apply"), "random-1191/image-extractors."),
    suite!("random-1191/image-functions", Answerer::Emit("apply"), "random-1191/image-functions."),
    suite!("random-1191/json-marshal", Answerer::Emit("apply"), "random-1191/json-marshal."),
    suite!("cel-spec", Answerer::Emit("cel"), "cel-spec/cases."),
    suite!("yaml/random", Answerer::Emit("yaml"), "yaml/random."),
    suite!("yaml/trees", Answerer::Emit("yaml"), "yaml/trees."),
    suite!("cli/apply", Answerer::Program(Deprecations::Unknown), rows "cli/apply.jsonl.gz"),
    suite!("cli/apply-cel", Answerer::Program(Deprecations::Unknown), rows "cli/apply-cel.jsonl.gz"),
    suite!("cli/commands", Answerer::Program(Deprecations::Unknown), rows "cli/commands.jsonl.gz"),
    suite!("cli-1.19.1/apply", Answerer::Program(Deprecations::Compared), rows "cli-1.19.1/apply.jsonl.gz"),
    suite!("cli-1.19.1/apply-cel", Answerer::Program(Deprecations::Compared), rows "cli-1.19.1/apply-cel.jsonl.gz"),
    suite!("cli-1.19.1/commands", Answerer::Program(Deprecations::Compared), rows "cli-1.19.1/commands.jsonl.gz"),
    suite!("cli-1.19.1/new", Answerer::Program(Deprecations::Compared), rows "cli-1.19.1/new-1191.jsonl.gz"),
    suite!("trees/policies", Answerer::Trees, rows "trees/policies-original.txt"),
    suite!("trees/cli", Answerer::Trees, rows "trees/cli-original.txt"),
    suite!("podsecurity/results", Answerer::Pods("psa"), rows "podsecurity/results.jsonl.gz"),
    suite!("podsecurity/results-boundaries", Answerer::Pods("psa"), rows "podsecurity/results-boundaries.jsonl.gz"),
    suite!("podsecurity/fuzz-results", Answerer::Pods("psa"), rows "podsecurity/fuzz-results.jsonl.gz"),
    suite!("podsecurity/fuzz-results-more", Answerer::Pods("psa"), rows "podsecurity/fuzz-results-more.jsonl.gz"),
    suite!("podsecurity/kyverno-pss", Answerer::Pods("kyverno-pss"), rows "podsecurity/kyverno-pss.jsonl.gz"),
    suite!("podsecurity/admission", Answerer::Rows("psa-admission"), rows "podsecurity/admission.jsonl"),
    suite!("podsecurity/admission-config", Answerer::Rows("psa-config"), rows "podsecurity/admission-config.jsonl"),
    suite!("podsecurity/check-order", Answerer::Pods("psa-order"), rows "podsecurity/check-order.jsonl"),
    suite!("mesh", Answerer::Mesh, rows "mesh/mesh.json.gz"),
    suite!("podsecurity/psp", Answerer::Rows("psp"), rows "podsecurity/psp.jsonl"),
    suite!("cluster/probes", Answerer::Cluster(Given::Stored), rows "cluster/probes.jsonl.gz"),
    suite!("cluster/admission", Answerer::Cluster(Given::Stored), rows "cluster/admission.jsonl.gz"),
    suite!("cluster/public", Answerer::Cluster(Given::Stored), rows "cluster/public.jsonl.gz"),
    suite!("cluster/converted", Answerer::Cluster(Given::Stored), rows "cluster/converted.jsonl.gz"),
    suite!("cluster/releases", Answerer::ClusterReleases, rows "cluster/releases.jsonl.gz"),
    suite!("cluster-sent/probes", Answerer::Cluster(Given::Sent), rows "cluster/probes.jsonl.gz"),
    suite!("cluster-sent/admission", Answerer::Cluster(Given::Sent), rows "cluster/admission.jsonl.gz"),
    suite!("cluster-sent/public", Answerer::Cluster(Given::Sent), rows "cluster/public.jsonl.gz"),
    suite!("cluster-sent/converted", Answerer::Cluster(Given::Sent), rows "cluster/converted.jsonl.gz"),
    suite!("cluster/psa", Answerer::ClusterPods, rows "cluster/psa.jsonl.gz"),
    suite!("cluster/kyverno", Answerer::ClusterKyverno, rows "cluster/kyverno.jsonl.gz"),
];

/// Suites, and classes of a suite (`library/validate`), in which every verdict is the original's.
const COMPLETE: &[&str] = &[
    "cli/apply/generate",
    "cli/apply/mutate",
    "cli/apply/mutate+validate",
    "cli/apply/podsecurity",
    "cli/apply/registry+validate",
    "cli/apply/validate",
    "cli/apply-cel/cel",
    "cli/commands/apply",
    "cli/commands/create",
    "cli/commands/jp",
    "cli/commands/test",
    "cli-1.19.1/apply/generate",
    "cli-1.19.1/apply/mutate",
    "cli-1.19.1/apply/mutate+validate",
    "cli-1.19.1/apply/podsecurity",
    "cli-1.19.1/apply/registry+validate",
    "cli-1.19.1/apply/validate",
    "cli-1.19.1/apply-cel/cel",
    "cli-1.19.1/commands/apply",
    "cli-1.19.1/commands/create",
    "cli-1.19.1/commands/jp",
    "cli-1.19.1/commands/test",
    "cli-1.19.1/new/test",
    "cluster/admission",
    "cluster/converted",
    "cluster/kyverno/cel",
    "cluster/kyverno/mutate",
    "cluster/kyverno/mutate+validate",
    "cluster/kyverno/podsecurity",
    "cluster/probes",
    "cluster/psa",
    "cluster/public",
    "cluster/releases",
    "cluster-sent/admission",
    "cluster-sent/converted",
    "cluster-sent/probes",
    "cluster-sent/public",
    "jmespath-standard",
    "library/cel",
    "library/cel+validate",
    "library/generate",
    "library/images",
    "library/manifests",
    "library/mutate",
    "library/mutate+validate",
    "library/podsecurity",
    "library/registry+validate",
    "library/validate",
    "links/apply",
    "links/decode",
    "mesh",
    "playground/cel",
    "playground/generate",
    "playground/images",
    "playground/mutate",
    "playground/registry+validate",
    "playground/validate",
    "podsecurity/admission",
    "podsecurity/admission-config",
    "podsecurity/check-order",
    "podsecurity/fuzz-results",
    "podsecurity/fuzz-results-more",
    "podsecurity/kyverno-pss",
    "podsecurity/psp",
    "podsecurity/results",
    "podsecurity/results-boundaries",
    "random/anchors",
    "random/conditions",
    "random/crash",
    "random/jmespath",
    "random/match",
    "random/mutate",
    "random/numbers",
    "random/pattern-leaf",
    "random/podsecurity",
    "random/variables",
    "random/wildcard",
    "random-1191/api-path",
    "random-1191/autogen-images",
    "random-1191/autogen-mutating",
    "random-1191/autogen-validating",
    "random-1191/global-context",
    "random-1191/http-block",
    "random-1191/image-exceptions",
    "random-1191/image-extractors",
    "random-1191/image-functions",
    "random-1191/json-marshal",
    "random-cel/admission",
    "random-cel/delete",
    "random-cel/exceptions",
    "random-cel/expressions",
    "random-cel/functions",
    "random-cel/generate",
    "random-cel/images",
    "random-cel/json",
    "random-cel/match",
    "random-cel/mutate",
    "random-cel/rule",
    "random-cel/syntax",
    "trees/cli",
    "trees/policies",
    "yaml/random",
    "yaml/trees",
];

/// The class of cases with policies of kinds that the page does not know, behind the recorded class where there is one.
pub const NOT_YET_CLASS: &str = "not yet";

/// Kinds that the terminal evaluates and the page does not: there are none.
pub const NOT_YET_ON_PAGE: &[&str] = &[];

/// How far the engine is with a suite, or with a class of it.
pub fn state(name: &str, class: &str) -> State {
    if COMPLETE.contains(&name) {
        return State::Complete;
    }
    if class.ends_with(NOT_YET_CLASS) { State::NotYet } else { State::InProgress }
}
