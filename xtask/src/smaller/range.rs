//! What a range of operators would be as a function of its own.
//!
//! In: a function and where the range begins. Out: for each end that it can have, what a call would cost, and the function: it is handed what the
//! range reads, and gives back the one value that is needed after it.

use super::function::{Function, KNOWN, Stack, What};
use super::parts::Signature;
use wasm_encoder::Encode;
use wasmparser::ValType;

/// A range has at most so many operators,
pub(super) const MAX_OPS: usize = 96;
/// is handed so many values beside those on the stack,
const MAX_INPUTS: usize = 8;
/// and touches so many locals.
const MAX_LOCALS: usize = 14;
/// What comes back: more than one value takes a way through the memory.
const MAX_RESULTS: usize = 1;
/// Bytes of a call: the operator, and a number of two bytes.
const CALL: usize = 3;
/// Bytes of `local.get`, and of `local.set`.
const LOCAL: usize = 2;
/// Bytes of a function beside its operators: its type, its length, the declaration of locals, `end`.
const FRAME: usize = 6;

const RETURN: u8 = 0x0f;
const END: u8 = 0x0b;
/// `local.get`.
pub(super) const GET: u8 = 0x20;
/// `local.set`.
pub(super) const SET: u8 = 0x21;
const TEE: u8 = 0x22;

/// A range as a function.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) signature: Signature,
    /// The whole body as the binary format has it.
    pub(super) body: Vec<u8>,
}

/// What the caller hands over beside what lies on the stack, and the local that gets what comes back.
#[derive(Debug, Default)]
pub(super) struct Handed {
    pub(super) inputs: Vec<u32>,
    pub(super) output: Option<u32>,
}

/// A range that grows.
pub(super) struct Walk<'a> {
    function: &'a Function,
    module: &'a [u8],
    from: usize,
    hash: u64,
    /// The locals in the order in which they are first met, and whether they are written.
    met: Vec<(u32, bool)>,
    /// So many blocks are open.
    depth: u32,
    /// The lowest that the stack has been.
    low: u32,
    /// So many bytes the range has.
    pub(super) bytes: usize,
}

/// What came of one more operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grown {
    /// The range could end here.
    Whole,
    /// It is within a block.
    Inside,
    /// The operator cannot be part of a range.
    Not,
}

/// A range that could be a function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Costs {
    /// Ranges with one text have one hash.
    pub(super) hash: u64,
    /// So many bytes a call would have.
    pub(super) call: usize,
    /// So many bytes the function would have beside the operators.
    pub(super) frame: usize,
}

fn mix(hash: u64, value: u64) -> u64 {
    (hash.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95)
}

impl<'a> Walk<'a> {
    /// A range without an operator yet.
    pub(super) fn new(function: &'a Function, from: usize, module: &'a [u8]) -> Self {
        let low = function.ops.get(from).map_or(0, |op| op.before.height);
        Walk { function, module, from, hash: 1, met: Vec::new(), depth: 0, low, bytes: 0 }
    }

    /// One more operator.
    pub(super) fn grow(&mut self, at: usize) -> Grown {
        let Some(op) = self.function.ops.get(at) else { return Grown::Not };
        let text = self.module.get(op.at.clone()).unwrap_or_default();
        let Some(low) = op.before.height.checked_sub(op.pops) else { return Grown::Not };
        if text.first() == Some(&RETURN) {
            return Grown::Not;
        }
        if self.depth == 0 {
            self.low = self.low.min(low);
        }
        match &op.what {
            What::Leave | What::Else(_) | What::End if self.depth == 0 => return Grown::Not,
            What::Jump { out, .. } if *out >= self.depth => return Grown::Not,
            What::End => self.depth -= 1,
            What::Open | What::If(_) => self.depth += 1,
            _ => {}
        }
        self.bytes += text.len();
        match op.what {
            What::Get(local) => self.meet(GET, local),
            What::Set(local) => self.meet(SET, local),
            What::Tee(local) => self.meet(TEE, local),
            _ => text.iter().for_each(|byte| self.hash = mix(self.hash, u64::from(*byte))),
        }
        match self.depth {
            _ if self.met.len() > MAX_LOCALS => Grown::Not,
            0 => Grown::Whole,
            _ => Grown::Inside,
        }
    }

    fn meet(&mut self, operator: u8, local: u32) {
        let place = self.met.iter().position(|(met, _)| *met == local).unwrap_or_else(|| {
            self.met.push((local, false));
            self.met.len() - 1
        });
        if let Some((_, is_written)) = self.met.get_mut(place) {
            *is_written |= operator != GET;
        }
        self.hash = mix(mix(self.hash, u64::from(operator)), place as u64);
    }

    /// Whether the range needs the value that a local has before it.
    fn is_input(&self, local: u32) -> bool {
        self.function.is_live(self.from, local)
    }

