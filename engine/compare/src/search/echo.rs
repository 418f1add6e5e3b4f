//! The same request about a Pod: what a controller's template shows, a Pod alone may show as well.
//!
//! In: a request about a controller. Out: that about the Pod of its template, and about a Deployment of it. A mistake that shows there is not one
//! about that controller: most policies say the same of all of them.

use crate::objects::kinds::{CONTROLLERS, in_controller, pod_spec_of};
use crate::objects::schema::Schema;
use crate::objects::valid::complete;
use crate::request::{Attributes, Operation, Request};
use engine_json::{Path, Str, Value};

/// What has a template and its controller each for itself.
const OWN_METADATA: [&str; 2] = ["labels", "annotations"];

/// The requests about plainer kinds, the plainest first; none for what is no controller.
pub(crate) fn plainer_kinds(request: &Request, schema: &Schema) -> Vec<Request> {
    let kind = Str::new(request.object.find_str(&["kind"]));
    if !CONTROLLERS.iter().any(|(_, known)| *known == kind.as_str()) || request.attributes.of.is_some() {
        return Vec::new();
    }
    let with = |change: &dyn Fn(&Value) -> Option<Value>| {
        let changed = |object: &Value| {
            let mut object = change(object)?;
            complete(&mut object, schema);
            Some(object)
        };
        let old = match &request.attributes.old {
            Some(old) => Some(changed(old)?),
            None => None,
        };
        let attributes = Attributes { old, ..request.attributes.clone() };
        Some(Request { object: changed(&request.object)?, attributes })
    };
    let deployment = with(&as_deployment).filter(|_| kind != "Deployment");
    let all: Vec<Request> = with(&as_pod).into_iter().chain(deployment).collect();
    // Of a Pod less may be changed: what an update shows may show when the Pod is made.
    let is_update = request.attributes.operation == Operation::Update;
    let made = all.iter().filter(|_| is_update).map(|plainer| {
        let attributes = Attributes { operation: Operation::Create, old: None, ..plainer.attributes.clone() };
        Request { attributes, ..plainer.clone() }
    });
    made.collect::<Vec<_>>().into_iter().chain(all).collect()
}

/// The template of a controller as a Pod of its name.
fn as_pod(controller: &Value) -> Option<Value> {
    let (_, way) = pod_spec_of(controller.find_str(&["kind"]))?.split_last()?;
    let template = controller.find(way)?;
    let mut pod = Value::default();
    let mut put = |path: &[&str], value: Option<Value>| {
        pod.put(&Path::from_keys(path), value);
    };
    put(&["apiVersion"], Some(Value::from("v1")));
    put(&["kind"], Some(Value::from("Pod")));
    for field in ["name", "namespace"] {
        put(&["metadata", field], controller.find(&["metadata", field]).cloned());
    }
    for field in OWN_METADATA {
        put(&["metadata", field], template.find(&["metadata", field]).cloned());
    }
    put(&["spec"], template.get("spec").cloned());
    Some(pod)
}

/// The same as a Deployment.
fn as_deployment(controller: &Value) -> Option<Value> {
    let mut pod = as_pod(controller)?;
    // What a Job runs ends, and what a Deployment runs does not.
    pod.put(&Path::from_keys(&["spec", "restartPolicy"]), None);
    let mut deployment = in_controller(&pod, "apps/v1", "Deployment", &Value::Null);
    for field in OWN_METADATA {
        let own = controller.find(&["metadata", field]).cloned();
        deployment.put(&Path::from_keys(&["metadata", field]), own);
    }
    Some(deployment)
}

#[cfg(test)]
mod tests {
    use super::plainer_kinds;
    use crate::objects::schema::Schema;
    use crate::request::Request;
    use engine_json::to_json;

    #[test]
    fn a_cron_job_is_a_pod_and_a_deployment() {
        let text = "{apiVersion: batch/v1, kind: CronJob, metadata: {name: c, labels: {a: b}}, spec: {jobTemplate: {spec: {template: {\
                    metadata: {labels: {d: e}}, spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}}}}";
        let object = engine::yaml::parse_one(text).unwrap_or_default();
        let all = plainer_kinds(&Request::of(object), &Schema::new());
        let all: Vec<String> = all.iter().map(|request| to_json(&request.object)).collect();
        assert_eq!(all.len(), 2);
        assert_eq!(
            all[0],
            r#"{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"d":"e"},"name":"c"},"spec":{"containers":[{"image":"i","name":"c"}],"restartPolicy":"Never"}}"#
        );
        assert!(all[1].contains(r#""metadata":{"labels":{"a":"b"},"name":"c"}"#), "{}", all[1]);
        assert!(!all[1].contains("restartPolicy"), "{}", all[1]);
    }
}
