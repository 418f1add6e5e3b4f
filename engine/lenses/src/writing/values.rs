//! What a part of an expression is on a resource of the page.
//!
//! In: where the expression stands, the texts, which resource is looked at. Out: the value, or the words of the error. The
//! policy's own programs are evaluated, as for a verdict, but for parameters: the first object of their kind is taken.

use super::fields::Around;
use super::site::Site;
use super::tree;
use crate::wire::{Input, ObjectRef};
use engine::apply::{Directory, Locations, Options, Recording};
use engine::body::Run;
use engine::load::{Bundle, Host};
use engine::resource::Resource;
use engine::world::World;
use engine_cel::ast::{Ast, ExprId};
use engine_cel::eval::Binding;
use engine_cel::value::{Numbers, Value as Cel};
use engine_celpolicy::apply::{CliWorld, Subject, bindings, matches};
use engine_celpolicy::compile::{Wanted, compile};
use engine_celpolicy::why::{Found, Question, Questions, value_of};
use engine_json::{Path, Value};

/// The objects of the page.
pub(super) struct Objects<'w> {
    bundle: Bundle,
    host: Host,
    world: &'w dyn World,
    wanted: Option<ObjectRef>,
}

/// A value and the resource that it is of.
pub(super) struct OfResource<'o> {
    pub(super) found: Found,
    pub(super) resource: &'o Resource,
}

impl<'w> Objects<'w> {
    /// Those of an input.
    pub(super) fn new(input: &Input, wanted: Option<ObjectRef>, world: &'w dyn World) -> Self {
        let objects = Input { policies: Vec::new(), exceptions: Vec::new(), trace: false, ..input.clone() };
        let (bundle, _) = crate::run::read(&objects, world);
        let host = crate::run::host(input);
        Objects { bundle, host, world, wanted }
    }

    /// The resource that is looked at, if the policy is for it; else the first that it is for, else the first of all.
    fn resource(&self, site: &Site) -> Option<&Resource> {
        let resources = &self.bundle.resources;
        let constraints = site.document.find(&["spec", "matchConstraints"]);
        let is_matched = |one: &&Resource| {
            constraints.is_none_or(|constraints| {
                let subject = Subject::of(one, &self.bundle.settings);
                matches(constraints, &subject).unwrap_or(false)
            })
        };
        let is_wanted = |one: &&Resource| {
            self.wanted.as_ref().is_some_and(|wanted| {
                (one.kind(), one.namespace(), one.name_or_generate_name())
                    == (&*wanted.kind, &*wanted.namespace, &*wanted.name)
            })
        };
        let wanted = resources.iter().find(is_wanted);
        wanted
            .filter(is_matched)
            .or_else(|| resources.iter().find(is_matched))
            .or(wanted)
            .or_else(|| resources.first())
    }

    /// The object itself, for the names of its fields.
    pub(super) fn object(&self, site: &Site) -> Option<&Value> {
        self.resource(site).map(|resource| &resource.typed)
    }

    /// The resource as a policy of this kind sees it.
    fn subject(&self, resource: &Resource, around: &Around) -> Subject {
        let settings = &self.bundle.settings;
        if self.host == Host::Cluster {
            let options = Options { host: self.host, trace: Recording::Off, places: Locations::Omit };
            let objects = &Directory::of(&self.bundle);
            let run = Run { bundle: &self.bundle, objects, world: self.world, options: &options };
            let asked = run.asked(resource);
            return if around.is_admission {
                Subject::of_validation(&asked)
            } else {
                Subject::of_webhook(&asked)
            };
        }
        let subject = if around.is_admission {
            Subject::of_admission(resource, settings)
        } else {
            Subject::of(resource, settings)
        };
        subject.read_by(self.host, resource)
    }

    /// The value of a part; nothing where there is no resource, or the part was never evaluated.
    pub(super) fn value(
        &self,
        site: &Site,
        around: &Around,
        ast: &Ast,
        part: ExprId,
    ) -> Option<OfResource<'_>> {
        let resource = self.resource(site)?;
        let settings = &self.bundle.settings;
        let subject = self.subject(resource, around);
        let outside =
            CliWorld { world: self.world, settings, namespace: "", also: &self.bundle.cluster_resources };
        let mut bound = bindings(&subject, &around.environment.variables);
        let params = self.params(site);
        for (name, binding) in around.environment.variables.iter().zip(&mut bound) {
            match name.as_str() {
                "variables" => *binding = Binding::Lazy,
                "params" => *binding = Binding::Value(Cel::json(&params, Numbers::AsWritten)),
                _ => {}
            }
        }
        let variables = around.variables.iter().map(|variable| Question {
            name: &variable.name,
            source: &variable.source,
            compiled: variable.compiled.as_ref(),
            place: Path::root(),
        });
        let questions = Questions {
            environment: &around.environment,
            bindings: &bound,
            document: &subject.object,
            place: Path::root(),
            outside: Some(&outside),
            conditions: Vec::new(),
            variables: variables.collect(),
            validations: Vec::new(),
        };
        let way = tree::way(ast, part);
        let folds = tree::folds(ast, &way);
        let ask = |source: &str, part: ExprId, folds: &[_]| {
            let compiled = compile(source, &around.environment, Wanted::Any).ok()?;
            let question = Question { name: "", source, compiled: Some(&compiled), place: Path::root() };
            value_of(&questions, &question, part, folds)
        };
        let found = ask(&site.source, part, &folds).or_else(|| {
            // By itself, where the whole does not compile, or was decided before it came there.
            let node = ast.node(part);
            let source =
                site.source.get(node.start as usize..node.end as usize).filter(|_| folds.is_empty())?;
            let options = super::options(around);
            let own = engine_cel::syntax::parse(source, &options).ok()?;
            ask(source, own.root(), &[])
        })?;
        Some(OfResource { found, resource })
    }

    /// The first object of the kind of parameters that the policy names.
    fn params(&self, site: &Site) -> Value {
        let spec = ["spec", "paramKind"];
        let Some(kind) = site.document.find(&spec) else { return Value::Null };
        let is_it = |one: &&Resource| {
            one.kind() == kind.find_str(&["kind"]) && one.api_version() == kind.find_str(&["apiVersion"])
        };
        let all = self.bundle.cluster_resources.iter().chain(&self.bundle.resources);
        all.filter(is_it).map(|one| one.typed.clone()).next().unwrap_or_default()
    }
}