    /// Whether what the range writes to a local is needed after it.
    fn is_output(&self, (local, is_written): (u32, bool), to: usize) -> bool {
        is_written && self.function.is_live(to, local)
    }

    fn type_of(&self, local: u32) -> ValType {
        self.function.locals.get(local as usize).copied().unwrap_or(ValType::I32)
    }

    fn stack_at(&self, at: usize) -> Stack {
        self.function.ops.get(at).map(|op| op.before).unwrap_or_default()
    }

    /// So many values the range takes from the stack, and leaves there.
    fn heights(&self, to: usize) -> Option<(usize, usize)> {
        let taken = self.stack_at(self.from).height.checked_sub(self.low)?;
        let left = self.stack_at(to).height.checked_sub(self.low)?;
        Some((taken as usize, left as usize)).filter(|(taken, left)| *taken <= KNOWN && *left <= MAX_RESULTS)
    }

    /// What the range up to this operator would cost, where it can be a function.
    pub(super) fn costs(&self, to: usize) -> Option<Costs> {
        let (taken, left) = self.heights(to)?;
        let mut hash = mix(self.hash, (taken << 8 | left) as u64);
        let (mut inputs, mut outputs) = (0, 0);
        for (local, is_written) in &self.met {
            let is_in = self.is_input(*local);
            let is_out = self.is_output((*local, *is_written), to);
            inputs += usize::from(is_in);
            outputs += usize::from(is_out);
            let kind = match self.type_of(*local) {
                ValType::I64 => 1,
                ValType::F32 => 2,
                ValType::F64 => 3,
                _ => 0,
            };
            hash = mix(hash, kind << 2 | u64::from(is_in) << 1 | u64::from(is_out));
        }
        if inputs > MAX_INPUTS || outputs + left > MAX_RESULTS {
            return None;
        }
        let temporary = self.met.len() - inputs;
        let frame = FRAME + LOCAL * (taken + outputs) + temporary.min(3);
        Some(Costs { hash, call: CALL + LOCAL * (inputs + outputs), frame })
    }

    /// The range as a function, and what this place hands to it.
    pub(super) fn shape(&self, to: usize) -> Option<(Shape, Handed)> {
        let (taken, left) = self.heights(to)?;
        let types = |stack: Stack, count: usize| -> Option<Vec<ValType>> {
            stack.top.get(..count)?.iter().rev().copied().collect()
        };
        let mut takes = types(self.stack_at(self.from), taken)?;
        let mut gives = types(self.stack_at(to), left)?;
        let mut handed = Handed::default();
        // The locals of the new function: what it takes from the stack, what it is handed, what it needs for itself.
        let mut numbered: Vec<Option<u32>> = vec![None; taken];
        for (local, _) in self.met.iter().filter(|(local, _)| self.is_input(*local)) {
            handed.inputs.push(*local);
            takes.push(self.type_of(*local));
            numbered.push(Some(*local));
        }
        let mut temporary = Vec::new();
        for kind in [ValType::I32, ValType::I64, ValType::F32, ValType::F64] {
            for (local, _) in self.met.iter().filter(|(local, _)| self.type_of(*local) == kind) {
                if !self.is_input(*local) {
                    temporary.push(kind);
                    numbered.push(Some(*local));
                }
            }
        }
        let number = |local: u32| numbered.iter().position(|numbered| *numbered == Some(local)).unwrap_or(0);
        let mut body = declarations(&temporary);
        (0..taken).for_each(|place| local_op(&mut body, GET, place));
        for op in self.function.ops.get(self.from..to).unwrap_or_default() {
            match op.what {
                What::Get(local) => local_op(&mut body, GET, number(local)),
                What::Set(local) => local_op(&mut body, SET, number(local)),
                What::Tee(local) => local_op(&mut body, TEE, number(local)),
                _ => body.extend_from_slice(self.module.get(op.at.clone()).unwrap_or_default()),
            }
        }
        if let Some((local, _)) = self.met.iter().copied().find(|met| self.is_output(*met, to)) {
            local_op(&mut body, GET, number(local));
            gives.push(self.type_of(local));
            handed.output = Some(local);
        }
        body.push(END);
        Some((Shape { signature: (takes, gives), body }, handed))
    }
}

/// `local.get` and its like.
pub(super) fn local_op(out: &mut Vec<u8>, operator: u8, local: usize) {
    out.push(operator);
    super::parts::short(local).encode(out);
}

/// The declaration of locals that stand in groups.
fn declarations(locals: &[ValType]) -> Vec<u8> {
    let groups: Vec<&[ValType]> = locals.chunk_by(|one, other| one == other).collect();
    let mut out = Vec::new();
    groups.len().encode(&mut out);
    for group in groups {
        group.len().encode(&mut out);
        out.push(match group.first() {
            Some(ValType::I64) => 0x7e,
            Some(ValType::F32) => 0x7d,
            Some(ValType::F64) => 0x7c,
            _ => 0x7f,
        });
    }
    out
}
