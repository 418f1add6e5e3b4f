//! HorizontalPodAutoscalers of `autoscaling/v1` and `autoscaling/v2`: what the older version has no fields for lies in annotations.
//!
//! In: an object of one version. Out: the object of the other. Mirrors: `pkg/apis/autoscaling/v1/conversion.go` of Kubernetes 1.36.

use engine_json::{Map, Str, Value, parse, to_json};

const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
const CURRENT_METRICS: &str = "autoscaling.alpha.kubernetes.io/current-metrics";
const CONDITIONS: &str = "autoscaling.alpha.kubernetes.io/conditions";
const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";

/// The annotations that say what the other version has fields for.
const ROUND_TRIP: &[&str] = &[
    METRICS,
    BEHAVIOR,
    "autoscaling.alpha.kubernetes.io/scale-down-tolerance",
    "autoscaling.alpha.kubernetes.io/scale-up-tolerance",
    CURRENT_METRICS,
    CONDITIONS,
];

/// What of a metric is converted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// What is wanted.
    Target,
    /// What is measured.
    Current,
}

impl Side {
    fn name(self) -> &'static str {
        match self {
            Side::Target => "target",
            Side::Current => "current",
        }
    }
}

/// What the older version holds where a field of the newer one is not there.
#[derive(Clone, Copy)]
enum Absent {
    Nothing,
    Text,
    Zero,
    /// Nothing on the side of the target, zero on that of what is measured.
    ZeroOfCurrent,
}

/// A field of the older version, which begins with the name of the side where it begins with `@`; its place in the newer one, where
/// `@` is the side.
type Field = (&'static str, &'static [&'static str], Absent);

const NAME: Field = ("metricName", &["metric", "name"], Absent::Text);
const SELECTOR: Field = ("selector", &["metric", "selector"], Absent::Nothing);
const RESOURCE: Field = ("name", &["name"], Absent::Text);
const UTILIZATION: Field = ("@AverageUtilization", &["@", "averageUtilization"], Absent::Nothing);
const AVERAGE: Field = ("@AverageValue", &["@", "averageValue"], Absent::ZeroOfCurrent);

/// The types of metrics, each with the field that holds it and its fields in the order of the older version.
const TYPES: &[(&str, &[Field])] = &[
    (
        "object",
        &[
            ("target", &["describedObject"], Absent::Nothing),
            NAME,
            ("@Value", &["@", "value"], Absent::Zero),
            SELECTOR,
            ("averageValue", &["@", "averageValue"], Absent::Nothing),
        ],
    ),
    ("pods", &[NAME, ("@AverageValue", &["@", "averageValue"], Absent::Zero), SELECTOR]),
    ("resource", &[RESOURCE, UTILIZATION, AVERAGE]),
    ("containerResource", &[RESOURCE, UTILIZATION, AVERAGE, ("container", &["container"], Absent::Text)]),
    (
        "external",
        &[
            NAME,
            ("metricSelector", &["metric", "selector"], Absent::Nothing),
            ("@Value", &["@", "value"], Absent::ZeroOfCurrent),
            ("@AverageValue", &["@", "averageValue"], Absent::Nothing),
        ],
    ),
];

/// The fields of behavior by the names under which its annotation has them.
const OF_BEHAVIOR: &[(&str, &str)] = &[
    ("ScaleUp", "scaleUp"),
    ("ScaleDown", "scaleDown"),
    ("StabilizationWindowSeconds", "stabilizationWindowSeconds"),
    ("SelectPolicy", "selectPolicy"),
    ("Policies", "policies"),
    ("Tolerance", "tolerance"),
    ("Type", "type"),
    ("Value", "value"),
    ("PeriodSeconds", "periodSeconds"),
];

/// The object in the version of this name.
pub(super) fn converted(object: &Value, version: &str) -> Value {
    let mut made = object.clone();
    if version == "v1" {
        to_older(&mut made);
    } else {
        to_newer(&mut made);
    }
    made
}

fn list<'v>(value: &'v Value, path: &[&str]) -> &'v [Value] {
    value.find(path).and_then(Value::as_array).unwrap_or_default()
}

