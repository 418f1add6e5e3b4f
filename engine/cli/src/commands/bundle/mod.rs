//! `podsieve bundle`: policies as one module for Kubewarden.
//!
//! In: files with policies, exceptions and settings, and the module without policies. Out: a module that holds them, loaded, with its
//! metadata and a README; or a ClusterAdmissionPolicy; or what a module answers to requests. The exit code: 1 where policies cannot be used.

mod check;
mod files;
mod rules;
mod texts;

use crate::args;
use crate::clock;
use crate::exit::Failure;
use crate::terminal;
use engine::json::{Map, Value, parse, to_json};
use engine_kubewarden::{Guest, Nowhere};
use engine_kubewarden_host::{Kubernetes, Module};
use rules::Needs;
use std::path::Path;
use std::sync::Arc;

/// Runs the command.
pub(crate) fn run(arguments: &args::Bundle) -> Result<u8, Failure> {
    if let Some(module) = &arguments.check {
        return check::run(module, &arguments.files);
    }
    if arguments.files.is_empty() && arguments.settings.is_none() {
        return Err(Failure("require policy".to_owned()));
    }
    let settings = files::settings(arguments)?;
    let needs = Needs::of(&settings);
    let name = name(&arguments.output);
    if arguments.manifest {
        // Without the module: what is compiled in here says the same.
        let answer = Guest::default().call("validate_settings", to_json(&settings).as_bytes(), &Nowhere)?;
        hold(&answer)?;
        terminal::document(&texts::manifest(&name, &arguments.from, &needs));
        return Ok(0);
    }
    let module = files::module(arguments.module.as_deref())?;
    let bundled = bundled(&module, &settings)?;
    files::write(&arguments.output, &bundled)?;
    let stem = arguments.output.strip_suffix(".wasm").unwrap_or(&arguments.output);
    files::write(&format!("{stem}.metadata.yml"), texts::metadata(&name, &needs).as_bytes())?;
    let readme = texts::readme(&name, &arguments.output, &arguments.from, &needs);
    files::write(&format!("{stem}.README.md"), readme.as_bytes())?;
    terminal::say(&format!(
        "written: {} ({} bytes), {stem}.metadata.yml, {stem}.README.md\n",
        arguments.output,
        bundled.len()
    ));
    Ok(0)
}

/// The name of what is made of this file.
fn name(output: &str) -> String {
    let stem = Path::new(output).file_stem().map(|stem| stem.to_string_lossy().to_lowercase());
    let stem = stem.unwrap_or_default();
    let name: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    // Kubernetes: names of objects begin and end with a letter or a digit.
    match name.trim_matches('-') {
        "" => "policy".to_owned(),
        name => name.to_owned(),
    }
}

/// The module with these settings, loaded.
fn bundled(module: &[u8], settings: &Value) -> Result<Vec<u8>, Failure> {
    let mut instance = Module::new(module)?.instance(clock::now(), without_cluster())?;
    let answer = instance.call("bundle", to_json(settings).as_bytes())?;
    instance.take_log().iter().for_each(|line| terminal::say(&format!("note: {line}\n")));
    hold(&answer)?;
    Ok(instance.kept(module)?)
}

/// Ends with the reason where settings cannot be used.
fn hold(answer: &[u8]) -> Result<(), Failure> {
    let answer = parse(&String::from_utf8_lossy(answer)).map_err(|error| Failure(error.to_string()))?;
    if answer.get("valid").and_then(Value::as_bool) == Some(true) {
        return Ok(());
    }
    Err(Failure(format!("these policies cannot be bundled:\n{}", answer.find_str(&["message"]))))
}

/// What a module is told that asks for objects of a cluster: here is none.
fn without_cluster() -> Kubernetes {
    Arc::new(|_: &str, _: &str| Err("there is no cluster here".to_owned()))
}

/// An object of these fields.
fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::object(entries.into_iter().collect::<Map>())
}
