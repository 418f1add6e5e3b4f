//! A module whose data are packed.
//!
//! In: a module as wasm-opt leaves it. Out: the same, with its data in one packed piece and a function that unpacks them when the module is
//! started.

use super::parts::{Parts, unread};
use super::{lz, unpack};
use wasmparser::{BinaryReaderError, DataKind, Operator, Parser, Payload};

/// The data of a module: where they begin, and what stands there.
struct Image {
    from: usize,
    bytes: Vec<u8>,
}

/// The module with its data packed.
pub(super) fn packed(module: &[u8]) -> Result<Vec<u8>, String> {
    let image = image(module)?;
    let mut parts = Parts::read(module).map_err(unread)?;
    if parts.start.is_some() {
        return Err("the module does something when it is started".to_owned());
    }
    let streams = lz::packed(&image.bytes);
    let packed =
        [&streams.literals, &streams.tokens, &streams.low, &streams.high].map(Vec::as_slice).concat();
    if packed.len() > image.from {
        return Err("the packed data have no room below the data".to_owned());
    }
    let place = |at: usize| i32::try_from(at).map_err(|error| error.to_string());
    let unpack = unpack::function(&streams, place(image.from)?, place(image.from + image.bytes.len())?);
    parts.start = Some(parts.add((Vec::new(), Vec::new()), unpack.into_raw_body()));
    parts.data = Some(packed);
    parts.write(|function| function)
}

/// All data as they are in the memory: wasm-opt leaves zeros out.
fn image(module: &[u8]) -> Result<Image, String> {
    let mut pieces = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        if let Payload::DataSection(section) = payload.map_err(unread)? {
            for data in section {
                let data = data.map_err(unread)?;
                let place = place(&data.kind).map_err(unread)?;
                pieces.push((place.ok_or("data that have no fixed place cannot be packed")?, data.data));
            }
        }
    }
    let from = pieces.iter().map(|(at, _)| *at).min().unwrap_or(0);
    let mut bytes = Vec::new();
    for (at, piece) in pieces {
        let range = at - from..at - from + piece.len();
        if bytes.len() < range.end {
            bytes.resize(range.end, 0);
        }
        if let Some(place) = bytes.get_mut(range) {
            place.copy_from_slice(piece);
        }
    }
    Ok(Image { from, bytes })
}

fn place(kind: &DataKind<'_>) -> Result<Option<usize>, BinaryReaderError> {
    let DataKind::Active { memory_index: 0, offset_expr } = kind else { return Ok(None) };
    Ok(match offset_expr.get_operators_reader().read()? {
        // Places beyond 2^31 are written as numbers below 0.
        Operator::I32Const { value } => Some(value.cast_unsigned() as usize),
        _ => None,
    })
}
