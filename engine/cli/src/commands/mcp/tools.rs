//! The tools: a row each, with what an agent is told of it.
//!
//! In: arguments as JSON. Out: an answer of the front with what an agent needs of it, fitted into what it reads at once.

use super::fitted::{MOST, fit};
use super::fixes::fixes;
use super::roots::Roots;
use super::sources::{fields, schema, texts, word};
use crate::world::as_written as world;
use engine::load::Host;
use engine_lenses::wire::{Diagnostic, ExplainInput, Input, ObjectRef, PsaInput, Range, Refused, SieveInput};
use podsieve::{CompareInput, ConvertInput, To, Within};
use serde_json::{Map, Value, json};

/// Arguments by name.
type Fields = Map<String, Value>;

/// One tool.
pub(super) struct Tool {
    pub(super) name: &'static str,
    title: &'static str,
    about: &'static str,
    /// Its arguments beside `detail`: the schema of each.
    arguments: fn() -> Value,
    /// Those that it cannot do without.
    required: &'static [&'static str],
    /// The fields that every answer has, with their types.
    fields: &'static [(&'static str, &'static str)],
    answer: fn(&Fields, &Roots) -> Result<Value, String>,
}

impl Tool {
    /// As `tools/list` has it.
    pub(super) fn described(&self) -> Value {
        let output = self.fields.iter().map(|(name, of)| ((*name).to_owned(), json!({"type": of})));
        let mut output: Map<String, Value> = output.collect();
        output.insert("leftOut".to_owned(), json!({"type": "array", "items": {"type": "string"}, "description": "what the answer does not hold; `detail: all` gives it"}));
        let required: Vec<&String> = output.keys().collect();
        json!({
            "name": self.name, "title": self.title, "description": self.about, "inputSchema": self.input(),
            "outputSchema": {"type": "object", "required": required, "properties": output},
            "annotations": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false},
        })
    }

    fn input(&self) -> Value {
        let mut properties = (self.arguments)();
        if let Some(properties) = properties.as_object_mut() {
            let about = "`all`: the whole answer, however long it is";
            properties.insert(
                "detail".to_owned(),
                json!({"type": "string", "enum": ["short", "all"], "description": about}),
            );
        }
        json!({"type": "object", "additionalProperties": false, "required": self.required, "properties": properties})
    }

    /// The answer, or what is wrong with the arguments.
    pub(super) fn answer(&self, arguments: &Value, roots: &Roots) -> Result<Value, String> {
        let fields = fields(arguments, &self.input())?;
        if let Some(missing) = self.required.iter().find(|name| !fields.contains_key(**name)) {
            return Err(format!("the argument `{missing}` is missing"));
        }
        let most = match word(fields, "detail")? {
            None | Some("short") => MOST,
            Some("all") => usize::MAX,
            Some(other) => return Err(format!("`detail` is `short` or `all`, not `{other}`")),
        };
        Ok(fit((self.answer)(fields, roots)?, most))
    }
}