fn field<'v>(object: &'v mut Value, name: &str) -> Option<&'v mut Map> {
    object.object_mut()?.get_mut(name)?.object_mut()
}

/// The utilization of a metric that says how busy processors are.
fn processor(metric: &Value, side: Side) -> Option<&Value> {
    let is_it = metric.find_str(&["type"]) == "Resource" && metric.find_str(&["resource", "name"]) == "cpu";
    metric.find(&["resource", side.name(), "averageUtilization"]).filter(|found| is_it && !found.is_null())
}

fn without_annotations(object: &mut Value) -> Vec<(Str, Value)> {
    let mut taken = Vec::new();
    if let Some(annotations) =
        field(object, "metadata").and_then(|metadata| metadata.get_mut("annotations")?.object_mut())
    {
        for name in ROUND_TRIP {
            taken.extend(annotations.remove(name).map(|value| (Str::new_static(name), value)));
        }
    }
    taken
}

fn annotate(object: &mut Value, name: &str, text: String) {
    let Some(metadata) = field(object, "metadata") else { return };
    if metadata.get("annotations").is_none_or(Value::is_null) {
        metadata.insert("annotations", Value::object(Map::new()));
    }
    if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::object_mut) {
        annotations.insert(name, Value::from(text));
    }
}

fn to_older(object: &mut Value) {
    without_annotations(object);
    let metrics = list(object, &["spec", "metrics"]).to_vec();
    let behavior = object.find(&["spec", "behavior"]).filter(|behavior| !behavior.is_null()).cloned();
    if let Some(spec) = field(object, "spec") {
        spec.remove("metrics");
        spec.remove("behavior");
        if let Some(first) = metrics.iter().find_map(|metric| processor(metric, Side::Target)) {
            spec.insert("targetCPUUtilizationPercentage", first.clone());
        }
    }
    let measured = list(object, &["status", "currentMetrics"]).to_vec();
    let conditions = list(object, &["status", "conditions"]).to_vec();
    if let Some(status) = field(object, "status") {
        status.remove("currentMetrics");
        status.remove("conditions");
        if let Some(last) = measured.iter().rev().find_map(|metric| processor(metric, Side::Current)) {
            status.insert("currentCPUUtilizationPercentage", last.clone());
        }
        if status.get("currentReplicas").is_none() {
            status.insert("currentReplicas", Value::from(0_i64));
        }
    }
    let all = |metrics: &[Value], side: Side| {
        let texts: Vec<_> = metrics.iter().map(|metric| older_metric(metric, side)).collect();
        format!("[{}]", texts.join(","))
    };
    let others: Vec<Value> =
        metrics.into_iter().filter(|metric| processor(metric, Side::Target).is_none()).collect();
    if !others.is_empty() {
        annotate(object, METRICS, all(&others, Side::Target));
    }
    if !measured.is_empty() {
        annotate(object, CURRENT_METRICS, all(&measured, Side::Current));
    }
    if let Some(behavior) = behavior {
        annotate(object, BEHAVIOR, older_behavior(&behavior));
    }
    if !conditions.is_empty() {
        let names = ["type", "status", "lastTransitionTime", "reason", "message"];
        let texts = conditions
            .iter()
            .map(|condition| text_of(names.iter().map(|name| (*name, condition.get(name).map(to_json)))));
        annotate(object, CONDITIONS, format!("[{}]", texts.collect::<Vec<_>>().join(",")));
    }
}

/// An object as JSON with its fields in this order; those without a value are left out.
fn text_of<'a>(fields: impl Iterator<Item = (&'a str, Option<String>)>) -> String {
    let written =
        fields.filter_map(|(name, text)| Some(format!("{}:{}", to_json(&Value::from(name)), text?)));
    format!("{{{}}}", written.collect::<Vec<_>>().join(","))
}

/// A metric as the older version writes it.
fn older_metric(metric: &Value, side: Side) -> String {
    let of_type = |(name, fields): &(&'static str, &'static [Field])| {
        let body = metric.get(name).filter(|body| !body.is_null())?;
        let fields = fields.iter().map(|row| (older_name(row.0, side), older_field(body, row, side)));
        Some((*name, Some(text_of(fields))))
    };
    let of = metric.get("type").map(to_json);
    text_of([("type", of)].into_iter().chain(TYPES.iter().filter_map(of_type)))
}

