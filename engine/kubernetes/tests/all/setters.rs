//! The functions `SetDefaults_…` of k8s.io/kubernetes that do nothing but give fields a value where they have none.
//!
//! In: a function. Out: its rows; none where it does anything else, which then is written by hand in `src/defaults`.

use crate::go::{Form, Function, Package};
use crate::sources::Sources;
use std::collections::BTreeMap;

/// The path of a field, and the value in JSON.
pub(crate) type Row = (String, String);

/// What a function is about: the package and the name of the type.
pub(crate) fn subject(function: &Function, sources: &Sources) -> Option<(String, String)> {
    let (_, of) = function.takes.split_once(" *")?;
    let (package, name) = of.split(')').next()?.split_once('.')?;
    let path = function.imports.get(package)?;
    sources.package_at(path).map(|package| (package.name.clone(), name.to_owned()))
}

/// The rows of a function.
pub(crate) fn rows(
    function: &Function,
    of: (&str, &str),
    home: &Package,
    sources: &Sources,
) -> Option<Vec<Row>> {
    let mut reader = Reader { function, of, home, sources, values: BTreeMap::new() };
    let mut rows = Vec::new();
    let mut lines = function
        .lines
        .iter()
        .map(|line| line.trim())
        .filter(|line| !line.starts_with("//") && !line.is_empty());
    while let Some(line) = lines.next() {
        let Some(condition) = line.strip_prefix("if ").and_then(|line| line.strip_suffix(" {")) else {
            reader.assign(line)?;
            continue;
        };
        let path = reader.absent(condition)?;
        let mut value = None;
        for line in lines.by_ref().take_while(|line| *line != "}") {
            match line.split_once(" = ") {
                Some((to, made)) => {
                    let to = to.trim_start_matches('*').trim_start_matches('(').trim_end_matches(')');
                    if reader.path(to)? != path {
                        return None;
                    }
                    // Go: `new` makes what the next line sets.
                    value = if made.starts_with("new(") { None } else { Some(reader.value(made)?) };
                }
                None => reader.assign(line)?,
            }
        }
        rows.push((path, value?));
    }
    Some(rows)
}

struct Reader<'a> {
    function: &'a Function,
    of: (&'a str, &'a str),
    home: &'a Package,
    sources: &'a Sources,
    values: BTreeMap<String, String>,
}

impl Reader<'_> {
    /// `name := value`.
    fn assign(&mut self, line: &str) -> Option<()> {
        let (name, value) = line.split_once(" := ")?;
        let value = self.value(value)?;
        self.values.insert(name.to_owned(), value);
        Some(())
    }

    /// The field that a condition finds without a value.
    fn absent(&self, condition: &str) -> Option<String> {
        let path = match condition.strip_prefix("len(") {
            Some(rest) => rest.strip_suffix(") == 0")?,
            None => [" == nil", " == \"\"", " == 0"].iter().find_map(|end| condition.strip_suffix(end))?,
        };
        self.path(path)
    }

    /// `obj.Spec.Type` as JSON calls it, where `obj` is what the function takes.
    fn path(&self, written: &str) -> Option<String> {
        let mut of = (self.of.0.to_owned(), self.of.1.to_owned());
        let mut path = Vec::new();
        let subject = self.function.takes.split(' ').next()?;
        for name in written.strip_prefix(subject)?.strip_prefix('.')?.split('.') {
            let (field, next) = self.field(&of, name)?;
            path.extend(field);
            of = next;
        }
        Some(path.join("."))
    }

    /// The name in JSON of a field, none where it is embedded, and its type.
    fn field(&self, of: &(String, String), name: &str) -> Option<(Option<String>, (String, String))> {
        let declared = self.sources.package(&of.0)?.types.get(&of.1)?;
        let Form::Struct(fields) = &declared.form else { return None };
        for field in fields {
            let bare = field.of.trim_start_matches('*');
            let target = || self.sources.resolve(bare, &of.0, &declared.imports);
            if field.go_name == name {
                return Some((Some(field.json.clone()), target()));
            }
            if !field.go_name.is_empty() {
                continue;
            }
            if bare.rsplit('.').next() == Some(name) {
                return Some(((!field.json.is_empty()).then(|| field.json.clone()), target()));
            }
            if let Some(found) = self.field(&target(), name) {
                return Some(found);
            }
        }
        None
    }

    fn value(&self, written: &str) -> Option<String> {
        let written = written.trim();
        if let Some(known) = written.strip_prefix('&').and_then(|name| self.values.get(name)) {
            return Some(known.clone());
        }
        if let Some(known) = self.values.get(written) {
            return Some(known.clone());
        }
        for (before, after) in [
            ("ptr.To(", ")"),
            ("ptr.To[int32](", ")"),
            ("intstr.FromInt32(", ")"),
            ("intstr.FromString(", ")"),
        ] {
            if let Some(inner) = written.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)) {
                return self.value(inner);
            }
        }
        if written.ends_with("{}") && !written.starts_with("[]") && !written.starts_with("make") {
            return Some("{}".to_owned());
        }
        if written.starts_with("make(map[") {
            return Some("{}".to_owned());
        }
        self.sources.constant(written.trim_start_matches('&'), &self.home.name, &self.function.imports)
    }
}
