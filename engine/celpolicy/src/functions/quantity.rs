//! Quantities: `500m`, `1Gi` (Kubernetes: `library/quantity.go`).

use super::{held, one, opaque, text, two};
use engine_cel::cost;
use engine_cel::error::{Error, Outcome};
use engine_cel::function::{Function, Host};
use engine_cel::value::{Equality, Opaque, Value};
use engine_values::Quantity;
use engine_values::quantity::{Format, QuantityError};
use std::any::Any;
use std::cmp::Ordering;

/// The rows.
pub const ROWS: &[Function] = &[
    Function {
        name: "quantity",
        overloads: &[
            one("string_to_quantity", "(string) -> kubernetes.Quantity", quantity).cost_by_name(cost::TEXT)
        ],
        note: "The quantity that a text is.",
        examples: &[("quantity('1Gi') == quantity('1024Mi')", "true")],
    },
    Function {
        name: "isQuantity",
        overloads: &[one("is_quantity_string", "(string) -> bool", is_quantity).cost_by_name(cost::TEXT)],
        note: "Whether a text is a quantity.",
        examples: &[("isQuantity('1.3Gi')", "true"), ("isQuantity('1.3GB')", "false")],
    },
    Function {
        name: "sign",
        overloads: &[one("quantity_sign", "(kubernetes.Quantity) -> int", sign)],
        note: "-1, 0 or 1: what the quantity is to zero.",
        examples: &[("sign(quantity('-5'))", "-1")],
    },
    Function {
        name: "isGreaterThan",
        overloads: &[two(
            "quantity_is_greater_than",
            "kubernetes.Quantity.(kubernetes.Quantity) -> bool",
            |_, a, b| ordered(&a, &b, |order| Value::Bool(order == Ordering::Greater)),
        )],
        note: "Whether the quantity is the greater one.",
        examples: &[("quantity('1Gi').isGreaterThan(quantity('1G'))", "true")],
    },
    Function {
        name: "isLessThan",
        overloads: &[two(
            "quantity_is_less_than",
            "kubernetes.Quantity.(kubernetes.Quantity) -> bool",
            |_, a, b| ordered(&a, &b, |order| Value::Bool(order == Ordering::Less)),
        )],
        note: "Whether the quantity is the smaller one.",
        examples: &[("quantity('500m').isLessThan(quantity('1'))", "true")],
    },
    Function {
        name: "compareTo",
        overloads: &[two(
            "quantity_compare_to",
            "kubernetes.Quantity.(kubernetes.Quantity) -> int",
            |_, a, b| ordered(&a, &b, |order| Value::Int(order as i64)),
        )],
        note: "-1, 0 or 1: what the quantity is to the other one.",
        examples: &[("quantity('1').compareTo(quantity('2'))", "-1")],
    },
    Function {
        name: "asApproximateFloat",
        overloads: &[one("quantity_get_float", "kubernetes.Quantity.() -> double", float)],
        note: "The quantity as a double, which may lose digits.",
        examples: &[("quantity('1500m').asApproximateFloat()", "1.5")],
    },
    Function {
        name: "asInteger",
        overloads: &[one("quantity_get_int", "kubernetes.Quantity.() -> int", integer)],
        note: "The quantity as a whole number, where it is kept as one.",
        examples: &[("quantity('1Mi').asInteger()", "1048576")],
    },
    Function {
        name: "isInteger",
        overloads: &[one("quantity_is_integer", "kubernetes.Quantity.() -> bool", |_, value| {
            Ok(Value::Bool(read(&value)?.exact_i64().is_some()))
        })],
        note: "Whether `asInteger` gives a number.",
        examples: &[("quantity('1500m').isInteger()", "false")],
    },
    Function {
        name: "add",
        overloads: &[
            two("quantity_add", "kubernetes.Quantity.(kubernetes.Quantity) -> kubernetes.Quantity", add),
            two("quantity_add_int", "kubernetes.Quantity.(int) -> kubernetes.Quantity", add),
        ],
        note: "The sum with another quantity or a whole number.",
        examples: &[("quantity('1k').add(1) == quantity('1001')", "true")],
    },
    Function {
        name: "sub",
        overloads: &[
            two("quantity_sub", "kubernetes.Quantity.(kubernetes.Quantity) -> kubernetes.Quantity", sub),
            two("quantity_sub_int", "kubernetes.Quantity.(int) -> kubernetes.Quantity", sub),
        ],
        note: "The difference from another quantity or a whole number.",
        examples: &[("quantity('1').sub(quantity('500m')) == quantity('500m')", "true")],
    },
];

/// A quantity as a value.
#[derive(Debug)]
pub struct QuantityValue {
    quantity: Quantity,
    made: Made,
}

/// Where a quantity comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Made {
    /// A text.
    Read,
    /// A sum, which the original gives as a pointer.
    Computed,
}

impl Opaque for QuantityValue {
    fn type_name(&self) -> &'static str {
        "kubernetes.Quantity"
    }

    fn go_type(&self) -> &'static str {
        if self.made == Made::Read { "cel.Quantity" } else { "*cel.Quantity" }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn equal(&self, other: &Value<'_>) -> Equality {
        // Kubernetes: quantity.go Equal; a pointer on the other side is not taken for a quantity.
        match held::<QuantityValue>(other) {
            Ok(other) if other.made == Made::Read => (self.quantity == other.quantity).into(),
            _ => Equality::NoOverload,
        }
    }

    fn show(&self) -> String {
        self.quantity.to_string()
    }
}

fn read<'a>(value: &'a Value<'_>) -> Result<&'a Quantity, Box<Error>> {
    held::<QuantityValue>(value).map(|value| &value.quantity)
}

fn given<'v>(quantity: Result<Quantity, QuantityError>, made: Made) -> Outcome<'v> {
    quantity
        .map(|quantity| opaque(QuantityValue { quantity, made }))
        .map_err(|error| Error::text(error.to_string()))
}

fn quantity<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    given(Quantity::parse(text(&value)), Made::Read)
}

fn is_quantity<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    Ok(Value::Bool(Quantity::parse(text(&value)).is_ok()))
}

fn sign<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    Ok(Value::Int(read(&value)?.sign().into()))
}

fn ordered<'v>(a: &Value<'_>, b: &Value<'_>, give: fn(Ordering) -> Value<'static>) -> Outcome<'v> {
    Ok(give(read(a)?.cmp(read(b)?)))
}

fn float<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    Ok(Value::Double(read(&value)?.approximate_f64()))
}

fn integer<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    let whole = read(&value)?.exact_i64();
    whole.map(Value::Int).ok_or_else(|| Error::text("cannot convert value to integer"))
}

/// The other side of a sum: a whole number is written with a decimal exponent.
fn operand(value: &Value<'_>) -> Result<Quantity, Box<Error>> {
    if let Value::Int(whole) = value {
        return Ok(Quantity::from_int(*whole, Format::DecimalExponent));
    }
    read(value).cloned()
}

fn add<'v>(_: &mut Host<'_>, a: Value<'v>, b: Value<'v>) -> Outcome<'v> {
    given(read(&a)?.plus(&operand(&b)?), Made::Computed)
}

fn sub<'v>(_: &mut Host<'_>, a: Value<'v>, b: Value<'v>) -> Outcome<'v> {
    given(read(&a)?.minus(&operand(&b)?), Made::Computed)
}
