//! Literal defaults against the field's own rules. The service checks the value of an expression when it starts.

use crud_shared::email::is_address;

use super::rules::less;
use crate::attr::Literal;
use crate::attr::entry::literal_of;
use crate::attr::field::Rule;
use crate::ctxt::Ctxt;
use crate::model::Field;

/// Checks `default` and `backfill` of every field.
pub(super) fn check(fields: &[Field<'_>], cx: &Ctxt) {
    for field in fields {
        let values = [("default", &field.default), ("backfill", &field.backfill)];
        for (key, written) in values.into_iter().filter_map(|(key, written)| Some((key, written.as_ref()?))) {
            let Some(literal) = literal_of(&written.value) else { continue };
            let refused = field.rules.iter().find_map(|rule| refusal(&rule.value, &literal));
            if let Some(expected) = refused {
                cx.error(written.span, format_args!("the `{key}` breaks a rule of its field: expected {expected}"));
            }
        }
    }
}

/// The value that a rule expects, where a literal breaks it.
fn refusal(rule: &Rule, literal: &Literal) -> Option<String> {
    match (rule, literal) {
        (Rule::Email, Literal::Text(text)) => (!is_address(text)).then(|| "an e-mail address".to_owned()),
        (Rule::MinLength(least), Literal::Text(text)) => {
            (text.chars().count() < least.value).then(|| format!("at least {} characters", least.value))
        }
        (Rule::MaxLength(most), Literal::Text(text)) => {
            (text.chars().count() > most.value).then(|| format!("at most {} characters", most.value))
        }
        (Rule::Min(least), Literal::Int(_) | Literal::Float(_)) => {
            less(literal, &least.value).then(|| format!("at least {}", text(&least.value)))
        }
        (Rule::Max(most), Literal::Int(_) | Literal::Float(_)) => {
            less(&most.value, literal).then(|| format!("at most {}", text(&most.value)))
        }
        (Rule::OneOf(choices), _) => choices.iter().all(|choice| !is_equal(&choice.value, literal)).then(|| {
            let choices: Vec<String> = choices.iter().map(|choice| text(&choice.value)).collect();
            format!("one of {}", choices.join(", "))
        }),
        _ => None,
    }
}

fn is_equal(one: &Literal, other: &Literal) -> bool {
    match (one, other) {
        (Literal::Text(one), Literal::Text(other)) => one == other,
        (Literal::Text(_), _) | (_, Literal::Text(_)) => false,
        _ => !less(one, other) && !less(other, one),
    }
}

fn text(literal: &Literal) -> String {
    match literal {
        Literal::Int(value) => format!("`{value}`"),
        Literal::Float(value) => format!("`{value}`"),
        Literal::Text(value) => format!("`{value:?}`"),
    }
}
