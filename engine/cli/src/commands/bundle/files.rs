//! What a bundle is made of, and where it goes.
//!
//! In: paths. Out: settings as Kubewarden would hand them over; the module without policies; written files.

use crate::args;
use crate::exit::Failure;
use crate::files;
use engine::json::{Map, Value};
use std::path::{Path, PathBuf};

/// The name of the module without policies.
const MODULE: &str = "podsieve-policy.wasm";

/// The settings that hold everything.
pub(super) fn settings(arguments: &args::Bundle) -> Result<Value, Failure> {
    let mut settings = match &arguments.settings {
        None => Map::new(),
        Some(path) => {
            let text = files::read(path).map_err(|unreadable| Failure(unreadable.original))?;
            let value = engine::yaml::parse_one(&text.text)
                .map_err(|error| Failure(format!("{path}: {}", error.message)))?;
            value.as_object().cloned().ok_or_else(|| Failure(format!("{path}: settings are an object")))?
        }
    };
    for (name, paths) in [("policies", &arguments.files), ("exceptions", &arguments.exception)] {
        let mut list: Vec<Value> = match settings.get(name) {
            Some(Value::Array(list)) => list.to_vec(),
            Some(Value::Null) | None => Vec::new(),
            Some(one) => vec![one.clone()],
        };
        list.extend(texts(paths)?.into_iter().map(|(_, text)| Value::from(text)));
        if !list.is_empty() {
            settings.insert(name, Value::array(list));
        }
    }
    Ok(Value::object(settings))
}

/// The files that these paths stand for, each with its text.
pub(super) fn texts(paths: &[String]) -> Result<Vec<(String, String)>, Failure> {
    let opened = files::opened(paths);
    if let Some(lost) = opened.lost.first() {
        return Err(Failure(lost.original.clone()));
    }
    let read = |path: String| {
        let text = files::read(&path).map_err(|unreadable| Failure(unreadable.original))?;
        Ok((path, text.text))
    };
    opened.paths.into_iter().map(read).collect()
}

/// The module without policies: where it is said to be, or beside the program.
pub(super) fn module(given: Option<&str>) -> Result<Vec<u8>, Failure> {
    let beside = || Some(std::env::current_exe().ok()?.parent()?.join(MODULE));
    let path = given.map(PathBuf::from).or_else(beside).unwrap_or_else(|| PathBuf::from(MODULE));
    std::fs::read(&path).map_err(|error| {
        let advice = "`cargo xtask policy` makes it as engine/kubewarden/dist/podsieve-policy.wasm; name it with --module";
        Failure(format!("the module without policies, {}: {error}; {advice}", path.display()))
    })
}

/// Writes a file; its folder is made if it is not there.
pub(super) fn write(path: &str, bytes: &[u8]) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure(format!("{path} cannot be written: {error}"));
    if let Some(folder) = Path::new(path).parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    std::fs::write(path, bytes).map_err(failed)
}
