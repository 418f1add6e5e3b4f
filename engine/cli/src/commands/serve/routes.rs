//! What is asked, and who may ask.
//!
//! In: requests. Out: answers of the front. A page of another origin, and a name that only resolves to this machine, are refused before anything is read of
//! them; what is not evaluated is never allowed.

use super::contract::{EVALUATE, MODES, POLICIES};
use super::http::{Answer, Request};
use super::set::Set;
use crate::parallel;
use engine_lenses::wire::{Input, Output, Text};
use podsieve::{Asking, Session, Within, question};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// What all connections share.
pub(super) struct Server {
    set: RwLock<Arc<Set>>,
    /// Why the files of now are not served.
    broken: RwLock<Option<String>>,
    /// Where evaluations take place, each with its loaded policies.
    places: Vec<Mutex<Session>>,
    next: AtomicUsize,
}

impl Server {
    pub(super) fn new(set: Set) -> Self {
        let places = (0..parallel::threads()).map(|_| Mutex::default()).collect();
        Server {
            set: RwLock::new(Arc::new(set)),
            broken: RwLock::default(),
            places,
            next: AtomicUsize::new(0),
        }
    }

    /// Takes the set of now, where it loads; what there is to say about it.
    pub(super) fn replace(&self, set: Result<Set, String>) -> String {
        let mut broken = self.broken.write().unwrap_or_else(PoisonError::into_inner);
        match set {
            Ok(set) => {
                let said = format!("{} read anew\n", set.said());
                *self.set.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(set);
                *broken = None;
                said
            }
            Err(why) => {
                let said =
                    format!("warning: the policies of now are not served, those of before are: {why}\n");
                *broken = Some(why);
                said
            }
        }
    }

    /// The answer to a request.
    pub(super) fn answer(&self, request: &Request) -> Answer {
        if let Some(refused) = refusal(request) {
            return refused;
        }
        let path = request.path.split('?').next().unwrap_or_default();
        match (request.method.as_str(), path) {
            ("GET", "/healthz") => Answer::text(200, "ok"),
            ("GET", "/readyz") => match &*self.broken.read().unwrap_or_else(PoisonError::into_inner) {
                None => Answer::text(200, "ok"),
                Some(why) => Answer::text(503, &format!("the policies of now are not served: {why}")),
            },
            ("GET", POLICIES) => self.policies(),
            ("POST", path) => match path.strip_prefix(EVALUATE) {
                Some(mode) => self.evaluate(mode, &request.body),
                None => self.ask(path.trim_start_matches('/'), &request.body),
            },
            (_, path)
                if path == POLICIES
                    || path.starts_with(EVALUATE)
                    || question(path.trim_start_matches('/')).is_some() =>
            {
                Answer::error(405, "verdicts and questions are asked by POST, the policies by GET")
            }
            _ => Answer::error(404, "there is nothing here: see `podsieve serve --help`"),
        }
    }

    fn now(&self) -> Arc<Set> {
        Arc::clone(&self.set.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn policies(&self) -> Answer {
        let set = self.now();
        let version = podsieve::version();
        Answer::json(
            json!({"digest": set.digest, "version": version, "loaded": set.loaded, "policies": set.names})
                .to_string(),
        )
    }

    /// The session of a place that is free, or the next that will be.
    fn placed<T>(&self, work: impl FnOnce(&mut Session) -> T) -> T {
        let free = self.places.iter().find_map(|place| place.try_lock().ok());
        let wait = || {
            let at = self.next.fetch_add(1, Ordering::Relaxed) % self.places.len().max(1);
            self.places.get(at).map(|place| place.lock().unwrap_or_else(PoisonError::into_inner))
        };
        match free.or_else(wait) {
            Some(mut session) => work(&mut session),
            None => work(&mut Session::default()),
        }
    }

    fn evaluate(&self, mode: &str, body: &str) -> Answer {
        let set = self.now();
        let given = vec![Text { name: "request".to_owned(), text: body.to_owned() }];
        let mut input: Input = set.input.clone();
        match mode {
            "Kubernetes" => input.resources = given,
            "JSON" => input.payloads = given,
            "HTTP" => input.http_payloads = given,
            "Envoy" => input.envoy_payloads = given,
            _ => return Answer::error(404, &format!("the mode is one of {}", MODES.join(", "))),
        }
        let output = self.placed(|session| session.run(&input, &set.world()));
        Answer::json(
            json!({"digest": set.digest, "allowed": is_allowed(&output), "output": output}).to_string(),
        )
    }

    fn ask(&self, name: &str, body: &str) -> Answer {
        let Some(question) = question(name) else {
            return Answer::error(404, &format!("there is no question `{name}`: see `podsieve ask --list`"));
        };
        let world = self.now().world();
        // The policies of a question are its own: those of the server stay loaded.
        let (mut session, mut search) = (Session::default(), Within::default());
        let mut asking = Asking { world: &world, session: &mut session, search: &mut search };
        match question.answer(body, &mut asking) {
            Ok(answer) => Answer::json(answer),
            Err(why) => Answer::error(400, &why),
        }
    }
}

/// Whether everything was decided, something passed, and nothing fails, errs or would be refused.
fn is_allowed(output: &Output) -> bool {
    let counts = &output.counts;
    let is_denied =
        output.results.iter().any(|result| !matches!(result.effect.as_str(), "allow" | "report" | "warn"));
    output.complete && counts.pass > 0 && counts.fail + counts.error + counts.undecided == 0 && !is_denied
}

/// Why a request is not answered: it came by a name, or from a page, that is not of this machine.
fn refusal(request: &Request) -> Option<Answer> {
    if !is_local(&request.host) {
        return Some(Answer::error(403, "the Host is this machine: 127.0.0.1, [::1] or localhost"));
    }
    let is_own = |origin: &str| origin.strip_prefix("http://").is_some_and(|from| from == request.host);
    let is_foreign_page = request.origin.as_deref().is_some_and(|origin| !is_own(origin));
    let is_foreign_site = request.site.as_deref().is_some_and(|site| !matches!(site, "same-origin" | "none"));
    (is_foreign_page || is_foreign_site)
        .then(|| Answer::error(403, "pages of other origins are not answered"))
}

fn is_local(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    name.eq_ignore_ascii_case("localhost")
        || address.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::is_local;

    #[test]
    fn only_names_of_this_machine_are_local() {
        for host in ["127.0.0.1:8080", "localhost", "LOCALHOST:1", "[::1]:8080", "127.0.0.2"] {
            assert!(is_local(host), "{host}");
        }
        for host in [
            "",
            "example.com",
            "127.0.0.1.example.com:80",
            "localhost.example.com",
            "[::2]",
            "10.0.0.1:8080",
            "127.0.0.1:80:80",
        ] {
            assert!(!is_local(host), "{host}");
        }
    }
}
