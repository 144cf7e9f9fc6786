//! Expressions with the EXISTS that they mention: each is replaced by a variable that its pattern marks.

use super::Converter;
use crate::diagnostics::Result;
use crate::expr::is_deterministic;
use crate::plan::expression::children_mut;
use crate::plan::logical::{Condition, Exists, GraphScope, Logical};
use crate::plan::variables::VarSet;
use spargebra::algebra::Expression;

impl Converter<'_> {
    /// An expression that mentions an EXISTS is computed by an Extend below; others stay as they are.
    pub(super) fn computed(
        &mut self,
        input: Logical,
        expression: &Expression,
        scope: &GraphScope,
    ) -> Result<(Logical, Expression)> {
        let condition = self.condition(expression, scope)?;
        if condition.exists.is_empty() {
            return Ok((input, condition.expression));
        }
        let variable = self.variables.fresh("computed");
        let name = self.variables.name(variable).clone();
        let input = Logical::Extend(Box::new(input), variable, condition);
        Ok((input, Expression::Variable(name)))
    }

    pub(super) fn conjunction(
        &mut self,
        expression: &Expression,
        scope: &GraphScope,
    ) -> Result<Vec<Condition>> {
        match expression {
            Expression::And(left, right) => {
                let mut all = self.conjunction(left, scope)?;
                all.extend(self.conjunction(right, scope)?);
                Ok(all)
            }
            _ => Ok(vec![self.condition(expression, scope)?]),
        }
    }

    pub(super) fn condition(
        &mut self,
        expression: &Expression,
        scope: &GraphScope,
    ) -> Result<Condition> {
        let mut exists = Vec::new();
        let mut variables = VarSet::EMPTY;
        let expression = self.extract(expression, scope, &mut variables, &mut exists)?;
        Ok(Condition {
            is_deterministic: is_deterministic(&expression),
            expression,
            variables,
            exists,
        })
    }

    /// The expression with each EXISTS replaced by a variable; collects the patterns and the variables mentioned.
    fn extract(
        &mut self,
        expression: &Expression,
        scope: &GraphScope,
        variables: &mut VarSet,
        exists: &mut Vec<Exists>,
    ) -> Result<Expression> {
        let mut result = expression.clone();
        match &mut result {
            Expression::Exists(pattern) => {
                let mark = self.variables.fresh("exists");
                let pattern = self.pattern(pattern, scope)?;
                exists.push(Exists { mark, pattern });
                return Ok(Expression::Variable(self.variables.name(mark).clone()));
            }
            Expression::Variable(v) | Expression::Bound(v) => {
                variables.insert(self.variables.id(v))
            }
            _ => {
                for child in children_mut(&mut result) {
                    *child = self.extract(child, scope, variables, exists)?;
                }
            }
        }
        Ok(result)
    }
}
