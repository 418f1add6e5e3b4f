//! What a cluster holds, read in pieces.
//!
//! In: a stream of bytes: `List`s, lists of a kind, one object a line, objects one after the other, as JSON or as YAML. Out:
//! one text an object, in their order; memory holds one object at a time, however long the stream is. The same of a live cluster,
//! whose lists are such streams, by `kubectl proxy`; nothing but GET is ever asked.
//!
//! The modules below stand in the order of their dependence: each uses only those above it.
#![deny(clippy::disallowed_types)]

mod window;
mod item;
mod json;
mod yaml;
mod cutter;

mod http;
#[cfg(unix)]
mod proxy;
mod api;
mod discovery;
mod pages;

pub use api::{Api, Refusal};
pub use cutter::Cutter;
pub use discovery::{ApiResource, discover};
pub use http::Address;
pub use item::{Fault, Form, Item, ListKind};
pub use pages::Pages;
#[cfg(unix)]
pub use proxy::Proxy;
pub use window::MAX_ITEM;
