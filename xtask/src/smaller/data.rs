//! A module whose data are packed.
//!
//! In: a module as wasm-opt leaves it. Out: the same, with its data in one packed piece, which `wapc_init` unpacks. A start of the module would
//! be the place for it, but policy-server gives a module no time before it calls `wapc_init`.

use super::parts::{Parts, unread};
use super::{lz, unpack};
use wasmparser::{BinaryReaderError, DataKind, Operator, Parser, Payload};

/// What a host calls before all else.
const INIT: &str = "wapc_init";

/// The data of a module: where they begin, and what stands there.
struct Image {
    from: usize,
    bytes: Vec<u8>,
}

/// The module with its data packed.
pub(super) fn packed(module: &[u8]) -> Result<Vec<u8>, String> {
    let image = image(module)?;
    let mut parts = Parts::read(module).map_err(unread)?;
    let streams = lz::packed(&image.bytes);
    let packed =
        [&streams.literals, &streams.tokens, &streams.low, &streams.high].map(Vec::as_slice).concat();
    if packed.len() > image.from {
        return Err("the packed data have no room below the data".to_owned());
    }
    // Read-only data come first. Where one of them is there, the memory was written when it was unpacked (`podsieve bundle`).
    let known = image.bytes.iter().position(|byte| *byte != 0).ok_or("there are no data")?;
    let places = [image.from, image.from + image.bytes.len(), image.from + known];
    let [Ok(from), Ok(to), Ok(known)] = places.map(i32::try_from) else {
        return Err("the data are too far".to_owned());
    };
    let init = parts.exported(INIT).map_err(unread)?.ok_or("there is no `wapc_init`")?;
    let unpack = unpack::function(&streams, from..to, known, init).into_raw_body();
    let number = parts.add((Vec::new(), Vec::new()), unpack);
    parts.instead = Some((init, number));
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
