//! What the elements of a `foreach` are, as far as the text of its list says so.
//!
//! In: a loop. Out: where in the object its elements lie: `request.object.spec.[initContainers, containers][]` has those of two lists.

use engine_json::Value;

/// The ways to the elements; nothing where the list is put together of anything else. Where patterns are held against the whole object
/// (`elementScope: false`) that is one empty way.
pub(crate) fn scopes(each: &Value) -> Option<Vec<Vec<String>>> {
    if each.get("elementScope").and_then(Value::as_bool) == Some(false) {
        return Some(vec![Vec::new()]);
    }
    of_list(each.find_str(&["list"]))
}

/// The ways to the elements of a list.
pub(crate) fn of_list(list: &str) -> Option<Vec<Vec<String>>> {
    let rest = list.trim().strip_prefix("request.object.")?;
    let rest = rest.strip_suffix("[]").unwrap_or(rest);
    let is_name = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric());
    let of_several = rest.strip_suffix(']').and_then(|rest| rest.split_once(".["));
    let (before, several) = if let Some((before, several)) = of_several {
        (before, several.split(',').map(str::trim).collect::<Vec<_>>())
    } else {
        let (before, last) = rest.rsplit_once('.')?;
        (before, vec![last])
    };
    let keys: Vec<&str> = before.split('.').collect();
    if !keys.iter().chain(&several).all(|key| is_name(key)) {
        return None;
    }
    let way = |last: &str| keys.iter().copied().chain([last, "[]"]).map(str::to_owned).collect();
    Some(several.into_iter().map(way).collect())
}

#[cfg(test)]
mod tests {
    use super::of_list;

    #[test]
    fn the_elements_of_plain_lists_have_a_place() {
        let ways =
            |list: &str| of_list(list).map(|ways| ways.iter().map(|way| way.join(".")).collect::<Vec<_>>());
        assert_eq!(ways("request.object.spec.containers"), Some(vec!["spec.containers.[]".to_owned()]));
        assert_eq!(ways("request.object.spec.containers[]"), Some(vec!["spec.containers.[]".to_owned()]));
        let both = vec!["spec.initContainers.[]".to_owned(), "spec.containers.[]".to_owned()];
        assert_eq!(ways("request.object.spec.[initContainers, containers][]"), Some(both));
        assert_eq!(ways("request.object.spec.volumes[?secret]"), None);
        assert_eq!(ways("element.volumeMounts"), None);
        assert_eq!(ways("request.object.spec.containers || `[]`"), None);
    }
}