/// All tools.
pub(super) const TOOLS: [Tool; 9] = [
    Tool {
        name: "evaluate",
        title: "Decide",
        about: "What policies decide about Kubernetes objects, in Kyverno's words, with the lines that decided: what fails, warns or errs, and the counts. Passes are counted, not listed.",
        arguments: || json!({"policies": schema(POLICIES), "resources": schema(RESOURCES), "exceptions": schema("PolicyExceptions"), "values": schema("values files of the Kyverno CLI"), "host": host()}),
        required: &["policies", "resources"],
        fields: &[
            ("complete", "boolean"),
            ("counts", "object"),
            ("findings", "array"),
            ("refused", "array"),
            ("diagnostics", "array"),
        ],
        answer: evaluate,
    },
    Tool {
        name: "explain",
        title: "Explain",
        about: "Why rules decided as they did, in a sentence with the fields that decided, and the smallest edits of the object that make each failing rule pass; every edit was tried.",
        arguments: || json!({"policies": schema(POLICIES), "resources": schema(RESOURCES), "exceptions": schema("PolicyExceptions"), "rule": {"type": "string", "description": "one rule alone, whatever it decided"}, "host": host()}),
        required: &["policies", "resources"],
        fields: &[
            ("complete", "boolean"),
            ("explanations", "array"),
            ("refused", "array"),
            ("diagnostics", "array"),
        ],
        answer: explain,
    },
    Tool {
        name: "check",
        title: "Check",
        about: "What is wrong with policies and objects before they are used: YAML, fields and types with line and hint, what Kyverno refuses in its words, fields that no API server knows, rules that can hardly be meant.",
        arguments: || json!({"policies": schema(POLICIES), "resources": schema(RESOURCES)}),
        required: &["policies"],
        fields: &[
            ("complete", "boolean"),
            ("loaded", "object"),
            ("refused", "array"),
            ("diagnostics", "array"),
            ("fixes", "array"),
        ],
        answer: check,
    },
    Tool {
        name: "test",
        title: "Run tests",
        about: "The tests of policies below folders (kyverno-test.yaml), as `kyverno test` counts them: what fails with the reason, successes that compared nothing, tests that could not run.",
        arguments: || json!({"paths": {"type": "array", "items": {"type": "string"}, "description": "folders or test files below the roots"}}),
        required: &["paths"],
        fields: &[
            ("complete", "boolean"),
            ("files", "integer"),
            ("counts", "object"),
            ("failures", "array"),
            ("doubts", "array"),
            ("errors", "array"),
        ],
        answer: test,
    },
    Tool {
        name: "compare",
        title: "Compare",
        about: "Whether two sets of policies decide the same: a search for a request on which they differ. Gives the grade and the smallest such objects.",
        arguments: || json!({"old": schema("the policies as they are"), "new": schema("those that are to take their place"), "resources": schema("objects to begin with"), "seconds": {"type": "number", "description": "how long to search, 10 where this is not given"}}),
        required: &["old", "new"],
        fields: &[("grade", "string"), ("findings", "array"), ("reasons", "array"), ("stopped", "boolean")],
        answer: compare,
    },
    Tool {
        name: "convert",
        title: "Convert",
        about: "Classic Kyverno policies (ClusterPolicy) written anew in CEL, each compared with its source, or the lines that have no faithful form.",
        arguments: || json!({"policies": schema("ClusterPolicies and Policies"), "to": {"type": "string", "enum": ["cel", "ValidatingAdmissionPolicy"], "description": "`cel` where this is not given"}}),
        required: &["policies"],
        fields: &[("policies", "array"), ("diagnostics", "array")],
        answer: convert,
    },
    Tool {
        name: "narrow",
        title: "Narrow exemptions",
        about: "Who gets in through the exemptions of policies (exclude blocks, PolicyExceptions, preconditions), and what shuts them out; for refused workloads the narrowest exemption. Every claim was run.",
        arguments: || json!({"policies": schema(POLICIES), "resources": schema("the workloads that exemptions are meant for, or that are refused"), "exceptions": schema("PolicyExceptions")}),
        required: &["policies"],
        fields: &[
            ("complete", "boolean"),
            ("exemptions", "array"),
            ("narrowest", "array"),
            ("diagnostics", "array"),
        ],
        answer: narrow,
    },
    Tool {
        name: "advise",
        title: "Pod Security labels",
        about: "The strictest Pod Security labels that workloads allow, by namespace, and what keeps them from the next level.",
        arguments: || json!({"resources": schema("Pods, workloads, Namespaces"), "version": {"type": "string", "description": "`latest` or `v1.N`"}}),
        required: &["resources"],
        fields: &[
            ("complete", "boolean"),
            ("namespaces", "array"),
            ("objects", "array"),
            ("diagnostics", "array"),
        ],
        answer: advise,
    },
    Tool {
        name: "functions",
        title: "Functions",
        about: "The functions that JMESPath expressions of Kyverno may call, by name or word, each with its signature and examples that were evaluated.",
        arguments: || json!({"word": {"type": "string", "description": "a part of the name or of what it does"}}),
        required: &["word"],
        fields: &[("functions", "array")],
        answer: functions,
    },
];

const POLICIES: &str = "policies of any kind, and what stands beside them";
const RESOURCES: &str = "Kubernetes objects";

fn host() -> Value {
    json!({"type": "string", "enum": ["cli", "playground", "cluster"], "description": "who decides: Kyverno's CLI (where this is not given), its Playground, a cluster"})
}

fn input(fields: &Fields, roots: &Roots) -> Result<Input, String> {
    let host = word(fields, "host")?.map(str::to_owned);
    if let Some(unknown) = host.as_deref().filter(|name| Host::named(name).is_none()) {
        return Err(format!("`host` is `cli`, `playground` or `cluster`, not `{unknown}`"));
    }
    Ok(Input {
        host,
        policies: texts(fields, "policies", roots)?,
        resources: texts(fields, "resources", roots)?,
        exceptions: texts(fields, "exceptions", roots)?,
        values: texts(fields, "values", roots)?,
        ..Input::default()
    })
}