/// The name of a field of the older version.
fn older_name(name: &'static str, side: Side) -> &'static str {
    match (name, side) {
        ("@Value", Side::Target) => "targetValue",
        ("@Value", Side::Current) => "currentValue",
        ("@AverageValue", Side::Target) => "targetAverageValue",
        ("@AverageValue", Side::Current) => "currentAverageValue",
        ("@AverageUtilization", Side::Target) => "targetAverageUtilization",
        ("@AverageUtilization", Side::Current) => "currentAverageUtilization",
        (name, _) => name,
    }
}

fn newer_path(path: &'static [&'static str], side: Side) -> Vec<&'static str> {
    path.iter().map(|step| if *step == "@" { side.name() } else { step }).collect()
}

fn older_field(body: &Value, (name, path, absent): &Field, side: Side) -> Option<String> {
    let found = body.find(&newer_path(path, side)).filter(|found| !found.is_null());
    let absent = match (absent, side) {
        (Absent::Nothing, _) | (Absent::ZeroOfCurrent, Side::Target) => None,
        (Absent::Text, _) => Some("\"\"".to_owned()),
        (Absent::Zero | Absent::ZeroOfCurrent, _) => Some("\"0\"".to_owned()),
    };
    match *name {
        "target" => Some(text_of(
            ["kind", "name", "apiVersion"]
                .into_iter()
                .map(|name| (name, found.and_then(|found| found.get(name)).map(to_json))),
        )),
        "selector" | "metricSelector" => found.map(|found| {
            text_of(
                ["matchLabels", "matchExpressions"]
                    .into_iter()
                    .map(|name| (name, found.get(name).map(to_json))),
            )
        }),
        _ => found.map(to_json).or(absent),
    }
}

/// Behavior as its annotation holds it: by the names of Go, and null where there is nothing.
fn older_behavior(behavior: &Value) -> String {
    let text = |value: Option<&Value>| value.map_or_else(|| "null".to_owned(), to_json);
    let policy = |policy: &Value| {
        text_of(
            ["Type", "Value", "PeriodSeconds"]
                .into_iter()
                .map(|name| (name, Some(text(policy.get(newer(name)))))),
        )
    };
    let rules = |rules: &Value| {
        let policies = rules.get("policies").and_then(Value::as_array);
        let policies = policies.map_or_else(
            || "null".to_owned(),
            |policies| format!("[{}]", policies.iter().map(policy).collect::<Vec<_>>().join(",")),
        );
        text_of(
            [
                ("StabilizationWindowSeconds", Some(text(rules.get("stabilizationWindowSeconds")))),
                ("SelectPolicy", Some(text(rules.get("selectPolicy")))),
                ("Policies", Some(policies)),
                ("Tolerance", Some(text(rules.get("tolerance")))),
            ]
            .into_iter(),
        )
    };
    let side = |name: &str| {
        let given = behavior.get(name).filter(|given| !given.is_null());
        Some(given.map_or_else(|| "null".to_owned(), rules))
    };
    text_of([("ScaleUp", side("scaleUp")), ("ScaleDown", side("scaleDown"))].into_iter())
}

/// The name of a field of behavior in the newer version.
// Go: names are compared without regard to case.
fn newer(name: &str) -> &str {
    OF_BEHAVIOR.iter().find(|(of_go, _)| of_go.eq_ignore_ascii_case(name)).map_or(name, |(_, newer)| newer)
}

/// A value of the annotation of behavior; nulls are left out.
fn newer_behavior(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::array(items.iter().map(newer_behavior).collect()),
        Value::Object(map) => {
            let given = map.iter().filter(|(_, value)| !value.is_null());
            given.map(|(name, value)| (Str::from(newer(name)), newer_behavior(value))).collect::<Map>().into()
        }
        other => other.clone(),
    }
}

