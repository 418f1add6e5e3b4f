//! A function as a list of operators, each with what it does to the stack and which locals are still needed after it.
//!
//! In: the body of a function, and its validator. Out: a [`Function`].

use std::ops::Range;
use wasmparser::{BinaryReaderError, FuncValidator, FunctionBody, Operator, ValType, WasmModuleResources};

/// So many values that lie on the stack before an operator are known by type.
pub(super) const KNOWN: usize = 4;

/// An operator.
#[derive(Debug)]
pub(super) struct Op {
    pub(super) what: What,
    /// Where it is in the module.
    pub(super) at: Range<usize>,
    /// So many values it takes from the stack.
    pub(super) pops: u32,
    /// What lies on the stack before it.
    pub(super) before: Stack,
}

/// What lies on the stack at some point.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stack {
    pub(super) height: u32,
    /// The types of what lies uppermost, the uppermost first.
    pub(super) top: [Option<ValType>; KNOWN],
}

/// What an operator is, as far as it matters here.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum What {
    /// `local.get`, `local.set`, `local.tee`.
    Get(u32),
    Set(u32),
    Tee(u32),
    /// `block`, `loop`.
    Open,
    /// With where it goes on where the condition does not hold.
    If(usize),
    /// With where the other part goes on.
    Else(usize),
    End,
    /// A jump to one of these places, out of so many blocks, or (where it says so) on to the next operator.
    Jump {
        to: Vec<usize>,
        out: u32,
        or_on: bool,
    },
    /// `return`, `unreachable`.
    Leave,
    Call(u32),
    Other,
}

/// A function.
#[derive(Debug)]
pub(super) struct Function {
    /// The locals, parameters among them.
    pub(super) locals: Vec<ValType>,
    /// Where the locals are declared in the module.
    pub(super) declared: Range<usize>,
    pub(super) ops: Vec<Op>,
    /// Whether it is called so often that a call more would be felt.
    pub(super) is_hot: bool,
    live: Vec<u64>,
    words: usize,
}

impl Function {
    /// Reads a function of the module.
    pub(super) fn read<T: WasmModuleResources>(
        body: &FunctionBody<'_>,
        mut validator: FuncValidator<T>,
    ) -> Result<Self, BinaryReaderError> {
        let mut reader = body.get_binary_reader();
        let begin = reader.original_position();
        validator.read_locals(&mut reader)?;
        let declared = begin..reader.original_position();
        let locals =
            (0..validator.len_locals()).filter_map(|local| validator.get_local_type(local)).collect();
        let mut blocks = Blocks::default();
        let mut ops = Vec::new();
        let mut reader = body.get_operators_reader()?;
        while !reader.eof() {
            let start = reader.original_position();
            let op = reader.read()?;
            let before = stack(&validator);
            let pops = match op {
                Operator::Block { .. } | Operator::Loop { .. } | Operator::Else | Operator::End => 0,
                Operator::If { .. } => 1,
                _ => op.operator_arity(&validator).map_or(u32::MAX, |(pops, _)| pops),
            };
            let what = blocks.what(&op, ops.len());
            validator.op(start, &op)?;
            ops.push(Op { what, at: start..reader.original_position(), pops, before });
        }
        blocks.resolve(&mut ops);
        let mut function = Function { locals, declared, ops, is_hot: false, live: Vec::new(), words: 0 };
        function.find_live();
        Ok(function)
    }

    /// Whether the value that a local has before an operator is needed.
    pub(super) fn is_live(&self, op: usize, local: u32) -> bool {
        let word = self.live.get(op * self.words + local as usize / 64);
        word.is_some_and(|word| word & (1 << (local % 64)) != 0)
    }

    /// Which locals are needed where: from the last operator to the first, until nothing changes.
    fn find_live(&mut self) {
        self.words = self.locals.len().div_ceil(64).max(1);
        self.live = vec![0; (self.ops.len() + 1) * self.words];
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for at in (0..self.ops.len()).rev() {
                let now = self.live_before(at);
                if let Some(kept) = self.live.get_mut(at * self.words..(at + 1) * self.words) {
                    has_changed |= kept != now.as_slice();
                    kept.copy_from_slice(&now);
                }
            }
        }
    }

    /// What is needed before an operator, by what is known of those that may come after it.
    fn live_before(&self, at: usize) -> Vec<u64> {
        let mut now = vec![0; self.words];
        let Some(op) = self.ops.get(at) else { return now };
        let mut add = |from: usize| {
            let from = self.live.get(from * self.words..).unwrap_or_default();
            now.iter_mut().zip(from).for_each(|(now, from)| *now |= from);
        };
        match &op.what {
            What::Leave => {}
            What::Else(end) => add(*end),
            What::Jump { to, or_on, .. } => to.iter().copied().chain(or_on.then_some(at + 1)).for_each(add),
            What::If(other) => [*other, at + 1].into_iter().for_each(add),
            _ => add(at + 1),
        }
        match op.what {
            What::Get(local) => set(&mut now, local, true),
            What::Set(local) | What::Tee(local) => set(&mut now, local, false),
            _ => {}
        }
        now
    }
}

