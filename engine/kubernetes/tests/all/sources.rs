//! The sources of Kubernetes in a folder, by package.
//!
//! In: the folder, as the module cache of Go has it: `api@v0.36.3`, `kubernetes@v1.36.3` and their like. Out: packages by name and by path.

use crate::go::Package;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The release, without what its modules begin with.
pub(crate) const RELEASE: &str = "36.3";

/// All packages that are read.
pub(crate) struct Sources {
    folder: PathBuf,
    packages: BTreeMap<String, Package>,
}

/// Where the packages of a path are: the beginning of the path, the module with what is before its version, the folder there, and what their
/// names begin with.
const HOMES: [(&str, &str, &str, &str); 6] = [
    ("k8s.io/api/", "api@v0.", "", ""),
    ("k8s.io/apimachinery/pkg/apis/", "apimachinery@v0.", "pkg/apis/", ""),
    ("k8s.io/apimachinery/pkg/", "apimachinery@v0.", "pkg/", ""),
    ("k8s.io/apiextensions-apiserver/pkg/apis/", "apiextensions-apiserver@v0.", "pkg/apis/", ""),
    ("k8s.io/kube-aggregator/pkg/apis/", "kube-aggregator@v0.", "pkg/apis/", ""),
    ("k8s.io/kubernetes/pkg/apis/", "kubernetes@v1.", "pkg/apis/", "server."),
];

impl Sources {
    /// Reads all packages that may be asked for.
    pub(crate) fn read(folder: &Path) -> Sources {
        let mut sources = Sources { folder: folder.to_owned(), packages: BTreeMap::new() };
        for (_, module, below, before) in HOMES {
            let root = sources.module(module).join(below);
            let mut folders = vec![root.clone()];
            while let Some(folder) = folders.pop() {
                for entry in
                    std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
                {
                    let path = entry.unwrap().path();
                    if path.is_dir() && !path.ends_with("testdata") {
                        folders.push(path);
                    }
                }
                let below = folder.strip_prefix(&root).unwrap().to_string_lossy().replace('/', ".");
                let name = format!("{before}{below}");
                if !below.is_empty() && !sources.packages.contains_key(&name) {
                    sources.packages.insert(name.clone(), Package::read(&folder, &name));
                }
            }
        }
        sources
    }

    /// The folder of a module: what its name begins with.
    pub(crate) fn module(&self, begins: &str) -> PathBuf {
        self.folder.join(format!("{begins}{RELEASE}"))
    }

    /// Whether the server fills in the objects of a kind: of some groups it does not, whatever types they have.
    pub(crate) fn fills_in(&self, package: &str, kind: &str) -> bool {
        let below = package.replace('.', "/");
        let homes = HOMES.iter().filter(|(begins, ..)| {
            begins.ends_with("/pkg/apis/") && !begins.starts_with("k8s.io/apimachinery")
        });
        homes.into_iter().any(|(_, module, folder, _)| {
            let path = self.module(module).join(folder).join(&below).join("zz_generated.defaults.go");
            std::fs::read_to_string(path)
                .is_ok_and(|text| text.contains(&format!("func SetObjectDefaults_{kind}(")))
        })
    }

    pub(crate) fn package(&self, name: &str) -> Option<&Package> {
        self.packages.get(name)
    }

    /// The packages of Kubernetes' server, where the functions are that fill in.
    pub(crate) fn of_server(&self) -> impl Iterator<Item = &Package> {
        self.packages.values().filter(|package| package.name.starts_with("server."))
    }

    /// The package of an import.
    pub(crate) fn package_at(&self, path: &str) -> Option<&Package> {
        let found = HOMES.iter().find_map(|(begins, .., before)| {
            path.strip_prefix(begins).map(|rest| format!("{before}{}", rest.replace('/', ".")))
        });
        found.and_then(|name| self.package(&name))
    }

    /// The package and the name of a type as it is written in a package.
    pub(crate) fn resolve(
        &self,
        written: &str,
        home: &str,
        imports: &BTreeMap<String, String>,
    ) -> (String, String) {
        match written.split_once('.') {
            Some((package, name)) => {
                let path = imports.get(package).map_or("", String::as_str);
                (
                    self.package_at(path).map(|package| package.name.clone()).unwrap_or_default(),
                    name.to_owned(),
                )
            }
            None => (home.to_owned(), written.to_owned()),
        }
    }

    /// What an expression of constants is in JSON.
    pub(crate) fn constant(
        &self,
        written: &str,
        home: &str,
        imports: &BTreeMap<String, String>,
    ) -> Option<String> {
        let written = written.trim();
        if let Some(octal) = written.strip_prefix('0').and_then(|rest| i64::from_str_radix(rest, 8).ok()) {
            return Some(octal.to_string());
        }
        if written.starts_with('"') || written.parse::<i64>().is_ok() || matches!(written, "true" | "false") {
            return Some(written.to_owned());
        }
        if let Some((one, other)) = written.split_once(" * ") {
            let factor = |text: &str| self.constant(text, home, imports)?.parse::<i64>().ok();
            return Some((factor(one)? * factor(other)?).to_string());
        }
        // A conversion: the value is the same.
        if let Some((of, inner)) = written.strip_suffix(')').and_then(|rest| rest.split_once('(')) {
            let is_type =
                matches!(of, "int32" | "int64" | "string" | "bool") || self.is_type(of, home, imports);
            return if is_type { self.constant(inner, home, imports) } else { None };
        }
        let (package, name) = self.resolve(written, home, imports);
        let found = self.package(&package)?.constants.get(&name)?;
        self.constant(&found.value, &package, &found.imports)
    }

    fn is_type(&self, written: &str, home: &str, imports: &BTreeMap<String, String>) -> bool {
        let (package, name) = self.resolve(written, home, imports);
        self.package(&package).is_some_and(|package| package.types.contains_key(&name))
    }
}
