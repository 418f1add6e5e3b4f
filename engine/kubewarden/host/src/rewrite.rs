//! A module with another memory to begin with: that of an instance which has done its preparations.
//!
//! In: a module, and the memory of an instance between two calls. Out: the module whose instances begin with that memory, and do nothing
//! when they are started. All else stays: between two calls the globals of a module that rustc made are what they were at the beginning.

use std::ops::Range;
use wasm_encoder::{ConstExpr, DataCountSection, DataSection, MemorySection, MemoryType, Module, RawSection};
use wasmparser::{BinaryReaderError, DataKind, Operator, Parser, Payload};

const PAGE: usize = 65_536;
/// So many zeros in a row are left out: two segments cost less.
const GAP: usize = 64;
/// So many segments a module may have: engines take 100,000.
const MAX_SEGMENTS: usize = 90_000;

/// The module with this memory.
pub(crate) fn with_memory(module: &[u8], memory: &[u8]) -> Result<Vec<u8>, String> {
    let unread = |error: BinaryReaderError| format!("this is not a module of WebAssembly: {error}");
    let from = unused(module).map_err(unread)?;
    let segments = segments(memory, from)?;
    let mut out = Module::new();
    for payload in Parser::new(0).parse_all(module) {
        match payload.map_err(unread)? {
            // What it does is done, and stands in this memory.
            Payload::StartSection { .. } => {}
            Payload::MemorySection(memories) => {
                let declared: Vec<_> = memories.into_iter().collect::<Result<_, _>>().map_err(unread)?;
                if declared.len() != 1 || declared.iter().any(|memory| memory.maximum.is_some()) {
                    return Err("the module must have one memory, without a limit".to_owned());
                }
                out.section(MemorySection::new().memory(memory_type(memory.len())));
            }
            Payload::DataCountSection { .. } => {
                let count = u32::try_from(segments.len()).unwrap_or(u32::MAX);
                out.section(&DataCountSection { count });
            }
            Payload::DataSection(_) => {
                out.section(&data(memory, &segments)?);
            }
            other => {
                if let Some((id, range)) = other.as_section() {
                    out.section(&RawSection { id, data: module.get(range).unwrap_or_default() });
                }
            }
        }
    }
    Ok(out.finish())
}

/// A memory of so many bytes at the beginning.
fn memory_type(bytes: usize) -> MemoryType {
    let minimum = bytes.div_ceil(PAGE) as u64;
    MemoryType { minimum, maximum: None, memory64: false, shared: false, page_size_log2: None }
}

/// How much of the memory nothing uses between two calls: the stack, where it is below all data. It begins where the first global of a
/// module that rustc made says, and grows towards 0.
fn unused(module: &[u8]) -> Result<usize, BinaryReaderError> {
    let (mut top, mut first) = (None, None);
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::GlobalSection(globals) => {
                let global = globals.into_iter().next().transpose()?;
                top = match global.filter(|global| global.ty.mutable) {
                    Some(global) => place(&global.init_expr)?,
                    None => None,
                };
            }
            // They stand in order.
            Payload::DataSection(segments) => {
                first = match segments.into_iter().next().transpose()?.map(|segment| segment.kind) {
                    Some(DataKind::Active { offset_expr, .. }) => place(&offset_expr)?,
                    _ => None,
                };
            }
            _ => {}
        }
    }
    Ok(top.filter(|top| first.is_some_and(|first| first >= *top)).unwrap_or(0))
}

/// The place in memory that an expression is, where it is a constant.
fn place(expression: &wasmparser::ConstExpr<'_>) -> Result<Option<usize>, BinaryReaderError> {
    Ok(match expression.get_operators_reader().read()? {
        // Places beyond 2^31 are written as numbers below 0.
        Operator::I32Const { value } => Some(value.cast_unsigned() as usize),
        _ => None,
    })
}

/// The places of what is not zero, from a place on.
fn segments(memory: &[u8], from: usize) -> Result<Vec<Range<usize>>, String> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, _) in memory.iter().enumerate().skip(from).filter(|(_, byte)| **byte != 0) {
        match found.last_mut() {
            Some(last) if at - last.end < GAP => last.end = at + 1,
            _ => found.push(at..at + 1),
        }
    }
    if found.len() > MAX_SEGMENTS {
        return Err(format!("the memory is in {} pieces, at most {MAX_SEGMENTS} fit a module", found.len()));
    }
    Ok(found)
}

fn data(memory: &[u8], segments: &[Range<usize>]) -> Result<DataSection, String> {
    let mut section = DataSection::new();
    for segment in segments {
        let start = u32::try_from(segment.start).map_err(|_| "the memory is too large")?;
        let bytes = memory.get(segment.clone()).unwrap_or_default();
        section.active(0, &ConstExpr::i32_const(start.cast_signed()), bytes.iter().copied());
    }
    Ok(section)
}

#[cfg(test)]
mod tests {
    use super::{segments, unused, with_memory};
    use wasm_encoder::{
        ConstExpr, DataSection, GlobalSection, GlobalType, MemorySection, Module, StartSection, ValType,
    };

    /// A module whose stack begins at 64, with data at a place.
    fn module(data_at: i32, more: impl FnOnce(&mut Module)) -> Vec<u8> {
        let mut module = Module::new();
        module.section(MemorySection::new().memory(super::memory_type(1)));
        let stack = GlobalType { val_type: ValType::I32, mutable: true, shared: false };
        module.section(GlobalSection::new().global(stack, &ConstExpr::i32_const(64)));
        more(&mut module);
        let mut data = DataSection::new();
        data.active(0, &ConstExpr::i32_const(data_at), [7]);
        module.section(&data);
        module.finish()
    }

    #[test]
    fn the_stack_is_below_the_data() {
        assert_eq!(unused(&module(100, |_| ())).unwrap(), 64);
        assert_eq!(unused(&module(10, |_| ())).unwrap(), 0);
    }

    #[test]
    fn a_memory_is_kept_without_the_stack() {
        let mut memory = vec![0; 200_000];
        (memory[10], memory[100], memory[150_000]) = (1, 2, 3);
        let kept = with_memory(&module(100, |_| ()), &memory).unwrap();
        let again = with_memory(&kept, &memory).unwrap();
        assert_eq!(kept, again);
        // What the stack held is not there.
        assert!(kept.len() < 100 && kept.ends_with(&[3]), "{kept:?}");
        // What a module does at its start is not done again.
        let started = module(100, |module| {
            module.section(&StartSection { function_index: 0 });
        });
        assert_eq!(with_memory(&started, &memory).unwrap(), kept);
        assert!(with_memory(b"text", &memory).is_err());
    }

    #[test]
    fn zeros_are_left_out() {
        let mut memory = vec![0; 1_000];
        (memory[3], memory[10], memory[500]) = (1, 2, 3);
        assert_eq!(segments(&memory, 0), Ok(vec![3..11, 500..501]));
        assert_eq!(segments(&memory, 11).unwrap().first(), Some(&(500..501)));
    }
}
