//! Streams as batches: so many objects that passing them to another thread costs nothing beside evaluating them.
//!
//! In: streams. Out: batches of texts, in the order of the streams, and what cannot be read among them.

use crate::files::Stream;
use engine_cluster::{Cutter, Fault, Item};
use std::io::Read;

/// How many bytes of text a batch has at least, where there are more.
const BATCH: usize = 64 << 10;
/// How many objects it has at most.
const MOST: usize = 256;

/// Objects of one stream.
pub(crate) struct Batch {
    /// Which stream.
    pub(crate) stream: usize,
    pub(crate) items: Vec<Result<Item, Fault>>,
}

impl Batch {
    /// The next objects of a stream; nothing at its end.
    pub(crate) fn of(stream: usize, from: &mut impl Iterator<Item = Result<Item, Fault>>) -> Option<Self> {
        let (mut items, mut bytes) = (Vec::new(), 0);
        while bytes < BATCH && items.len() < MOST {
            let Some(item) = from.next() else { break };
            bytes += item.as_ref().map_or(0, |item| item.text.len());
            items.push(item);
        }
        (!items.is_empty()).then_some(Batch { stream, items })
    }
}

/// The batches of all streams.
pub(crate) struct Batches<'a> {
    streams: &'a [Stream],
    next: usize,
    open: Option<Cutter<Box<dyn Read>>>,
}

impl<'a> Batches<'a> {
    pub(crate) fn new(streams: &'a [Stream]) -> Self {
        Batches { streams, next: 0, open: None }
    }
}

impl Iterator for Batches<'_> {
    type Item = Batch;

    fn next(&mut self) -> Option<Batch> {
        loop {
            let Some(cutter) = &mut self.open else {
                let stream = self.streams.get(self.next)?;
                self.next += 1;
                match stream.open() {
                    Ok(from) => self.open = Some(Cutter::new(from)),
                    Err(lost) => {
                        let items = vec![Err(Fault { line: 1, message: lost.original })];
                        return Some(Batch { stream: self.next - 1, items });
                    }
                }
                continue;
            };
            if let Some(batch) = Batch::of(self.next - 1, cutter) {
                return Some(batch);
            }
            self.open = None;
        }
    }
}