fn evaluate(fields: &Fields, roots: &Roots) -> Result<Value, String> {
    let answer = podsieve::decide(&input(fields, roots)?, &world());
    let findings = answer.results.iter().flat_map(|result| {
        let spoken = result.rules.iter().filter(|rule| !matches!(&*rule.status, "pass" | "skip"));
        spoken.map(|rule| {
            json!({
                "policy": result.policy.name, "rule": &*rule.rule, "resource": object(&result.resource), "status": &*rule.status,
                "effect": &*rule.effect, "message": rule.message, "policyAt": places(&rule.policy_ranges), "resourceAt": places(&rule.resource_ranges),
            })
        })
    });
    Ok(json!({
        "complete": answer.complete, "counts": answer.counts, "findings": findings.collect::<Vec<_>>(),
        "refused": refused(&answer.refused), "diagnostics": spoken(&answer.diagnostics),
    }))
}

fn explain(fields: &Fields, roots: &Roots) -> Result<Value, String> {
    let rule = word(fields, "rule")?.map(str::to_owned);
    let asked = ExplainInput { input: input(fields, roots)?, rule: rule.clone(), ..ExplainInput::default() };
    let answer = podsieve::explain(&asked, &world());
    let wanted = answer
        .explanations
        .iter()
        .filter(|one| rule.is_some() || !matches!(&*one.verdict, "pass" | "skip" | "noMatch"));
    let explanations = wanted.map(|one| {
        let decided = one.fields.iter().map(|field| {
            json!({"path": field.path, "value": field.value, "wanted": field.wanted, "at": place(field.range.as_ref())})
        });
        let edits = one.edits.iter().map(|edit| {
            json!({"path": edit.path, "before": edit.before, "after": edit.after, "yaml": edit.yaml, "at": place(edit.range.as_ref())})
        });
        json!({
            "policy": one.policy.name, "rule": one.rule, "resource": object(&one.resource), "verdict": one.verdict, "message": one.message,
            "sentence": one.sentence, "fields": decided.collect::<Vec<_>>(), "edits": edits.collect::<Vec<_>>(),
        })
    });
    Ok(json!({
        "complete": answer.complete, "explanations": explanations.collect::<Vec<_>>(),
        "refused": refused(&answer.refused), "diagnostics": spoken(&answer.diagnostics),
    }))
}

fn check(fields: &Fields, roots: &Roots) -> Result<Value, String> {
    let input = input(fields, roots)?;
    let answer = podsieve::decide(&input, &world());
    let fields = engine_kinds::run(&input, &world());
    let all: Vec<Diagnostic> = answer.diagnostics.into_iter().chain(fields.diagnostics).collect();
    Ok(
        json!({"complete": answer.complete, "loaded": answer.loaded, "refused": refused(&answer.refused), "diagnostics": spoken(&all), "fixes": fixes(&input)}),
    )
}

fn test(fields: &Fields, roots: &Roots) -> Result<Value, String> {
    let wrong = "`paths` must be a list of folders or test files";
    let given = fields.get("paths").and_then(Value::as_array).ok_or(wrong)?;
    let paths: Vec<String> =
        given.iter().map(|path| path.as_str().map(str::to_owned)).collect::<Option<_>>().ok_or(wrong)?;
    crate::commands::test::answer(paths, roots)
}

fn compare(fields: &Fields, roots: &Roots) -> Result<Value, String> {
    let seconds = match fields.get("seconds") {
        None => SECONDS,
        Some(given) => {
            given.as_f64().filter(|seconds| *seconds > 0.0).ok_or("`seconds` must be a number above 0")?
        }
    };
    let [old, new] = ["old", "new"].map(|side| texts(fields, side, roots));
    let asked = CompareInput {
        old: old?,
        new: new?,
        resources: texts(fields, "resources", roots)?,
        max_seconds: Some(seconds.min(MAX_SECONDS)),
        mutants: Some(0),
        ..CompareInput::default()
    };
    let answer = podsieve::compare(&asked, &world(), &mut Within::default())?;
    let mut answer = serde_json::to_value(&answer).map_err(|error| error.to_string())?;
    let findings = answer.get_mut("findings").and_then(Value::as_array_mut).into_iter().flatten();
    // The same objects as YAML, and a folder of files, which `podsieve compare --write-test` writes.
    for finding in findings.filter_map(Value::as_object_mut) {
        for twice in ["object", "oldObject", "cluster", "test", "noTest"] {
            finding.remove(twice);
        }
    }
    Ok(answer)
}

