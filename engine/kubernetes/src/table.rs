//! The table itself, `data/kubernetes.txt`, read once.
//!
//! In: rows. `=apps/v1 Deployment deployments namespaced ~apps.v1.Deployment deploy` is a kind: its version, name, plural, scope, type and short
//! names; `~` says that the server fills in its objects. `:core.v1.PodSpec` begins a type with fields, ` !` behind it says that it is replaced as a whole; `:core.v1.DNSPolicy string A B` is
//! another name of a type, with the texts that it may hold. `containers [name=#core.v1.Container] !` is a field with what it holds and what is
//! to be known of it. What it holds: `#…` a type with a name (`!` behind it: replaced as a whole), `[…]` a list that is replaced as a whole,
//! `[name=…]` one whose items are merged by this key, `[=…]` a set, `{…}` a map, `{!…}` one that is replaced as a whole, else a word.
//! To be known: `?` left out where it is empty (`omitempty`), `0` left out where it is zero (`omitzero`), `*` a pointer, so that zero is a value,
//! `!` required; `<ProbeHandler` names the structs that are embedded on the way to it. `~spec.replicas 1` below the fields is what is filled in where the field has no value.
//! Out: kinds and types.

use engine_json::{Map, Str, Value, parse};
use std::sync::LazyLock;

/// All that is known.
#[derive(Debug, Default)]
pub struct Table {
    /// By version and name.
    kinds: Vec<Kind>,
    /// By name.
    types: Vec<Type>,
    /// The type of the metadata of all objects.
    metadata: TypeId,
}

/// A kind of objects.
#[derive(Debug)]
pub struct Kind {
    /// Group and version, as objects have them: `apps/v1`.
    pub version: &'static str,
    /// The name: `Deployment`.
    pub name: &'static str,
    /// The name in paths: `deployments`.
    pub plural: &'static str,
    /// Whether its objects are in namespaces.
    pub is_namespaced: bool,
    /// What `kubectl` takes for it too: `deploy`.
    pub short: Vec<&'static str>,
    /// The type of its objects.
    pub of: TypeId,
    /// Whether the server fills in its objects: of some groups it does not, whatever types they have.
    pub is_filled: bool,
}

/// The place of a type in the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TypeId(u16);

impl TypeId {
    /// The place among all types.
    pub(crate) fn place(self) -> usize {
        usize::from(self.0)
    }
}

/// A type with a name.
#[derive(Debug)]
pub struct Type {
    /// Its place in the table.
    pub id: TypeId,
    /// The name: `core.v1.PodSpec`.
    pub name: &'static str,
    /// Its fields by name; none where it is another name of `same`.
    pub fields: Vec<Field>,
    /// What it is another name of.
    pub same: Option<Shape>,
    /// The texts that it may hold; none where any is taken.
    pub texts: Vec<&'static str>,
    /// Whether a merge replaces it as a whole.
    pub is_atomic: bool,
    /// What is filled in: the path of a field and its value.
    pub filled: Vec<(Vec<Str>, Value)>,
    /// The fields that are written where they have no value too.
    pub(crate) always: Vec<usize>,
}

/// A field.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own, as the rows have it")]
#[derive(Debug)]
pub struct Field {
    /// Its name.
    pub name: Str,
    /// What it holds.
    pub shape: Shape,
    /// Whether it is left out where it is empty.
    pub omits_empty: bool,
    /// Whether it is left out where it is zero.
    pub omits_zero: bool,
    /// Whether zero is a value in it.
    pub is_pointer: bool,
    /// Whether the published description requires it.
    pub is_required: bool,
    /// The structs that are embedded on the way to it, with points between them.
    pub embedded: &'static str,
}

/// What a field holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A text.
    Text,
    /// True or false.
    Truth,
    /// A whole number between two.
    Whole(i64, i64),
    /// Any number.
    Real,
    /// Bytes in base64.
    Bytes,
    /// `500m`.
    Quantity,
    /// A number or a text.
    Either,
    /// A time in seconds.
    Time,
    /// A time in microseconds.
    MicroTime,
    /// `1h30m`.
    Duration,
    /// Anything.
    Any,
    /// A type with a name, and whether a merge replaces it as a whole here.
    Named(TypeId, bool),
    /// A list, and the keys by which its items are merged: none for a set, `None` where it is replaced as a whole.
    List(Box<Shape>, Option<Vec<&'static str>>),
    /// A map, and whether a merge replaces it as a whole.
    Map(Box<Shape>, bool),
}

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(include_str!("../data/kubernetes.txt")));