fn set(live: &mut [u64], local: u32, is_live: bool) {
    let bit = 1 << (local % 64);
    if let Some(word) = live.get_mut(local as usize / 64) {
        *word = if is_live { *word | bit } else { *word & !bit };
    }
}

fn stack<T: WasmModuleResources>(validator: &FuncValidator<T>) -> Stack {
    let mut top = [None; KNOWN];
    for (depth, place) in top.iter_mut().enumerate() {
        *place = validator.get_operand_type(depth).flatten();
    }
    Stack { height: validator.operand_stack_height(), top }
}

/// The blocks that are open while a function is read.
#[derive(Default)]
struct Blocks {
    /// Where they begin.
    open: Vec<usize>,
    /// Of each block, where jumps to it go; where it ends; where its `else` is.
    found: Vec<Block>,
}

#[derive(Clone, Copy, Default)]
struct Block {
    begin: usize,
    is_loop: bool,
    other: Option<usize>,
    end: usize,
}

impl Blocks {
    /// What an operator is; jumps go to numbers of blocks until [`Self::resolve`].
    fn what(&mut self, op: &Operator<'_>, at: usize) -> What {
        match op {
            Operator::LocalGet { local_index } => What::Get(*local_index),
            Operator::LocalSet { local_index } => What::Set(*local_index),
            Operator::LocalTee { local_index } => What::Tee(*local_index),
            Operator::Call { function_index } => What::Call(*function_index),
            Operator::Block { .. } => self.begin(at, false, What::Open),
            Operator::Loop { .. } => self.begin(at, true, What::Open),
            Operator::If { .. } => self.begin(at, false, What::If(self.found.len())),
            Operator::Else => {
                let block = self.open.last().copied().unwrap_or(usize::MAX);
                if let Some(block) = self.found.get_mut(block) {
                    block.other = Some(at);
                }
                What::Else(block)
            }
            Operator::End => {
                if let Some(block) = self.open.pop().and_then(|block| self.found.get_mut(block)) {
                    block.end = at;
                }
                What::End
            }
            Operator::Br { relative_depth } => self.jump(&[*relative_depth], false),
            Operator::BrIf { relative_depth } => self.jump(&[*relative_depth], true),
            Operator::BrTable { targets } => {
                let all: Vec<u32> = targets.targets().flatten().chain([targets.default()]).collect();
                self.jump(&all, false)
            }
            Operator::Return | Operator::Unreachable => What::Leave,
            _ => What::Other,
        }
    }

    fn begin(&mut self, at: usize, is_loop: bool, what: What) -> What {
        self.open.push(self.found.len());
        self.found.push(Block { begin: at, is_loop, ..Block::default() });
        what
    }

    fn jump(&self, depths: &[u32], or_on: bool) -> What {
        let block = |depth: &u32| self.open.iter().rev().nth(*depth as usize).copied().unwrap_or(usize::MAX);
        let out = depths.iter().copied().max().unwrap_or(0);
        What::Jump { to: depths.iter().map(block).collect(), out, or_on }
    }

    /// Gives jumps the places that they go to.
    fn resolve(&self, ops: &mut [Op]) {
        let all = ops.len();
        for op in ops {
            match &mut op.what {
                What::Jump { to, .. } => {
                    for to in to.iter_mut() {
                        let place = |block: &Block| if block.is_loop { block.begin } else { block.end + 1 };
                        *to = self.found.get(*to).map_or(all, place);
                    }
                    to.sort_unstable();
                    to.dedup();
                }
                What::If(other) => {
                    *other = self.found.get(*other).map_or(all, |block| block.other.unwrap_or(block.end) + 1);
                }
                What::Else(end) => *end = self.found.get(*end).map_or(all, |block| block.end + 1),
                _ => {}
            }
        }
    }
}
