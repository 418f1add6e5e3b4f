//! `podsieve test --init`: a test file with today's verdicts.
//!
//! In: policies, resources and what stands around them. Out: a `kyverno-test.yaml` that passes now, and files with the
//! mutated and generated objects that it expects. Nothing that is there is overwritten.

use super::evaluate;
use super::file::TestFile;
use super::find::join;
use super::prepare::{Printed, prepare};
use crate::args::Test;
use crate::exit::Failure;
use crate::files::{self, Anywhere};
use crate::terminal;
use engine_lenses::report::as_test::{self, Named};

/// Writes the test file.
pub(super) fn run(arguments: &Test) -> Result<u8, Failure> {
    let folder = arguments.paths.first().map_or(".", String::as_str);
    if let Some(more) = arguments.paths.get(1) {
        return Err(Failure(format!("--init writes into one folder: `{more}` is one too many")));
    }
    if arguments.init.policy.is_empty() || arguments.init.resource.is_empty() {
        return Err(Failure("--init needs --policy and --resource".to_owned()));
    }
    let test = test_file(arguments, folder)?;
    let mut printed = Printed::default();
    let bundle = prepare(&test, arguments, &Anywhere, &mut printed)?;
    terminal::say(&printed.notes);
    for refused in &bundle.refused {
        terminal::say(&format!(
            "warning: policy `{}` is refused, and not tested: {}\n",
            refused.policy,
            refused.reason.trim_end()
        ));
    }
    for what in &bundle.unsupported {
        let name =
            if what.rule.is_empty() { what.policy.clone() } else { format!("{}/{}", what.policy, what.rule) };
        terminal::say(&format!("warning: `{name}` is not tested: `{}` is not supported yet\n", what.what));
    }
    let bundles = evaluate::by_operation(bundle, &[])?;
    let runs = evaluate::evaluate(&bundles);
    let Some((_, bundle)) = bundles.first() else { return Ok(1) };
    let name =
        folder.trim_end_matches('/').rsplit('/').next().filter(|name| !matches!(*name, "" | "." | ".."));
    let Some(written) = as_test::write(bundle, runs.run(""), &named(&test), name) else {
        return Err(Failure("no rule looks at any resource, so there is nothing to test".to_owned()));
    };
    let beside = written.beside.iter().map(|(name, text)| (*name, text));
    for (name, text) in std::iter::once((arguments.file_name.as_str(), &written.test)).chain(beside) {
        let path = files::create(folder, name, text)?;
        terminal::print(&format!("{path}\n"));
    }
    Ok(u8::from(printed.errors > 0))
}

/// The test without results, its paths seen from the folder.
fn test_file(arguments: &Test, folder: &str) -> Result<TestFile, Failure> {
    let init = &arguments.init;
    let path = |path: &String| files::relative(folder, path).map_err(Failure);
    let paths = |list: &[String]| list.iter().map(path).collect::<Result<Vec<_>, _>>();
    Ok(TestFile {
        path: join(folder, &arguments.file_name),
        policies: paths(&init.policy)?,
        resources: paths(&init.resource)?,
        target_resources: paths(&init.target_resource)?,
        exceptions: paths(&init.exception)?,
        variables: init.values.as_ref().map(path).transpose()?.unwrap_or_default(),
        user_info: init.userinfo.as_ref().map(path).transpose()?.unwrap_or_default(),
        ..TestFile::default()
    })
}

/// What the test file names.
fn named(test: &TestFile) -> Named {
    Named {
        policies: test.policies.clone(),
        resources: test.resources.clone(),
        target_resources: test.target_resources.clone(),
        exceptions: test.exceptions.clone(),
        variables: test.variables.clone(),
        user_info: test.user_info.clone(),
        ..Named::default()
    }
}
