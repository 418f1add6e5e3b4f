//! The parts of a module that are written anew; all else stays as it is.
//!
//! In: a module with one memory, functions and numbers, as rustc and wasm-opt write it for wasm32. Out: [`Parts`], and a module of them.

use std::collections::HashMap;
use wasm_encoder::{
    CodeSection, ConstExpr, DataCountSection, DataSection, ElementSection, Elements, ExportKind,
    ExportSection, FunctionSection, Module, RawSection, SectionId, TypeSection,
};
use wasmparser::{
    BinaryReaderError, ElementItems, ElementKind, ElementSectionReader, ExportSectionReader, ExternalKind,
    FuncType, KnownCustom, Name, Operator, Parser, Payload, TypeRef, ValType,
};

/// What a function takes and gives.
pub(super) type Signature = (Vec<ValType>, Vec<ValType>);

/// The parts.
pub(super) struct Parts<'a> {
    module: &'a [u8],
    types: Vec<Signature>,
    /// So many functions are imported: their numbers come first.
    pub(super) imported: u32,
    /// The functions: the number of the type, and the body.
    pub(super) functions: Vec<(u32, Vec<u8>)>,
    /// Where the first of these functions is exported, the second is.
    pub(super) instead: Option<(u32, u32)>,
    /// Whether names are left out.
    pub(super) has_no_names: bool,
    /// What is in the place of all data, for a function to take.
    pub(super) data: Option<Vec<u8>>,
}

/// Why a module cannot be read.
#[expect(clippy::needless_pass_by_value, reason = "it stands behind `map_err`")]
pub(super) fn unread(error: BinaryReaderError) -> String {
    format!("this is not a module of WebAssembly: {error}")
}

impl<'a> Parts<'a> {
    /// Takes a module apart.
    pub(super) fn read(module: &'a [u8]) -> Result<Self, BinaryReaderError> {
        let mut parts = Parts {
            module,
            types: Vec::new(),
            imported: 0,
            functions: Vec::new(),
            instead: None,
            data: None,
            has_no_names: false,
        };
        let (mut kinds, mut bodies) = (Vec::new(), Vec::new());
        for payload in Parser::new(0).parse_all(module) {
            match payload? {
                Payload::TypeSection(types) => {
                    for kind in types.into_iter_err_on_gc_types() {
                        parts.types.push(signature(&kind?));
                    }
                }
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        parts.imported += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                    }
                }
                Payload::FunctionSection(section) => kinds = section.into_iter().collect::<Result<_, _>>()?,
                Payload::CodeSectionEntry(body) => {
                    bodies.push(module.get(body.range()).unwrap_or_default().to_vec());
                }
                _ => {}
            }
        }
        parts.functions = kinds.into_iter().zip(bodies).collect();
        Ok(parts)
    }

    /// The names of the module's own functions as they are in the sources, in order; empty where there is none.
    pub(super) fn names(&self) -> Result<Vec<String>, BinaryReaderError> {
        let mut found = HashMap::new();
        for payload in Parser::new(0).parse_all(self.module) {
            let Payload::CustomSection(section) = payload? else { continue };
            let KnownCustom::Name(parts) = section.as_known() else { continue };
            for part in parts {
                let Name::Function(names) = part? else { continue };
                for name in names {
                    let name = name?;
                    found.insert(name.index, format!("{:#}", rustc_demangle::demangle(name.name)));
                }
            }
        }
        let own = (self.imported..).take(self.functions.len());
        Ok(own.map(|number| found.remove(&number).unwrap_or_default()).collect())
    }

    /// The function that is exported by a name.
    pub(super) fn exported(&self, name: &str) -> Result<Option<u32>, BinaryReaderError> {
        for payload in Parser::new(0).parse_all(self.module) {
            let Payload::ExportSection(exports) = payload? else { continue };
            for export in exports {
                let export = export?;
                if export.name == name {
                    return Ok(Some(export.index));
                }
            }
        }
        Ok(None)
    }

    /// A function more; its number.
    pub(super) fn add(&mut self, kind: Signature, body: Vec<u8>) -> u32 {
        let known = self.types.iter().position(|known| *known == kind);
        let kind = known.unwrap_or_else(|| {
            self.types.push(kind);
            self.types.len() - 1
        });
        let number = self.imported + short(self.functions.len());
        self.functions.push((short(kind), body));
        number
    }

    /// The module of these parts, with the numbers of functions as `index` gives them: `functions` are already so.
    pub(super) fn write(&self, index: impl Fn(u32) -> u32) -> Result<Vec<u8>, String> {
        let mut out = Module::new();
        for payload in Parser::new(0).parse_all(self.module) {
            let payload = payload.map_err(unread)?;
            match payload {
                Payload::TypeSection(_) => {
                    out.section(&self.types());
                }
                Payload::FunctionSection(_) => {
                    let mut section = FunctionSection::new();
                    for (kind, _) in &self.functions {
                        section.function(*kind);
                    }
                    out.section(&section);
                }
                Payload::ExportSection(section) => {
                    out.section(
                        &exports(section, &|function| match self.instead {
                            Some((old, new)) if function == old => index(new),
                            _ => index(function),
                        })
                        .map_err(unread)?,
                    );
                }
                Payload::ElementSection(section) => {
                    out.section(&elements(section, &index)?);
                }
                Payload::CodeSectionStart { .. } => {
                    if self.data.is_some() {
                        out.section(&DataCountSection { count: 1 });
                    }
                    let mut section = CodeSection::new();
                    for (_, body) in &self.functions {
                        section.raw(body);
                    }
                    out.section(&section);
                }
                Payload::DataSection(section) => match &self.data {
                    Some(data) => {
                        out.section(DataSection::new().passive(data.iter().copied()));
                    }
                    None => self.same(&mut out, SectionId::Data.into(), section.range()),
                },
                Payload::CustomSection(section) if section.name() == "name" && self.has_no_names => {}
                Payload::DataCountSection { .. } | Payload::CodeSectionEntry(_) => {}
                other => {
                    if let Some((id, range)) = other.as_section() {
                        self.same(&mut out, id, range);
                    }
                }
            }
        }
        Ok(out.finish())
    }

    fn same(&self, out: &mut Module, id: u8, range: std::ops::Range<usize>) {
        out.section(&RawSection { id, data: self.module.get(range).unwrap_or_default() });
    }

    fn types(&self) -> TypeSection {
        let mut section = TypeSection::new();
        for (takes, gives) in &self.types {
            let written = |kinds: &[ValType]| kinds.iter().copied().map(written).collect::<Vec<_>>();
            section.ty().function(written(takes), written(gives));
        }
        section
    }
}

