//! The examples in the documentation of this crate, as they are written there.

/// src/types.rs
#[test]
fn a_signature_is_read() {
    use engine_cel::types::{Signature, Type};
    let split = Signature::parse("string.(string, int) -> list(string)").unwrap();
    assert!(split.member);
    assert_eq!(split.result, Type::list(Type::String));
    assert_eq!(split.result.to_string(), "list(string)");
}