/// How long a search takes where an agent does not say, and at most.
const SECONDS: f64 = 10.0;
const MAX_SECONDS: f64 = 300.0;

fn convert(fields: &Fields, roots: &Roots) -> Result<Value, String> {
    let to = match word(fields, "to")? {
        None | Some("cel") => To::Cel,
        Some("ValidatingAdmissionPolicy") => To::ValidatingAdmissionPolicy,
        Some(other) => return Err(format!("`to` is `cel` or `ValidatingAdmissionPolicy`, not `{other}`")),
    };
    let asked = ConvertInput {
        policies: texts(fields, "policies", roots)?,
        to,
        max_seconds: Some(SECONDS),
        ..ConvertInput::default()
    };
    serde_json::to_value(podsieve::convert(&asked, &world(), &mut Within::default()))
        .map_err(|error| error.to_string())
}

fn narrow(fields: &Fields, roots: &Roots) -> Result<Value, String> {
    let input = input(fields, roots)?;
    let ask = |what: &str| {
        let asked = SieveInput { ask: Some(what.to_owned()), input: input.clone(), ..SieveInput::default() };
        engine_lenses::sieve::run(&asked, &world())
    };
    let checked = ask("check");
    let narrowest = if input.resources.is_empty() { Vec::new() } else { ask("narrow").narrowest };
    let exemptions = checked.exemptions.iter().map(|one| {
        let attacks: Vec<&str> = one.attacks.iter().map(|attack| attack.text.as_str()).collect();
        json!({
            "kind": one.kind, "text": one.text, "owner": object(&one.owner), "rule": one.rule, "at": place(one.range.as_ref()), "status": one.status,
            "notes": one.notes, "width": one.width, "tried": one.tried, "getIn": attacks,
        })
    });
    Ok(json!({
        "complete": checked.complete, "exemptions": exemptions.collect::<Vec<_>>(), "narrowest": narrowest, "diagnostics": spoken(&checked.diagnostics),
    }))
}

fn advise(fields: &Fields, roots: &Roots) -> Result<Value, String> {
    let version = word(fields, "version")?.map(str::to_owned);
    let answer = engine_lenses::psa::run(&PsaInput {
        resources: texts(fields, "resources", roots)?,
        version,
        ..PsaInput::default()
    });
    let objects =
        answer.objects.iter().map(|one| json!({"resource": object(&one.resource), "reaches": one.reaches}));
    Ok(json!({
        "complete": answer.complete, "namespaces": answer.namespaces, "objects": objects.collect::<Vec<_>>(), "diagnostics": spoken(&answer.diagnostics),
    }))
}

fn functions(fields: &Fields, _: &Roots) -> Result<Value, String> {
    let word = word(fields, "word")?.unwrap_or_default().to_lowercase();
    let all = podsieve::functions();
    let found: Vec<_> = all
        .iter()
        .filter(|one| one.name.to_lowercase().contains(&word) || one.doc.to_lowercase().contains(&word))
        .collect();
    Ok(json!({"functions": found}))
}

/// `Pod shop/web`.
fn object(of: &ObjectRef) -> String {
    let ObjectRef { kind, namespace, name, .. } = of;
    if namespace.is_empty() { format!("{kind} {name}") } else { format!("{kind} {namespace}/{name}") }
}

/// `policy.yaml:12`.
fn place(range: Option<&Range>) -> Option<String> {
    range.map(|range| format!("{}:{}", range.name, range.line))
}

fn places(ranges: &[Range]) -> Vec<String> {
    ranges.iter().filter_map(|range| place(Some(range))).collect()
}

fn refused(all: &[Refused]) -> Vec<Value> {
    all.iter()
        .map(|one| json!({"policy": one.policy, "reason": one.reason, "at": place(one.range.as_ref())}))
        .collect()
}

fn spoken(all: &[Diagnostic]) -> Vec<Value> {
    let row = |one: &Diagnostic| json!({"severity": one.severity, "code": one.code, "message": one.message, "at": place(one.range.as_ref()), "hints": one.hints});
    all.iter().map(row).collect()
}
