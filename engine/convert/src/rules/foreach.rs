//! Loops of rules that validate.
//!
//! In: an entry of `validate.foreach`. Out: what must hold of all elements.

use crate::conditions::Conditions;
use crate::conditions::block::Block;
use crate::expressions::access::Access;
use crate::expressions::expr::Expr;
use crate::expressions::formula::{Formula, Quantifier};
use crate::expressions::jmes::value;
use crate::expressions::scope::Scope;
use crate::refusal::{Class, Converted, refuse};
use crate::rules::pattern::{admits, any_pattern};
use engine_compare::schema::Shape;
use engine_json::{Path, Value};

/// A loop.
pub(crate) fn validate(written: &Value, path: &Path, scope: &Scope<'_>) -> Converted<Formula> {
    let list = value(written.find_str(&["list"]), scope, &path.join("list"))?;
    if let Expr::Field(access) | Expr::Defaulted(access, _) = &list {
        scope.schema.assume(access, Shape::List(Box::new(Shape::Any)));
    }
    let list = list.elements(&path.join("list"))?;
    list.each(Quantifier::All, &mut |item| element(written, path, scope, item))
}

fn element(written: &Value, path: &Path, scope: &Scope<'_>, item: &Expr) -> Converted<Formula> {
    let is_map = match item {
        Expr::Field(access) => {
            !matches!(access.shape, Some(Shape::Text | Shape::Number | Shape::Truth | Shape::Either))
        }
        _ => false,
    };
    let is_of_object = written.get("elementScope").and_then(Value::as_bool) == Some(false);
    if !is_map && !is_of_object && written.get("elementScope").is_some() {
        return refuse(
            Class::Rule,
            &path.join("elementScope"),
            "`true` for elements that are not maps, which is an error in Kyverno",
        );
    }
    let has_pattern = written.get("pattern").is_some() || written.get("anyPattern").is_some();
    if is_of_object && has_pattern && scope.owner.is_extended {
        return refuse(
            Class::Rule,
            &path.join("elementScope"),
            "a pattern for the whole Pod in a loop, which Kyverno holds against controllers as it stands, where it never holds; without autogen (`pod-policies.kyverno.io/autogen-controllers: none`) it is converted",
        );
    }
    let mut inner = scope.within(item.clone());
    inner.context(written.get("context"), &path.join("context"));
    let mut counts = Block::default();
    if let Some(conditions) = written.get("preconditions").filter(|written| !written.is_null()) {
        counts = Conditions::new(&inner).block(conditions, &path.join("preconditions"))?;
    }
    let access = || match item {
        _ if is_of_object => Ok(Access::root("object", inner.shape.clone())),
        Expr::Field(Access {
            shape: Some(Shape::Text | Shape::Number | Shape::Truth | Shape::Either),
            ..
        }) => refuse(
            Class::Rule,
            path,
            "a pattern for elements that are not maps is compared with the whole object",
        ),
        Expr::Field(access) => Ok(access.clone()),
        _ => refuse(Class::Rule, path, "a pattern for elements that are not fields of the object"),
    };
    let holds = if let Some(deny) = written.get("deny") {
        let place = path.concat(&["deny".into(), "conditions".into()]);
        let conditions = deny.get("conditions").cloned().unwrap_or_default();
        if conditions.is_null() {
            Formula::False
        } else {
            Conditions::new(&inner).block(&conditions, &place)?.denies()
        }
    } else if let Some(written) = written.get("pattern") {
        admits(&access()?, written, &path.join("pattern"), &inner)?
    } else if let Some(written) = written.get("anyPattern").and_then(Value::as_array) {
        any_pattern(&access()?, written, &path.join("anyPattern"), &inner)?
    } else if let Some(loops) = written.get("foreach").and_then(Value::as_array) {
        let place = path.join("foreach");
        let all = loops.iter().enumerate().map(|(at, one)| validate(one, &place.join(at), &inner));
        Formula::and(all.collect::<Converted<Vec<_>>>()?)
    } else {
        return refuse(
            Class::Rule,
            path,
            "a loop needs one of `deny`, `pattern`, `anyPattern` and `foreach`",
        );
    };
    Ok(counts.passes_over(holds))
}
