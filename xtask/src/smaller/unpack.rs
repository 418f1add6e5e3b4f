//! The function of a module that unpacks its data.
//!
//! In: how long each of [`Streams`] is, and where the data belong. Out: a function for the binary format. The packed bytes lie at the beginning of the memory
//! while it works, which is the far end of the stack, and are cleared away after it.

use super::lz::{SHORTEST, Streams};
use std::ops::Range;
use wasm_encoder::{BlockType, Function, InstructionSink, MemArg, ValType};

// The locals.
const LITERAL: u32 = 0;
const TOKEN: u32 = 1;
const LOW: u32 = 2;
const HIGH: u32 = 3;
/// Where the next byte goes.
const AT: u32 = 4;
/// The token that is being followed.
const NOW: u32 = 5;
/// So many bytes are still to be copied.
const COUNT: u32 = 6;
/// Where they are copied from.
const FROM: u32 = 7;
const LOCALS: u32 = 8;

/// The function, for data that belong to a place. Where there is something at `known` they are there already; after all it calls `next`.
pub(super) fn function(streams: &Streams, place: Range<i32>, known: i32, next: u32) -> Function {
    let length = |bytes: &[u8]| i32::try_from(bytes.len()).unwrap_or(i32::MAX);
    let token = length(&streams.literals);
    let low = token.saturating_add(length(&streams.tokens));
    let high = low.saturating_add(length(&streams.low));
    let all = high.saturating_add(length(&streams.high));
    let mut function = Function::new([(LOCALS, ValType::I32)]);
    let mut code = function.instructions();
    code.i32_const(known).i32_load8_u(BYTE).i32_eqz().if_(BlockType::Empty);
    code.i32_const(0).i32_const(0).i32_const(all).memory_init(0, 0).data_drop(0);
    for (local, start) in [(TOKEN, token), (LOW, low), (HIGH, high), (AT, place.start)] {
        code.i32_const(start).local_set(local);
    }
    code.block(BlockType::Empty).loop_(BlockType::Empty);
    next_byte(&mut code, TOKEN);
    code.local_tee(NOW).i32_const(4).i32_shr_u().local_set(COUNT);
    more(&mut code);
    copy(&mut code, LITERAL);
    code.local_get(AT).i32_const(place.end).i32_ge_u().br_if(1);
    code.local_get(NOW).i32_const(15).i32_and().local_set(COUNT);
    more(&mut code);
    code.local_get(COUNT).i32_const(i32::try_from(SHORTEST).unwrap_or(4)).i32_add().local_set(COUNT);
    code.local_get(AT);
    next_byte(&mut code, LOW);
    code.i32_sub();
    next_byte(&mut code, HIGH);
    code.i32_const(8).i32_shl().i32_sub().local_set(FROM);
    copy(&mut code, FROM);
    code.br(0).end().end();
    code.i32_const(0).i32_const(0).i32_const(all).memory_fill(0).end().call(next).end();
    function
}

const BYTE: MemArg = MemArg { offset: 0, align: 0, memory_index: 0 };

/// One more.
fn advance(code: &mut InstructionSink<'_>, local: u32) {
    code.local_get(local).i32_const(1).i32_add().local_set(local);
}

/// The byte that a local points to, which then points to the next one.
fn next_byte(code: &mut InstructionSink<'_>, local: u32) {
    code.local_get(local).i32_load8_u(BYTE);
    advance(code, local);
}

/// What half a token had no room for.
fn more(code: &mut InstructionSink<'_>) {
    code.local_get(COUNT).i32_const(15).i32_eq().if_(BlockType::Empty).loop_(BlockType::Empty);
    next_byte(code, TOKEN);
    code.local_tee(FROM).local_get(COUNT).i32_add().local_set(COUNT);
    code.local_get(FROM).i32_const(255).i32_eq().br_if(0).end().end();
}

/// So many bytes from where a local points to, one after the other: a copy may run into what it has just written.
fn copy(code: &mut InstructionSink<'_>, local: u32) {
    code.block(BlockType::Empty).loop_(BlockType::Empty);
    code.local_get(COUNT).i32_eqz().br_if(1);
    code.local_get(AT).local_get(local).i32_load8_u(BYTE).i32_store8(BYTE);
    advance(code, AT);
    advance(code, local);
    code.local_get(COUNT).i32_const(1).i32_sub().local_set(COUNT).br(0).end().end();
}