/// The table of the release that this crate follows.
pub fn table() -> &'static Table {
    &TABLE
}

impl Table {
    /// The kind of this version and name.
    pub fn kind(&self, version: &str, name: &str) -> Option<&Kind> {
        let at = self.kinds.binary_search_by(|kind| (kind.version, kind.name).cmp(&(version, name)));
        at.ok().and_then(|at| self.kinds.get(at))
    }

    /// All kinds, by version and name.
    pub fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    /// A type.
    pub fn of(&self, id: TypeId) -> &Type {
        static NONE: LazyLock<Type> = LazyLock::new(|| Type::begin("", ""));
        self.types.get(usize::from(id.0)).unwrap_or(&NONE)
    }

    /// The type of this name.
    pub fn named(&self, name: &str) -> Option<&Type> {
        self.id(name).map(|id| self.of(id))
    }

    /// The type of the metadata of all objects.
    pub fn metadata(&self) -> &Type {
        self.of(self.metadata)
    }

    fn id(&self, name: &str) -> Option<TypeId> {
        let at = self.types.binary_search_by(|of| of.name.cmp(name)).ok()?;
        u16::try_from(at).ok().map(TypeId)
    }

    /// What a shape is once other names are followed; a type with fields stays its name.
    pub fn resolved<'t>(&'t self, shape: &'t Shape) -> &'t Shape {
        match shape {
            Shape::Named(id, _) => self.of(*id).same.as_ref().map_or(shape, |same| self.resolved(same)),
            shape => shape,
        }
    }

