//! The way to a cluster, and its resources as batches.
//!
//! In: an address, or the flags of kubectl. Out: a connection that ends with the run, the objects of resources page by page, and the
//! labels of namespaces. Not one request is anything but a GET.

use super::Batch;
use crate::exit::Failure;
use crate::terminal::{self, one_line, plural};
use engine::Bundle;
use engine::json::{Map, Str, Value};
use engine_cluster::{Address, Api, ApiResource, Pages, Refusal, discover};
use std::fmt::Write as _;

/// How a cluster is reached.
pub(crate) struct Way<'a> {
    /// `unix:PATH` or `http://127.0.0.1:PORT`, where a proxy runs already.
    pub(crate) api: Option<&'a str>,
    pub(crate) kubeconfig: Option<&'a str>,
    pub(crate) context: Option<&'a str>,
}

/// What ends the connection when it is dropped.
pub(crate) struct Connection {
    pub(crate) api: Api,
    #[cfg(unix)]
    _proxy: Option<engine_cluster::Proxy>,
}

/// Refuses a cluster where there is no network.
pub(crate) fn refuse_wasi() -> Result<(), Failure> {
    let words = "a cluster needs a network, which this module has not: use the program of an archive, or give what `kubectl get … -o json` \
                 writes with --resource";
    if cfg!(target_os = "wasi") { Err(Failure(words.to_owned())) } else { Ok(()) }
}

/// Connects, by a proxy of our own where none is named.
pub(crate) fn connect(way: &Way<'_>) -> Result<Connection, Failure> {
    if let Some(address) = way.api {
        let address = Address::parse(address).map_err(|why| Failure(format!("--api {address}: {why}")))?;
        return Ok(Connection {
            api: Api::new(address),
            #[cfg(unix)]
            _proxy: None,
        });
    }
    #[cfg(unix)]
    {
        let flag = |name: &str, value: Option<&str>| value.map(|value| format!("--{name}={value}"));
        let flags: Vec<String> = [flag("kubeconfig", way.kubeconfig), flag("context", way.context)]
            .into_iter()
            .flatten()
            .collect();
        let proxy = engine_cluster::Proxy::start(&flags).map_err(|why| {
            Failure(format!("a cluster is read by kubectl, which knows how to log in: {}", one_line(&why)))
        })?;
        Ok(Connection { api: Api::new(proxy.address()), _proxy: Some(proxy) })
    }
    #[cfg(not(unix))]
    Err(Failure("run `kubectl proxy`, and give its address: --api http://127.0.0.1:8001".to_owned()))
}

/// The resources of a cluster, and what is wrong with groups.
pub(crate) fn discovered(api: &Api) -> Result<(Vec<ApiResource>, Vec<String>), Failure> {
    discover(api).map_err(|Refusal { message, .. }| {
        Failure(format!("the cluster does not say what it has: {message}"))
    })
}

/// The objects of resources, one resource after the other; a batch says by its number which.
pub(crate) struct Reading<'a> {
    pub(crate) api: &'a Api,
    pub(crate) resources: &'a [&'a ApiResource],
    /// One namespace alone, where one is asked for.
    pub(crate) namespace: Option<&'a str>,
    /// How many objects a page has.
    pub(crate) limit: usize,
}

impl<'a> Reading<'a> {
    /// The batches.
    pub(crate) fn batches(self) -> impl Iterator<Item = Batch> + 'a {
        let (mut number, mut open) = (0, None::<Pages<'a>>);
        std::iter::from_fn(move || {
            loop {
                if let Some(pages) = &mut open
                    && let Some(batch) = Batch::of(number - 1, pages)
                {
                    return Some(batch);
                }
                let resource = self.resources.get(number)?;
                number += 1;
                open = Some(Pages::new(self.api, resource, self.namespace, self.limit));
            }
        })
    }
}

/// Reads the labels of all namespaces; why they cannot be read.
pub(crate) fn namespaces(api: &Api, known: &[ApiResource], bundle: &mut Bundle) -> Option<String> {
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
pub(crate) fn dry_run(reading: &Reading<'_>) -> bool {
    let (mut out, mut is_whole, mut total) = (String::new(), true, 0);
    for resource in reading.resources {
        let path = resource.path(reading.namespace);
        match Pages::count(reading.api, resource, reading.namespace) {
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
        plural(reading.resources.len(), "resource")
    );
    terminal::print(&out);
    is_whole
}