/// A number of the binary format: no module has more than 2^32 of anything.
pub(super) fn short(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn signature(kind: &FuncType) -> Signature {
    (kind.params().to_vec(), kind.results().to_vec())
}

/// The type for the writer.
fn written(kind: ValType) -> wasm_encoder::ValType {
    match kind {
        ValType::I64 => wasm_encoder::ValType::I64,
        ValType::F32 => wasm_encoder::ValType::F32,
        ValType::F64 => wasm_encoder::ValType::F64,
        _ => wasm_encoder::ValType::I32,
    }
}

fn exports(
    section: ExportSectionReader<'_>,
    index: &impl Fn(u32) -> u32,
) -> Result<ExportSection, BinaryReaderError> {
    let mut out = ExportSection::new();
    for export in section {
        let export = export?;
        let (kind, number) = match export.kind {
            ExternalKind::Func | ExternalKind::FuncExact => (ExportKind::Func, index(export.index)),
            ExternalKind::Table => (ExportKind::Table, export.index),
            ExternalKind::Memory => (ExportKind::Memory, export.index),
            ExternalKind::Global => (ExportKind::Global, export.index),
            ExternalKind::Tag => (ExportKind::Tag, export.index),
        };
        out.export(export.name, kind, number);
    }
    Ok(out)
}

/// The tables of functions, which rustc's modules have one of.
fn elements(
    section: ElementSectionReader<'_>,
    index: &impl Fn(u32) -> u32,
) -> Result<ElementSection, String> {
    let mut out = ElementSection::new();
    for element in section {
        let element = element.map_err(unread)?;
        let ElementItems::Functions(functions) = element.items else {
            return Err("a table of expressions is not understood".to_owned());
        };
        let functions: Result<Vec<u32>, _> =
            functions.into_iter().map(|function| function.map(index)).collect();
        let functions = Elements::Functions(functions.map_err(unread)?.into());
        match element.kind {
            ElementKind::Active { offset_expr, .. } => {
                let Operator::I32Const { value } =
                    offset_expr.get_operators_reader().read().map_err(unread)?
                else {
                    return Err("a table that has no fixed place is not understood".to_owned());
                };
                out.active(None, &ConstExpr::i32_const(value), functions)
            }
            ElementKind::Passive => out.passive(functions),
            ElementKind::Declared => out.declared(functions),
        };
    }
    Ok(out)
}