    fn read(text: &'static str) -> Table {
        let mut table = Table::default();
        // Types refer to one another: their names come first.
        let names = text.lines().filter_map(|line| line.strip_prefix(':'));
        table.types = names
            .map(|row| row.split_once(' ').unwrap_or((row, "")))
            .map(|(name, rest)| Type::begin(name, rest))
            .collect();
        table.types.sort_by_key(|of| of.name);
        let mut at = None;
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            match line.split_at_checked(1) {
                Some(("=", row)) => table.kinds.extend(table.read_kind(row)),
                Some((":", row)) => {
                    let (name, rest) = row.split_once(' ').unwrap_or((row, ""));
                    at = table.id(name);
                    let same = (!matches!(rest, "" | "!"))
                        .then(|| table.shape(rest.split(' ').next().unwrap_or("")));
                    if let Some(of) = table.type_mut(at) {
                        of.same = same;
                    }
                }
                Some(("~", row)) => {
                    let filled = filled(row);
                    if let Some(of) = table.type_mut(at) {
                        of.filled.extend(filled);
                    }
                }
                _ => {
                    let field = table.field(line);
                    if let Some(of) = table.type_mut(at) {
                        of.fields.push(field);
                    }
                }
            }
        }
        table.kinds.sort_by_key(|kind| (kind.version, kind.name));
        table.metadata = table.id("meta.v1.ObjectMeta").unwrap_or_default();
        table.finish();
        table
    }

    fn type_mut(&mut self, id: Option<TypeId>) -> Option<&mut Type> {
        id.and_then(|id| self.types.get_mut(usize::from(id.0)))
    }

    fn read_kind(&self, row: &'static str) -> Option<Kind> {
        let mut words = row.split(' ');
        let (version, name, plural, scope, of) =
            (words.next()?, words.next()?, words.next()?, words.next()?, words.next()?);
        let bare = of.strip_prefix('~');
        Some(Kind {
            version,
            name,
            plural,
            is_namespaced: scope == "namespaced",
            of: self.id(bare.unwrap_or(of))?,
            is_filled: bare.is_some(),
            short: words.next().unwrap_or("").split(',').filter(|name| !name.is_empty()).collect(),
        })
    }

    fn field(&self, row: &'static str) -> Field {
        let mut words = row.split(' ');
        let name = Str::new_static(words.next().unwrap_or(""));
        let shape = self.shape(words.next().unwrap_or(""));
        let mut flags = words.next().unwrap_or("");
        let mut embedded = words.next().unwrap_or("");
        if flags.starts_with('<') {
            (flags, embedded) = ("", flags);
        }
        Field {
            name,
            shape,
            omits_empty: flags.contains('?'),
            omits_zero: flags.contains('0'),
            is_pointer: flags.contains('*'),
            is_required: flags.contains('!'),
            embedded: embedded.trim_start_matches('<'),
        }
    }

    fn shape(&self, text: &'static str) -> Shape {
        if let Some(name) = text.strip_prefix('#') {
            let bare = name.strip_suffix('!');
            return Shape::Named(self.id(bare.unwrap_or(name)).unwrap_or_default(), bare.is_some());
        }
        if let Some(inner) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
            return match inner.split_once('=') {
                Some((keys, element)) => {
                    let keys = keys.split(',').filter(|key| !key.is_empty()).collect();
                    Shape::List(Box::new(self.shape(element)), Some(keys))
                }
                None => Shape::List(Box::new(self.shape(inner)), None),
            };
        }
        if let Some(inner) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
            let bare = inner.strip_prefix('!');
            return Shape::Map(Box::new(self.shape(bare.unwrap_or(inner))), bare.is_some());
        }
        match text {
            "string" => Shape::Text,
            "bool" => Shape::Truth,
            "int16" => Shape::Whole(i64::from(i16::MIN), i64::from(i16::MAX)),
            "int32" => Shape::Whole(i64::from(i32::MIN), i64::from(i32::MAX)),
            "uint8" => Shape::Whole(0, i64::from(u8::MAX)),
            "uint16" => Shape::Whole(0, i64::from(u16::MAX)),
            "uint32" => Shape::Whole(0, i64::from(u32::MAX)),
            "int" | "int64" | "uint64" => Shape::Whole(i64::MIN, i64::MAX),
            "float32" | "float64" => Shape::Real,
            "bytes" => Shape::Bytes,
            "quantity" => Shape::Quantity,
            "intstr" => Shape::Either,
            "time" => Shape::Time,
            "microtime" => Shape::MicroTime,
            "duration" => Shape::Duration,
            _ => Shape::Any,
        }
    }

    /// What follows from all rows together.
    fn finish(&mut self) {
        for at in 0..self.types.len() {
            let always = self.types.get(at).map(|of| self.always(of)).unwrap_or_default();
            if let Some(of) = self.types.get_mut(at) {
                of.id = TypeId(u16::try_from(at).unwrap_or(u16::MAX));
                of.always = always;
            }
        }
    }

    /// The fields of a type that are written where they have no value too.
    fn always(&self, of: &Type) -> Vec<usize> {
        let is_written = |field: &Field| {
            let is_struct = matches!(
                self.resolved(&field.shape),
                Shape::Named(..)
                    | Shape::Quantity
                    | Shape::Either
                    | Shape::Time
                    | Shape::MicroTime
                    | Shape::Duration
                    | Shape::Any
            );
            // Go: a struct is never empty.
            !field.omits_zero && (!field.omits_empty || (is_struct && !field.is_pointer))
        };
        of.fields.iter().enumerate().filter(|(_, field)| is_written(field)).map(|(at, _)| at).collect()
    }

    /// The kind of an object, where it is Kubernetes' own.
    pub fn kind_of(&self, object: &Map) -> Option<&Kind> {
        let text = |key| object.get(key).and_then(Value::as_str);
        self.kind(text("apiVersion")?, text("kind")?)
    }

    /// All types, by name.
    pub fn types(&self) -> &[Type] {
        &self.types
    }
}

impl Type {
    fn begin(name: &'static str, rest: &'static str) -> Type {
        Type {
            id: TypeId::default(),
            name,
            fields: Vec::new(),
            same: None,
            texts: rest.split(' ').skip(1).map(|text| if text == "\"\"" { "" } else { text }).collect(),
            is_atomic: rest == "!",
            filled: Vec::new(),
            always: Vec::new(),
        }
    }

    /// The field of this name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        let at = self.fields.binary_search_by(|field| field.name.as_str().cmp(name)).ok()?;
        self.fields.get(at)
    }
}

fn filled(row: &'static str) -> Option<(Vec<Str>, Value)> {
    let (path, value) = row.split_once(' ')?;
    Some((path.split('.').map(Str::new_static).collect(), parse(value).ok()?))
}
