//! Validation rules: which types they apply to, and which contradict each other.

use super::types::Requirements;
use crate::attr::field::Rule;
use crate::attr::{Literal, Spanned};
use crate::ctxt::{Ctxt, SpanRange};
use crate::model::{Field, Requirement};
use crate::pattern;
use crate::ty::{FieldType, Known};

/// Maximum length of unique text without a rule for its length: every database can index it.
const UNIQUE_TEXT_LENGTH: usize = 255;

/// Maximum length of unique text, where no rule states one.
pub(super) fn implied_max_length(unique: bool, rules: &[Spanned<Rule>], ty: FieldType<'_>) -> Option<usize> {
    let bounded = rules.iter().any(|rule| matches!(rule.value, Rule::MaxLength(_)));
    (unique && !bounded && ty.known == Some(Known::Text)).then_some(UNIQUE_TEXT_LENGTH)
}

/// Checks the rules of every field.
pub(super) fn check(requirements: &mut Requirements<'_, '_>) {
    let (fields, cx) = (requirements.fields, requirements.cx);
    for (index, field) in fields.iter().enumerate() {
        for rule in &field.rules {
            if let Some(requirement) = requirement(&rule.value, field.ty) {
                requirements.require(index, requirement, rule.span, mismatch(&rule.value, field, requirement));
            }
        }
        for rule in &field.rules {
            check_rule(&rule.value, field, cx);
        }
        check_bounds(field, cx);
    }
}

fn requirement(rule: &Rule, ty: FieldType<'_>) -> Option<Requirement> {
    match rule {
        Rule::MinLength(_) | Rule::MaxLength(_) => Some(Requirement::Length),
        Rule::AnyLength | Rule::Pattern(_) | Rule::Email | Rule::Url => Some(Requirement::Text),
        // Each choice is checked against the type: one error is enough.
        Rule::OneOf(_) if ty.known.is_some_and(takes_choices) => None,
        Rule::OneOf(values) if values.iter().any(|value| matches!(value.value, Literal::Text(_))) => {
            Some(Requirement::TextChoice)
        }
        Rule::Min(_) | Rule::Max(_) | Rule::OneOf(_) => Some(Requirement::Number),
        Rule::Custom(_) => None,
    }
}

fn takes_choices(known: Known) -> bool {
    known == Known::Text || known.is_number()
}

/// The key of a rule.
const fn key(rule: &Rule) -> &'static str {
    match rule {
        Rule::Min(_) | Rule::Max(_) => "range",
        Rule::MinLength(_) | Rule::MaxLength(_) | Rule::AnyLength => "length",
        Rule::Pattern(_) => "pattern",
        Rule::Email => "email",
        Rule::Url => "url",
        Rule::OneOf(_) => "one_of",
        Rule::Custom(_) => "custom",
    }
}

/// The message about a rule that does not apply to the field's type.
fn mismatch(rule: &Rule, field: &Field<'_>, requirement: Requirement) -> String {
    let has_length = field.ty.known.is_some_and(Known::has_length);
    let is_number = field.ty.known.is_some_and(Known::is_number);
    let instead = match rule {
        Rule::Min(_) if has_length => "; for a length, write `length(min = …)`",
        Rule::Max(_) if has_length => "; for a length, write `length(max = …)`",
        Rule::MinLength(_) if is_number => "; for a number, write `range(min = …)`",
        Rule::MaxLength(_) if is_number => "; for a number, write `range(max = …)`",
        _ => "",
    };
    let expected = if matches!(rule, Rule::OneOf(_)) { "text or a number" } else { requirement.name() };
    format!("`{}` applies to {expected}, which `{}` is not{instead}", key(rule), field.name)
}

fn check_rule(rule: &Rule, field: &Field<'_>, cx: &Ctxt) {
    match (rule, field.ty.known) {
        (Rule::Min(literal) | Rule::Max(literal), Some(known)) if known.is_number() => {
            check_literal(literal, known, cx);
        }
        (Rule::OneOf(literals), Some(known)) if takes_choices(known) => {
            for literal in literals {
                check_literal(literal, known, cx);
            }
            refuse_repeated(literals, cx);
        }
        (Rule::OneOf(literals), _) => refuse_repeated(literals, cx),
        (Rule::Pattern(text), _) => {
            if let Err(problem) = pattern::check(&text.value) {
                cx.error(text.span, problem);
            }
        }
        _ => {}
    }
}

fn check_literal(literal: &Spanned<Literal>, known: Known, cx: &Ctxt) {
    let problem = match (&literal.value, known) {
        (Literal::Text(_), Known::Text) => return,
        (Literal::Text(_), _) => "expected a number, found text",
        (_, Known::Text) => "expected text in quotes, found a number",
        (Literal::Float(_), known) if known.is_integer() => "expected an integer, found a number with a fraction",
        (Literal::Int(value), known) if !known.holds(*value) => "this number is out of the range of the field's type",
        _ => return,
    };
    cx.error(literal.span, problem);
}

fn refuse_repeated(literals: &[Spanned<Literal>], cx: &Ctxt) {
    for (position, literal) in literals.iter().enumerate() {
        if literals[..position].iter().any(|earlier| earlier.value == literal.value) {
            cx.error(literal.span, "duplicate value: remove one");
        }
    }
}

fn check_bounds(field: &Field<'_>, cx: &Ctxt) {
    if field.implied_max_length.is_some()
        && let Some(rule) = field.rules.iter().find(|rule| matches!(rule.value, Rule::AnyLength))
    {
        cx.error(rule.span, "unique text needs a greatest length, as every database can index it: `length(max = 255)`");
    }
    let (mut min, mut max, mut shortest, mut longest) = (None, None, None, None);
    for rule in &field.rules {
        match &rule.value {
            Rule::Min(literal) => min = Some(literal),
            Rule::Max(literal) => max = Some(literal),
            Rule::MinLength(length) => shortest = Some(length),
            Rule::MaxLength(length) => longest = Some(length),
            _ => {}
        }
    }
    if let (Some(min), Some(max)) = (min, max)
        && less(&max.value, &min.value)
    {
        refuse_empty_range(max.span, cx);
    }
    if let (Some(shortest), Some(longest)) = (shortest, longest)
        && longest.value < shortest.value
    {
        refuse_empty_range(longest.span, cx);
    }
}

fn refuse_empty_range(span: SpanRange, cx: &Ctxt) {
    cx.error(span, "`max` is less than `min`, so no value is valid: expected at least `min`");
}

// Precision is lost above 2^53 only, where it matters to bounds that differ by less.
#[allow(clippy::cast_precision_loss)]
pub(super) fn less(a: &Literal, b: &Literal) -> bool {
    match (a, b) {
        (Literal::Int(a), Literal::Int(b)) => a < b,
        (Literal::Float(a), Literal::Float(b)) => a < b,
        (Literal::Int(a), Literal::Float(b)) => (*a as f64) < *b,
        (Literal::Float(a), Literal::Int(b)) => *a < *b as f64,
        _ => false,
    }
}
