//! The validation of values: which rule a type takes, and which rules contradict each other.

use super::types::want;
use crate::attr::field::Rule;
use crate::attr::{At, Literal};
use crate::ctxt::{Ctxt, SpanRange};
use crate::model::{Field, Model, Role, Wanted};
use crate::pattern;
use crate::ty::Known;

/// How long unique text may be when the field does not say: what every database can index.
const UNIQUE_TEXT_LENGTH: usize = 255;

/// Checks the rules of every field.
pub(super) fn check(model: &mut Model<'_>, cx: &Ctxt) {
    for index in 0..model.fields.len() {
        let field = &model.fields[index];
        let wants: Vec<_> = field.rules.iter().filter_map(|rule| want_of(rule, field)).collect();
        for (wanted, span, message) in wants {
            want(model, index, wanted, span, message, cx);
        }
        let field = &model.fields[index];
        for rule in &field.rules {
            check_rule(&rule.value, field, cx);
        }
        check_bounds(field, cx);
    }
    bound_unique_text(model);
}

fn want_of(rule: &At<Rule>, field: &Field<'_>) -> Option<(Wanted, SpanRange, String)> {
    let wanted = match &rule.value {
        Rule::MinLength(_) | Rule::MaxLength(_) => Wanted::Length,
        Rule::Pattern(_) | Rule::Email | Rule::Url => Wanted::Text,
        Rule::OneOf(values) if values.iter().any(|value| matches!(value.value, Literal::Text(_))) => Wanted::TextChoice,
        Rule::Min(_) | Rule::Max(_) | Rule::OneOf(_) => Wanted::Number,
        Rule::Custom(_) => return None,
    };
    // One complaint about a list of choices is enough: that of the choice.
    let judged_by_choice = matches!(rule.value, Rule::OneOf(_)) && field.ty.known.is_some_and(takes_choices);
    (!judged_by_choice).then(|| (wanted, rule.span, complaint(&rule.value, field, wanted)))
}

fn takes_choices(known: Known) -> bool {
    known == Known::Text || known.is_number()
}

/// The key of a rule.
const fn key(rule: &Rule) -> &'static str {
    match rule {
        Rule::Min(_) => "min",
        Rule::Max(_) => "max",
        Rule::MinLength(_) => "min_length",
        Rule::MaxLength(_) => "max_length",
        Rule::Pattern(_) => "pattern",
        Rule::Email => "email",
        Rule::Url => "url",
        Rule::OneOf(_) => "one_of",
        Rule::Custom(_) => "custom",
    }
}

fn complaint(rule: &Rule, field: &Field<'_>, wanted: Wanted) -> String {
    let has_length = field.ty.known.is_some_and(Known::has_length);
    let is_number = field.ty.known.is_some_and(Known::is_number);
    let instead = match rule {
        Rule::Min(_) if has_length => "; a length is bounded with `min_length = …`",
        Rule::Max(_) if has_length => "; a length is bounded with `max_length = …`",
        Rule::MinLength(_) if is_number => "; a number is bounded with `min = …`",
        Rule::MaxLength(_) if is_number => "; a number is bounded with `max = …`",
        _ => "",
    };
    let what = if matches!(rule, Rule::OneOf(_)) { "text or a number" } else { wanted.name() };
    format!("`{}` is for {what}, and `{}` is none{instead}", key(rule), field.name)
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

fn check_literal(literal: &At<Literal>, known: Known, cx: &Ctxt) {
    let problem = match (&literal.value, known) {
        (Literal::Text(_), Known::Text) => return,
        (Literal::Text(_), _) => "this field holds numbers: write one without quotes",
        (_, Known::Text) => "this field holds text: write it in quotes",
        (Literal::Float(_), known) if known.is_integer() => "this field holds integers: write one without a fraction",
        (Literal::Int(value), known) if !known.holds(*value) => "the field's type cannot hold this number",
        _ => return,
    };
    cx.error(literal.span, problem);
}

fn refuse_repeated(literals: &[At<Literal>], cx: &Ctxt) {
    for (position, literal) in literals.iter().enumerate() {
        if literals[..position].iter().any(|earlier| earlier.value == literal.value) {
            cx.error(literal.span, "this stands in the list already: remove it");
        }
    }
}

fn check_bounds(field: &Field<'_>, cx: &Ctxt) {
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
        refuse_empty_range("max", "min", max.span, cx);
    }
    if let (Some(shortest), Some(longest)) = (shortest, longest)
        && longest.value < shortest.value
    {
        refuse_empty_range("max_length", "min_length", longest.span, cx);
    }
}

fn refuse_empty_range(max: &str, min: &str, span: SpanRange, cx: &Ctxt) {
    cx.error(
        span,
        format_args!("`{max}` is less than `{min}`, so that no value would do: write at least `{min}` here"),
    );
}

// A loss of precision above 2^53 only matters to bounds that differ by less.
#[allow(clippy::cast_precision_loss)]
fn less(a: &Literal, b: &Literal) -> bool {
    match (a, b) {
        (Literal::Int(a), Literal::Int(b)) => a < b,
        (Literal::Float(a), Literal::Float(b)) => a < b,
        (Literal::Int(a), Literal::Float(b)) => (*a as f64) < *b,
        (Literal::Float(a), Literal::Int(b)) => *a < *b as f64,
        _ => false,
    }
}

fn bound_unique_text(model: &mut Model<'_>) {
    let together: Vec<usize> = model.uniques.iter().flatten().copied().collect();
    for (index, field) in model.fields.iter_mut().enumerate() {
        let unique = field.unique || field.role == Role::Id || together.contains(&index);
        let bounded = field.rules.iter().any(|rule| matches!(rule.value, Rule::MaxLength(_)));
        if unique && !bounded && field.ty.known == Some(Known::Text) {
            let span = field.ident.span();
            field.rules.push(At::new(Rule::MaxLength(At::new(UNIQUE_TEXT_LENGTH, span)), span));
        }
    }
}
