//! What was made smaller does the same.

use super::{data, repeats};
use wasm_encoder::{
    BlockType, CodeSection, ConstExpr, DataSection, ExportKind, ExportSection, Function, FunctionSection,
    InstructionSink, MemorySection, MemoryType, Module, NameMap, NameSection, TypeSection, ValType,
};

/// A module with a memory of data in two pieces, and no functions.
fn with_data(pieces: &[(i32, &[u8])]) -> Vec<u8> {
    let mut module = Module::new();
    let mut types = TypeSection::new();
    types.ty().function([], []);
    module.section(&types).section(FunctionSection::new().function(0));
    let memory =
        MemoryType { minimum: 4, maximum: None, memory64: false, shared: false, page_size_log2: None };
    module.section(MemorySection::new().memory(memory));
    let mut exports = ExportSection::new();
    exports.export("memory", ExportKind::Memory, 0).export("wapc_init", ExportKind::Func, 0);
    let mut init = Function::new([]);
    init.instructions().end();
    module.section(&exports).section(CodeSection::new().function(&init));
    let mut data = DataSection::new();
    for (at, bytes) in pieces {
        data.active(0, &ConstExpr::i32_const(*at), bytes.iter().copied());
    }
    module.section(&data);
    module.finish()
}

/// The memory of a module once it is started.
fn memory(module: &[u8]) -> Vec<u8> {
    let engine = wasmi::Engine::default();
    let module = wasmi::Module::new(&engine, module).unwrap();
    let mut store = wasmi::Store::new(&engine, ());
    let instance = wasmi::Linker::new(&engine).instantiate_and_start(&mut store, &module).unwrap();
    let init = instance.get_typed_func::<(), ()>(&store, "wapc_init").unwrap();
    // Once is enough.
    (0..2).for_each(|_| init.call(&mut store, ()).unwrap());
    instance.get_memory(&store, "memory").unwrap().data(&store).to_vec()
}

#[test]
fn data_are_unpacked_where_they_were() {
    let words: Vec<u8> = (0..5_000_u32).flat_map(|n| (n * n % 97).to_le_bytes()).collect();
    let mut seed = 1_u32;
    let mut noise = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        seed.to_be_bytes()[0]
    };
    let noise: Vec<u8> = (0..700).map(|_| noise()).collect();
    let cases: [&[(i32, &[u8])]; 5] = [
        &[(65_536, &words), (65_536 + 30_000, b"more")],
        &[(100_000, &noise), (100_900, &noise)],
        &[(70_000, &[7; 5_000])],
        &[(70_000, b"abcabcabcabcabcabcabcabcabcabcx")],
        &[(70_000, b"a")],
    ];
    for pieces in cases {
        let module = with_data(pieces);
        let packed = data::packed(&module).unwrap();
        assert_eq!(memory(&module), memory(&packed));
    }
    let module = with_data(&[(65_536, &words)]);
    assert!(data::packed(&module).unwrap().len() < module.len() / 10);
}

#[test]
fn what_cannot_be_packed_is_refused() {
    assert!(data::packed(b"text").is_err());
    // The packed data would lie on the data.
    assert!(data::packed(&with_data(&[(1, b"some that cannot be shorter")])).is_err());
    let once = data::packed(&with_data(&[(65_536, b"once")])).unwrap();
    assert!(data::packed(&once).is_err());
}

/// What each of the functions below does somewhere, with locals of its own.
fn repeated(code: &mut InstructionSink<'_>, [one, other, out]: [u32; 3]) {
    code.local_get(one).i32_const(1_000_003).i32_mul().local_get(other).i32_xor().local_set(out);
    code.block(BlockType::Empty);
    code.local_get(out).i32_const(1).i32_and().br_if(0);
    code.local_get(out).i32_const(777_777).i32_sub().local_get(other).i32_add().local_set(out).end();
    code.local_get(out).i32_const(13).i32_rotl().i32_const(123_457).i32_add().local_set(out);
}

/// A module of functions that do nearly the same, by name.
fn with_functions(name: &str) -> Vec<u8> {
    const FUNCTIONS: u32 = 6;
    let mut module = Module::new();
    let mut types = TypeSection::new();
    types.ty().function([ValType::I32, ValType::I32], [ValType::I32]);
    module.section(&types);
    let (mut functions, mut exports, mut code) =
        (FunctionSection::new(), ExportSection::new(), CodeSection::new());
    let (mut names, mut section) = (NameMap::new(), NameSection::new());
    for number in 0..FUNCTIONS {
        functions.function(0);
        exports.export(&format!("f{number}"), ExportKind::Func, number);
        names.append(number, &format!("{name}{number}"));
        let mut function = Function::new([(number + 2, ValType::I32)]);
        let mut body = function.instructions();
        // The last ones do it in a loop, until it has come to a small number.
        let is_looped = number > 3;
        if is_looped {
            body.loop_(BlockType::Empty);
        }
        repeated(&mut body, if number % 2 == 0 { [0, 1, number + 2] } else { [1, 0, number + 3] });
        let out = number + 2 + number % 2;
        body.local_get(out).i32_const(i32::try_from(number).unwrap()).i32_add().local_set(0);
        if is_looped {
            body.local_get(out).i32_const(1).i32_add().local_tee(1).i32_const(31).i32_and().br_if(0).end();
        }
        body.local_get(0).local_get(1).i32_sub().end();
        code.function(&function);
    }
    section.functions(&names);
    module.section(&functions).section(&exports).section(&code).section(&section);
    module.finish()
}

/// What the functions say to some numbers.
fn answers(module: &[u8]) -> Vec<i32> {
    let engine = wasmi::Engine::default();
    let module = wasmi::Module::new(&engine, module).unwrap();
    let mut store = wasmi::Store::new(&engine, ());
    let instance = wasmi::Linker::new(&engine).instantiate_and_start(&mut store, &module).unwrap();
    let mut answers = Vec::new();
    for number in 0..6 {
        let function = instance.get_typed_func::<(i32, i32), i32>(&store, &format!("f{number}")).unwrap();
        for (one, other) in [(0, 0), (1, 7), (-5, 900_000), (i32::MAX, i32::MIN), (123_456_789, -1)] {
            answers.push(function.call(&mut store, (one, other)).unwrap());
        }
    }
    answers
}

#[test]
fn what_is_repeated_is_said_once() {
    let module = with_functions("crate::function");
    let shorter = repeats::once(&module).unwrap();
    assert_eq!(answers(&module), answers(&shorter));
    let calls = |module: &[u8]| module.windows(4).filter(|bytes| *bytes == [0x41, 0xc3, 0x84, 0x3d]).count();
    assert_eq!((calls(&module), calls(&shorter)), (6, 1));
    assert!(!shorter.windows(5).any(|bytes| bytes == b"crate"));
    // What is called often is left alone.
    let module = with_functions("dlmalloc::");
    let same = repeats::once(&module).unwrap();
    assert_eq!((calls(&same), answers(&same)), (6, answers(&module)));
}
