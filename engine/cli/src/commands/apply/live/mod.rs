//! `apply --cluster`: what runs in a cluster, read page by page, evaluated and forgotten.
//!
//! In: policies from files, and the way to a cluster. Out: what [`super::stream`] prints. What cannot be listed is an error by name, and
//! beside one the exit code is never 0. Nothing is written: not one request is anything but a GET.

use super::stream::{Batch, Given, evaluate, is_possible};
use crate::args::Apply;
use crate::exit::Failure;
use crate::files::Unreadable;
use crate::print::diagnostics;
use crate::report::problems::problems;
use crate::terminal::{self, one_line, plural};
use engine::Bundle;
use engine::apply::{Outside, is_independent_of};
use engine::diag::Diagnostic;
use engine::json::{Map, Str, Value};
use engine_cluster::{Address, Api, ApiResource, Pages, Refusal, discover};
use engine_lenses::run::Positions;
use std::fmt::Write as _;

mod kinds;
mod world;

use kinds::{Wanted, wanted};
pub(super) use world::Live;

/// Why these arguments and a cluster do not go together.
pub(super) fn refusal(arguments: &Apply) -> Option<String> {
    if !arguments.elsewhere.cluster {
        return None;
    }
    if super::flags::inputs_to_evaluate(arguments).next().is_some() {
        return Some(
            "--cluster reads resources from a cluster: give it without --resource and payloads".to_owned(),
        );
    }
    (!is_possible(arguments)).then(|| {
        "--cluster prints text or --report-format ndjson, as it reads: for tables, explanations, other reports and hosts, write the \
         objects into a file with `kubectl get … -o json` and give it with --resource and --open-lists"
            .to_owned()
    })
}

/// What ends the connection when it is dropped.
struct Connection {
    api: Api,
    #[cfg(unix)]
    _proxy: Option<engine_cluster::Proxy>,
}

fn connect(arguments: &Apply) -> Result<Connection, Failure> {
    let asked = &arguments.elsewhere;
    if let Some(address) = &asked.api {
        let address = Address::parse(address).map_err(|why| Failure(format!("--api {address}: {why}")))?;
        return Ok(Connection {
            api: Api::new(address),
            #[cfg(unix)]
            _proxy: None,
        });
    }
    #[cfg(unix)]
    {
        let flag =
            |name: &str, value: &Option<String>| value.as_ref().map(|value| format!("--{name}={value}"));
        let flags: Vec<String> = [flag("kubeconfig", &asked.kubeconfig), flag("context", &asked.context)]
            .into_iter()
            .flatten()
            .collect();
        let proxy = engine_cluster::Proxy::start(&flags).map_err(|why| {
            Failure(format!("--cluster needs kubectl, which knows how to log in: {}", one_line(&why)))
        })?;
        Ok(Connection { api: Api::new(proxy.address()), _proxy: Some(proxy) })
    }
    #[cfg(not(unix))]
    Err(Failure("run `kubectl proxy`, and give its address: --api http://127.0.0.1:8001".to_owned()))
}

/// Reads the cluster and evaluates it.
pub(super) fn run(
    arguments: &Apply,
    mut bundle: Bundle,
    said: &[Diagnostic],
    unreadable: &[Unreadable],
) -> Result<u8, Failure> {
    if cfg!(target_os = "wasi") {
        let words = "--cluster needs a network, which this module has not: use the program of an archive, or give what `kubectl get … -o json` writes with --resource and --open-lists";
        return Err(Failure(words.to_owned()));
    }
    diagnostics::print(&bundle, said);
    if !is_independent_of(&bundle, Outside::Live) {
        let words = "some of these policies look at more than one object of the cluster at once (targets, generated objects, images, the \
                     global context): write the objects into a file with `kubectl get … -o json` and give it with --resource and --open-lists";
        return Err(Failure(words.to_owned()));
    }
    let connection = connect(arguments)?;
    let api = &connection.api;
    let unread = |Refusal { message, .. }: Refusal| {
        Failure(format!("the cluster does not say what it has: {message}"))
    };
    let (known, mut lost) = discover(api).map_err(unread)?;
    lost.extend(namespaces(api, &known, &mut bundle));
    let namespace = arguments.elsewhere.namespace.as_deref();
    let Wanted { resources, notes } =
        wanted(&bundle, &known, namespace, arguments.elsewhere.cluster_wide_resources);
    for note in &notes {
        terminal::say(&format!("{}\n", one_line(note)));
    }
    if arguments.elsewhere.dry_run {
        let is_whole = lost.is_empty() && dry_run(api, &resources, namespace);
        for why in &lost {
            terminal::say(&format!("error: {}\n", one_line(why)));
        }
        return Ok(u8::from(!is_whole));
    }
    let names: Vec<String> = resources.iter().map(|resource| resource.name()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let lost: Vec<(String, String)> = lost.into_iter().map(|why| ("cluster".to_owned(), why)).collect();
    let live = Live::new(api.clone());
    let limit = usize::from(arguments.elsewhere.batch_size);
    let mut number = 0;
    let mut open: Option<Pages<'_>> = None;
    let batches = std::iter::from_fn(|| {
        loop {
            if let Some(pages) = &mut open
                && let Some(batch) = Batch::of(number - 1, pages)
            {
                return Some(batch);
            }
            let resource = resources.get(number)?;
            number += 1;
            open = Some(Pages::new(api, resource, namespace, limit));
        }
    });
    let given = Given { names: &names, lost: &lost, ask: Some(&live) };
    let problems = problems(&Positions::new(&bundle), unreadable, said);
    Ok(evaluate(arguments, &bundle, &problems, &given, batches))
}

/// Reads the labels of all namespaces, where rules may ask for them; why they cannot be read.
fn namespaces(api: &Api, known: &[ApiResource], bundle: &mut Bundle) -> Option<String> {
    if is_independent_of(bundle, Outside::Given) {
        return None;
    }
    let resource =
        known.iter().find(|resource| resource.group.is_empty() && resource.plural == "namespaces")?;
    for item in Pages::new(api, resource, None, 500) {
        let item = match item {
            Ok(item) => item,
            Err(fault) => return Some(format!("namespaces: {}", fault.message)),
        };
        let Ok(value) = engine::json::parse(&String::from_utf8_lossy(&item.text)) else {
            return Some("namespaces: an item of the list is not JSON".to_owned());
        };
        let name = Str::from(value.find_str(&["metadata", "name"]));
        let labels = value.find(&["metadata", "labels"]).and_then(Value::as_object);
        let labels = labels.into_iter().flat_map(Map::iter);
        let labels =
            labels.map(|(key, value)| (key.clone(), Str::from(value.as_str().unwrap_or_default()))).collect();
        bundle.settings.namespace_labels.insert(name, labels);
    }
    None
}

/// Prints what would be read; whether all of it can be.
fn dry_run(api: &Api, resources: &[&ApiResource], namespace: Option<&str>) -> bool {
    let (mut out, mut is_whole, mut total) = (String::new(), true, 0);
    for resource in resources {
        let path = resource.path(namespace);
        match Pages::count(api, resource, namespace) {
            Ok(count) => {
                total += count;
                let _ = writeln!(out, "GET {path}  {count}");
            }
            Err(refusal) => {
                is_whole = false;
                let _ = writeln!(out, "GET {path}  {}", one_line(&refusal.message));
            }
        }
    }
    let total = usize::try_from(total).unwrap_or(usize::MAX);
    let _ = writeln!(
        out,
        "{} of {}; nothing was evaluated",
        plural(total, "object"),
        plural(resources.len(), "resource")
    );
    terminal::print(&out);
    is_whole
}
