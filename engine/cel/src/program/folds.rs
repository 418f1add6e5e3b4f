//! Comprehensions, by the macros they were written as.

use super::build::Builder;
use super::{Fold, FoldKind, Node, Question};
use crate::ast::{Comprehension, ExprId, Origin};
use crate::error::Error;

impl Builder<'_> {
    pub(super) fn comprehension(&mut self, id: ExprId, fold: &Comprehension) -> Result<u32, Box<Error>> {
        let (kind, predicate, transform) = match &fold.origin {
            Origin::Bind { value, body } => {
                let value = self.node(*value)?;
                let var = self.scope.push(&fold.accu);
                let body = self.node(*body);
                self.scope.pop();
                let body = body?;
                return Ok(self.push(id, Node::Bind(var, value, body)));
            }
            Origin::All(predicate) => (FoldKind::All, None, *predicate),
            Origin::Exists(predicate) => (FoldKind::Exists, None, *predicate),
            Origin::ExistsOne(predicate) => (FoldKind::ExistsOne, None, *predicate),
            Origin::Filter(predicate) => (FoldKind::Filter, None, *predicate),
            Origin::Map { predicate, transform } => (FoldKind::Map, *predicate, *transform),
            Origin::TransformMap { predicate, transform } => (FoldKind::TransformMap, *predicate, *transform),
            Origin::TransformMapEntry { predicate, transform } => {
                (FoldKind::TransformMapEntry, *predicate, *transform)
            }
        };
        let range = self.node(fold.range)?;
        let var = self.scope.push(&fold.var);
        let var2 = fold.var2.as_ref().map(|name| self.scope.push(name));
        let parts = self.parts(predicate, transform);
        if var2.is_some() {
            self.scope.pop();
        }
        self.scope.pop();
        let (predicate, transform) = parts?;
        let at = self.fold(Fold { kind, range, var, var2, predicate, transform });
        let is_quantified = matches!(kind, FoldKind::All | FoldKind::Exists | FoldKind::ExistsOne);
        Ok(self.push(id, if is_quantified { Node::Ask(Question::Quantified(at)) } else { Node::Fold(at) }))
    }

    fn parts(
        &mut self,
        predicate: Option<ExprId>,
        transform: ExprId,
    ) -> Result<(Option<u32>, u32), Box<Error>> {
        let predicate = predicate.map(|id| self.node(id)).transpose()?;
        Ok((predicate, self.node(transform)?))
    }
}
