//! Objects that the Pod Security Standards admit at their strictest.
//!
//! In: the smallest object of a kind, and the places that are varied. Out: the same with the security contexts that the level Restricted asks
//! for: of policies that ask for several fields at once, each shows only beside the others.
//! Source: Pod Security Standards, Restricted; the checks themselves are those of `engine-podsecurity`.

use crate::objects::schema::Schema;
use crate::reads::field_path::{Elements, FieldPath, Step, field_path, put};
use crate::search::cells::Cells;
use engine_json::Value;

const CONTEXT: &str = "securityContext";
const CONTAINERS: &str = "containers";

/// Pods of Linux, and of Windows where a place is their system, which are asked for less since version 1.25; nothing where no place is part of
/// a security context.
pub(crate) fn hardened(smallest: &Value, cells: &[Cells], schema: &Schema) -> Vec<Value> {
    let Some(spec) = cells.iter().find_map(|cells| pod_spec(&cells.path)) else { return Vec::new() };
    let with = |rows: &[(&[&str], Value)]| {
        let mut object = smallest.clone();
        for (keys, value) in rows {
            let path = [spec.as_slice(), &field_path(keys)].concat();
            put(&mut object, &path, Some(value), Elements::All, schema);
        }
        object
    };
    let of_user: (&[&str], Value) = (&[CONTEXT, "runAsNonRoot"], Value::Bool(true));
    let mut all = vec![with(&[
        of_user.clone(),
        (&[CONTEXT, "seccompProfile", "type"], Value::from("RuntimeDefault")),
        (&[CONTAINERS, "[]", CONTEXT, "allowPrivilegeEscalation"], Value::Bool(false)),
        (&[CONTAINERS, "[]", CONTEXT, "capabilities", "drop"], Value::array(vec![Value::from("ALL")])),
    ])];
    let system: &[&str] = &["os", "name"];
    let path = [spec.as_slice(), &field_path(system)].concat();
    if cells.iter().any(|cells| cells.path == path) {
        all.push(with(&[of_user, (system, Value::from("windows"))]));
    }
    all
}

/// The way to the specification of the Pod, where the place is part of a security context.
fn pod_spec(path: &[Step]) -> Option<FieldPath> {
    let is = |step: &Step, wanted: &str| matches!(step, Step::Key(key) if key.as_str() == wanted);
    let context = path.iter().position(|step| is(step, CONTEXT))?;
    let spec = path.iter().take(context).rposition(|step| is(step, "spec"))?;
    Some(path.get(..=spec)?.to_vec())
}
