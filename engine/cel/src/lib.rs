//! The Common Expression Language: parsed, checked and evaluated as cel-go does, in the same words.
//!
//! In: the text of an expression, the variables, types and functions it may use, and JSON values. Out: its value, or its
//! errors word for word as cel-go 0.30 prints them. The crate knows neither Kyverno nor Kubernetes: their functions are rows
//! that an environment is given.
//!
//! The modules below stand in the order of their dependence: each uses only those above it.

#![expect(
    clippy::unnecessary_box_returns,
    reason = "errors travel boxed, so that outcomes are as small as values"
)]

pub mod issue;
pub mod report;

pub mod ast;
pub mod operators;
pub mod types;

pub mod syntax;

pub mod value;

pub mod error;

pub mod cost;

pub mod function;

pub mod env;

pub mod check;

pub mod program;

pub mod trace;

pub mod eval;

pub mod standard;

pub mod validators;