/// The metric that says how busy processors are to be, or are.
fn of_processors(percentage: Value, side: Side) -> Value {
    let object = |entries: Vec<(&str, Value)>| -> Value { entries.into_iter().collect::<Map>().into() };
    let of = (side == Side::Target).then(|| ("type", Value::from("Utilization")));
    let amount = of.into_iter().chain([("averageUtilization", percentage)]).collect();
    let resource = object(vec![("name", Value::from("cpu")), (side.name(), object(amount))]);
    object(vec![("type", Value::from("Resource")), ("resource", resource)])
}

/// How busy processors are to be where an object of the older version says nothing.
const DEFAULT_UTILIZATION: i64 = 80;

fn to_newer(object: &mut Value) {
    let annotations = without_annotations(object);
    let given = |name: &str| {
        let text = annotations.iter().find(|(known, _)| known == name)?.1.as_str()?;
        parse(text).ok()
    };
    let metrics = |name: &str, side: Side| {
        let given = given(name)?;
        Some(given.as_array()?.iter().map(|metric| newer_metric(metric, side)).collect::<Vec<_>>())
    };
    if let Some(spec) = field(object, "spec") {
        let percentage = spec.remove("targetCPUUtilizationPercentage").filter(|given| !given.is_null());
        let mut all = metrics(METRICS, Side::Target).unwrap_or_default();
        all.extend(percentage.map(|given| of_processors(given, Side::Target)));
        if all.is_empty() {
            all.push(of_processors(Value::from(DEFAULT_UTILIZATION), Side::Target));
        }
        spec.insert("metrics", Value::array(all));
        let behavior = given(BEHAVIOR).map(|given| newer_behavior(&given));
        if let Some(behavior) = behavior.filter(|given| given.as_object().is_some_and(|map| !map.is_empty()))
        {
            spec.insert("behavior", behavior);
        }
    }
    if let Some(status) = field(object, "status") {
        let percentage = status.remove("currentCPUUtilizationPercentage").filter(|given| !given.is_null());
        let own = percentage.map(|given| vec![of_processors(given, Side::Current)]);
        let all = metrics(CURRENT_METRICS, Side::Current).or(own);
        status.insert("currentMetrics", all.map_or(Value::Null, Value::array));
        if status.get("currentReplicas").and_then(Value::as_i64) == Some(0) {
            status.remove("currentReplicas");
        }
        if let Some(conditions) = given(CONDITIONS) {
            status.insert("conditions", conditions);
        }
    }
}

/// A metric of the older version as the newer one has it.
fn newer_metric(metric: &Value, side: Side) -> Value {
    let mut made = Map::new();
    made.insert("type", metric.get("type").cloned().unwrap_or_default());
    for (name, fields) in TYPES {
        let Some(body) = metric.get(name).filter(|body| !body.is_null()) else { continue };
        let mut newer = Value::object(Map::new());
        for (name, path, _) in *fields {
            if let Some(value) = body.get(older_name(name, side)).filter(|value| !value.is_null()) {
                put(&mut newer, &newer_path(path, side), value.clone());
            }
        }
        if side == Side::Target {
            let of = kind_of_target(name, &newer);
            if of != "Value" && newer.find_str(&["target", "value"]) == "0" {
                field(&mut newer, "target").map(|target| target.remove("value"));
            }
            put(&mut newer, &["target", "type"], Value::from(of));
        }
        made.insert(*name, newer);
    }
    made.into()
}

/// By what a metric of the older version is measured.
fn kind_of_target(of: &str, newer: &Value) -> &'static str {
    let has = |name: &str| newer.find(&["target", name]).is_some();
    match of {
        "object" if has("averageValue") => "AverageValue",
        "object" => "Value",
        "external" if has("value") => "Value",
        "resource" | "containerResource" if has("averageUtilization") => "Utilization",
        _ => "AverageValue",
    }
}

fn put(object: &mut Value, path: &[&str], value: Value) {
    let [first, rest @ ..] = path else { return };
    let map = object.make_object();
    if rest.is_empty() {
        map.insert(*first, value);
        return;
    }
    if map.get(first).is_none() {
        map.insert(*first, Value::object(Map::new()));
    }
    if let Some(inner) = map.get_mut(first) {
        put(inner, rest, value);
    }
}
