//! `podsieve psa compile`: a level with exemptions as policies.
//!
//! In: files with levels or ClusterPolicies with `podSecurity` rules, or a level by its name. Out: policies to standard output; to standard
//! error what a reader should know, or the lines that cannot be compiled.

use crate::args::{CompileTarget, PsaCompile, PsaLevel};
use crate::commands::inputs;
use crate::exit::Failure;
use crate::files;
use crate::terminal;
use engine::podsecurity::{Level, Version};
use engine_convert::podsecurity::{Fault, Source, Target, compile, read_level, read_rules};

/// Runs the command.
pub(super) fn run(arguments: &PsaCompile) -> Result<u8, Failure> {
    let sources = match &arguments.level {
        Some(level) => vec![named(*level, arguments)?],
        None => read(&arguments.files)?,
    };
    let target = match arguments.to {
        CompileTarget::Vpol => Target::ValidatingPolicies,
        CompileTarget::Vap => Target::AdmissionPolicy,
        CompileTarget::Classic => Target::Classic,
        CompileTarget::ClassicCel => Target::ClassicCel,
    };
    let mut texts = Vec::new();
    for source in &sources {
        let compiled = compile(source, target);
        if let Some(reason) = compiled.refused {
            return Err(Failure(format!("`{}`: {reason}", source.name)));
        }
        for note in &compiled.notes {
            terminal::say(&format!("{}: {note}\n", source.name));
        }
        texts.push(compiled.text());
    }
    terminal::document(&texts.join("---\n"));
    Ok(0)
}

/// The level that the arguments name.
fn named(level: PsaLevel, arguments: &PsaCompile) -> Result<Source, Failure> {
    let version = Version::parse(&arguments.version)
        .ok_or_else(|| Failure(format!("--version {}: {}", arguments.version, Version::MUST_BE)))?;
    let level = match level {
        PsaLevel::Baseline => Level::Baseline,
        PsaLevel::Restricted => Level::Restricted,
    };
    Ok(Source::new(level, version))
}

fn read(paths: &[String]) -> Result<Vec<Source>, Failure> {
    if paths.is_empty() {
        return Err(Failure("give a file or --level".to_owned()));
    }
    let opened = files::opened(paths);
    if let Some(lost) = opened.lost.first() {
        return Err(inputs::failure(lost));
    }
    let (mut sources, mut faults) = (Vec::new(), Vec::new());
    for path in &opened.paths {
        let text = files::read(path).map_err(|lost| inputs::failure(&lost))?;
        let is_policy = text.text.contains("kyverno.io/");
        let read = if is_policy { read_rules } else { read_level };
        match read(&text.name, &text.text) {
            Ok(found) => sources.extend(found),
            Err(found) => faults.extend(found.iter().map(|fault| words(&text.name, fault))),
        }
    }
    if faults.is_empty() { Ok(sources) } else { Err(Failure(faults.join("\n"))) }
}

fn words(file: &str, fault: &Fault) -> String {
    let field = if fault.field.is_empty() { String::new() } else { format!("`{}`: ", fault.field) };
    format!("{file}:{}: {field}{}", fault.line, fault.text)
}
