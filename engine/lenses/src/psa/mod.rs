//! Pod Security over texts: the checks of every object by level, the versions in which a verdict changes, and what the
//! admission of its namespace says.
//!
//! In: a [`wire::PsaInput`], or a [`Bundle`] and [`Options`]. Out: a [`wire::PsaOutput`]. Kyverno has no part in this:
//! these are the verdicts and the words of Kubernetes' own Pod Security Admission.
//!
//! ```
//! use engine_lenses::wire::{PsaInput, Text};
//! let pod = "kind: Pod\napiVersion: v1\nmetadata: {name: web}\nspec: {hostPID: true}\n";
//! let resources = vec![Text { name: "pod.yaml".to_owned(), text: pod.to_owned() }];
//! let output = engine_lenses::psa::run(&PsaInput { resources, ..PsaInput::default() });
//! assert_eq!(output.objects[0].reaches, "privileged");
//! assert_eq!(output.objects[0].levels[0].detail, "host namespaces (hostPID=true)");
//! ```

mod advice;
mod namespaces;
mod objects;
mod strip;
mod table;

use crate::run::{self, Positions};
use crate::wire;
use engine::diag::{Code, Diagnostic};
use engine::load::{self, Bundle, Host, Role, as_written};
use engine_json::arrange::Arrange as _;
use engine_json::{Path, Value};
use engine_podsecurity::admission::{Config, Source as ConfigSource};
use engine_podsecurity::defaults::defaulted_object;
use engine_podsecurity::{NEWEST_MINOR, Version};
use std::collections::BTreeMap;

pub use objects::{Object, objects};
pub(crate) use table::{reached_by, reference};

/// How the objects are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// As an API server sees them: its defaults are filled in first.
    Defaulted,
    /// As they are written.
    AsWritten,
}

/// What is asked.
#[derive(Clone, Debug)]
pub struct Options {
    /// The version of the standards.
    pub version: Version,
    /// How the objects are looked at.
    pub view: View,
    /// What fills in where they are looked at as an API server sees them.
    pub defaults: fn(&Value) -> Value,
    /// The configuration of the admission; none where it is bad, so that nothing is said in its name.
    pub config: Option<Config>,
    /// Labels of namespaces, which count over those of Namespaces among the objects; `*` for every namespace.
    pub namespace_labels: BTreeMap<String, BTreeMap<String, String>>,
    /// Who asks.
    pub user: String,
}

impl Options {
    /// What makes an object what is looked at.
    fn seen(&self) -> fn(&Value) -> Value {
        match self.view {
            View::Defaulted => self.defaults,
            View::AsWritten => as_written,
        }
    }
}

/// Evaluates everything in the input.
pub fn run(input: &wire::PsaInput) -> wire::PsaOutput {
    let sources = input.resources.iter().map(|text| (Role::Opened, text.into())).collect();
    let (bundle, mut diagnostics) = load::load(sources, Host::Cli);
    let asked = input.version.as_deref().unwrap_or("latest");
    let version = Version::parse(asked).unwrap_or_else(|| {
        let message = format!("`{asked}` is not a version: {}; the latest is taken", Version::MUST_BE);
        diagnostics.push(Diagnostic::error(Code::WrongType, None, message));
        Version::Latest
    });
    let config = match input.config.first().map(|text| read_config(&text.text)).transpose() {
        Ok(config) => Some(config.unwrap_or_default()),
        Err(why) => {
            diagnostics.push(Diagnostic::error(
                Code::Refused,
                None,
                format!("the admission configuration is refused: {why}"),
            ));
            None
        }
    };
    let view = if input.as_written { View::AsWritten } else { View::Defaulted };
    let labels = input.namespace_labels.clone();
    let (defaults, user) = (defaulted_object, input.user.clone());
    let options = Options { version, view, defaults, config, namespace_labels: labels, user };
    let positions = Positions::new(&bundle);
    let mut output = report(&bundle, &positions, &options);
    output.diagnostics =
        diagnostics.into_iter().map(|diagnostic| run::diagnostic(diagnostic, &positions)).collect();
    output.complete = run::is_complete(&output.diagnostics);
    output
}

/// The configuration in a text; one that names another file cannot be had here.
pub fn read_config(text: &str) -> Result<Config, String> {
    match Config::read_admission(text) {
        Ok(ConfigSource::Config(config)) => Ok(config),
        Ok(ConfigSource::Path(path)) => {
            Err(format!("the plugin PodSecurity is configured in the file `{path}`: give that file instead"))
        }
        Err(error) => Err(error.message),
    }
}

/// The report on all objects of a bundle; its diagnostics are left to the caller.
pub fn report(bundle: &Bundle, positions: &Positions<'_>, options: &Options) -> wire::PsaOutput {
    let objects = objects(bundle, options.seen());
    let config = options.config.as_ref();
    let admission = config.map(|config| namespaces::Admission::new(&objects, options, config));
    let makes_pods = |object: &&Object| engine_podsecurity::pod_of(&object.value).is_some();
    let evaluated: Vec<wire::PsaObject> = objects
        .iter()
        .filter(makes_pods)
        .map(|object| {
            let place = |path: &Path| positions.of_path(object.document, &object.base.concat(path));
            let mut described = table::object(object, options.version, &place);
            described.strip = strip::of_object(object);
            described.admission = admission.as_ref().map(|admission| admission.of_object(object));
            described
        })
        .collect();
    let others = objects.iter().filter(|object| !makes_pods(object) && !object.is_namespace()).count();
    wire::PsaOutput {
        version: run::version(),
        complete: true,
        asked: options.version.to_string(),
        effective: format!("v1.{}", options.version.minor(NEWEST_MINOR)),
        as_written: options.view == View::AsWritten,
        objects: evaluated,
        namespaces: described_namespaces(&objects, options, admission.as_ref(), positions),
        others: u32::try_from(others).unwrap_or(u32::MAX),
        diagnostics: Vec::new(),
    }
}

/// The namespaces with what they could ask for.
fn described_namespaces(
    objects: &[Object],
    options: &Options,
    admission: Option<&namespaces::Admission<'_>>,
    positions: &Positions<'_>,
) -> Vec<wire::PsaNamespace> {
    let mut described = admission.map(|admission| admission.namespaces(positions)).unwrap_or_default();
    let place = |object: &Object, path: &Path| positions.of_path(object.document, &object.base.concat(path));
    let has_pod = |object: &&Object| engine_podsecurity::pod_of(&object.value).is_some();
    let mut by_namespace: Vec<&Object> = objects.iter().filter(has_pod).collect();
    by_namespace.arrange_by(|a, b| a.namespace().cmp(b.namespace()));
    for inside in by_namespace.chunk_by(|a, b| a.namespace() == b.namespace()) {
        let name = inside.first().map_or("", |object| object.namespace());
        // They are in the order of their names.
        if let Ok(at) = described.binary_search_by(|namespace| namespace.name.as_str().cmp(name))
            && let Some(namespace) = described.get_mut(at)
        {
            namespace.advice = Some(advice::of(inside, options, &place));
        }
    }
    described
}
