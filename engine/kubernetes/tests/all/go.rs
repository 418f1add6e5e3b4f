//! Declarations of Go, read as text: as much as the types of Kubernetes need.
//!
//! In: the folder of a package as gofmt leaves it. Out: its types with their fields, tags and markers, its constants, its functions.

use std::collections::BTreeMap;
use std::path::Path;

/// A package.
#[derive(Debug, Default)]
pub(crate) struct Package {
    /// The name by which its types are written: `core.v1`.
    pub(crate) name: String,
    pub(crate) types: BTreeMap<String, Declared>,
    /// The texts behind `=`.
    pub(crate) constants: BTreeMap<String, Constant>,
    /// The bodies of the functions, with what each is declared to take.
    pub(crate) functions: BTreeMap<String, Function>,
}

/// A constant: the type that is written, and the value.
#[derive(Clone, Debug)]
pub(crate) struct Constant {
    pub(crate) of: String,
    pub(crate) value: String,
    /// The names of imported packages where it is declared, with their paths.
    pub(crate) imports: BTreeMap<String, String>,
}

/// A function: what stands in its brackets, and its lines.
#[derive(Debug, Default)]
pub(crate) struct Function {
    pub(crate) takes: String,
    pub(crate) lines: Vec<String>,
    pub(crate) imports: BTreeMap<String, String>,
}

/// A type.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    pub(crate) markers: Vec<String>,
    pub(crate) form: Form,
    /// The names of imported packages where it is declared, with their paths.
    pub(crate) imports: BTreeMap<String, String>,
}

/// What a type is.
#[derive(Debug)]
pub(crate) enum Form {
    /// Another type.
    Same(String),
    /// Fields.
    Struct(Vec<Field>),
}

impl Default for Form {
    fn default() -> Self {
        Form::Struct(Vec::new())
    }
}

/// A field of a struct.
#[derive(Debug)]
pub(crate) struct Field {
    /// As Go calls it; empty where the type is embedded.
    pub(crate) go_name: String,
    pub(crate) of: String,
    pub(crate) json: String,
    pub(crate) options: Vec<String>,
    pub(crate) tag: String,
    pub(crate) markers: Vec<String>,
}

impl Field {
    pub(crate) fn has(&self, option: &str) -> bool {
        self.options.iter().any(|one| one == option)
    }

    /// What stands behind a marker.
    pub(crate) fn marked(&self, name: &str) -> Vec<&str> {
        self.markers.iter().filter_map(|marker| marker.strip_prefix(name)).collect()
    }

    /// What a tag holds beside that of JSON.
    pub(crate) fn tagged(&self, name: &str) -> Option<&str> {
        let rest = self.tag.split_once(&format!("{name}:\""))?.1;
        rest.split_once('"').map(|(value, _)| value)
    }
}

impl Package {
    /// Reads the files of a folder.
    pub(crate) fn read(folder: &Path, name: &str) -> Package {
        let mut package = Package { name: name.to_owned(), ..Package::default() };
        let mut files: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        for file in files {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            let is_made =
                name.contains("zz_generated") || name.ends_with(".pb.go") || name.ends_with("_test.go");
            if file.extension().is_some_and(|extension| extension == "go") && !is_made {
                package.read_file(&std::fs::read_to_string(&file).unwrap());
            }
        }
        package
    }

    fn read_file(&mut self, text: &str) {
        let imports = imports(text);
        let (mut markers, mut before) = (Vec::new(), Vec::new());
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if let Some(marker) = line.strip_prefix("// +") {
                markers.push(marker.to_owned());
            } else if line.is_empty() {
                // Markers of a type may stand in the comment before its own.
                before = std::mem::take(&mut markers);
            } else if let Some(declared) = line.strip_prefix("type ") {
                let (name, of) = declared.split_once(' ').unwrap_or_default();
                let form = match of {
                    "struct {" => Form::Struct(fields(&mut lines)),
                    "struct{}" | "struct {}" => Form::default(),
                    of => Form::Same(of.trim_start_matches("= ").to_owned()),
                };
                markers.append(&mut before);
                let markers = std::mem::take(&mut markers);
                self.types.insert(name.to_owned(), Declared { markers, form, imports: imports.clone() });
            } else if line == "const (" || line == "var (" {
                lines
                    .by_ref()
                    .take_while(|line| *line != ")")
                    .for_each(|line| self.read_constant(line, &imports));
            } else if let Some(one) = line.strip_prefix("const ").or_else(|| line.strip_prefix("var ")) {
                self.read_constant(one, &imports);
            } else if let Some(declared) = line.strip_prefix("func ").filter(|line| line.ends_with(" {")) {
                let (name, takes) = declared.split_once('(').unwrap_or_default();
                let body = lines.by_ref().take_while(|line| *line != "}").map(str::to_owned).collect();
                let function = Function { takes: takes.to_owned(), lines: body, imports: imports.clone() };
                self.functions.insert(name.to_owned(), function);
            } else if !line.starts_with("//") {
                markers.clear();
                before.clear();
            }
        }
    }

    fn read_constant(&mut self, line: &str, imports: &BTreeMap<String, String>) {
        let Some((left, value)) = line.trim().split_once(" = ") else { return };
        let (name, of) = left.split_once(' ').unwrap_or((left, ""));
        let value = value.split(" //").next().unwrap_or("").trim().to_owned();
        self.constants
            .insert(name.to_owned(), Constant { of: of.trim().to_owned(), value, imports: imports.clone() });
    }
}

/// The imported packages of a file by the names they have there.
fn imports(text: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let block = text
        .split_once("import (\n")
        .map_or("", |(_, rest)| rest.split_once("\n)").map_or("", |(block, _)| block));
    let single = text.lines().filter_map(|line| line.strip_prefix("import "));
    for line in block.lines().chain(single) {
        let Some((before, path)) = line.trim().trim_end_matches('"').split_once('"') else { continue };
        let name = match before.trim() {
            "" => path.rsplit('/').next().unwrap_or(""),
            name => name,
        };
        found.insert(name.to_owned(), path.to_owned());
    }
    found
}

fn fields<'t>(lines: &mut impl Iterator<Item = &'t str>) -> Vec<Field> {
    let mut fields = Vec::new();
    let mut markers = Vec::new();
    for line in lines.take_while(|line| *line != "}") {
        let line = line.trim();
        if let Some(comment) = line.strip_prefix("//") {
            markers.extend(comment.trim_start().strip_prefix('+').map(str::to_owned));
        } else if let Some((declared, tag)) = line.split_once('`') {
            let declared = declared.trim();
            let (go_name, of) = declared.split_once(' ').unwrap_or(("", declared));
            let written = tag
                .split_once("json:\"")
                .and_then(|(_, rest)| rest.split_once('"'))
                .map_or("", |(json, _)| json);
            let mut options = written.split(',').map(str::to_owned);
            fields.push(Field {
                go_name: go_name.to_owned(),
                of: of.trim().to_owned(),
                json: options.next().unwrap_or_default(),
                options: options.collect(),
                tag: tag.to_owned(),
                markers: std::mem::take(&mut markers),
            });
        } else {
            markers.clear();
        }
    }
    fields
}
