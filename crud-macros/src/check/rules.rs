//! The validation of values: which rule a type takes, and which rules contradict each other.

use proc_macro2::Span;

use crate::attr::field::Rule;
use crate::attr::{At, Literal};
use crate::ctxt::Ctxt;
use crate::model::{Assert, Field, Model, Wanted};
use crate::pattern;
use crate::ty::Known;

/// How long unique text may be when the field does not say: what every database can index.
const UNIQUE_TEXT_LENGTH: usize = 255;

/// Checks the rules of every field.
pub(super) fn check(model: &mut Model<'_>, cx: &Ctxt) {
    let mut asserts = Vec::new();
    for (index, field) in model.fields.iter().enumerate() {
        for rule in &field.rules {
            let Some(wanted) = wanted(&rule.value) else { continue };
            match field.ty.known {
                Some(known) if !wanted.is_met_by(known) => cx.error(rule.span, complaint(&rule.value, field, wanted)),
                Some(known) => check_literals(&rule.value, known, cx),
                None => asserts.push(Assert { field: index, wanted, span: rule.span }),
            }
        }
        check_bounds(field, cx);
        check_patterns(field, cx);
    }
    model.asserts.extend(asserts);
    bound_unique_text(model);
}

fn wanted(rule: &Rule) -> Option<Wanted> {
    Some(match rule {
        Rule::Min(_) | Rule::Max(_) => Wanted::Number,
        Rule::MinLength(_) | Rule::MaxLength(_) => Wanted::Length,
        Rule::Pattern(_) | Rule::Email | Rule::Url => Wanted::Text,
        Rule::OneOf(values) if values.iter().any(|value| matches!(value.value, Literal::Text(_))) => Wanted::TextChoice,
        Rule::OneOf(_) => Wanted::Number,
        Rule::Custom(_) => return None,
    })
}

impl Wanted {
    const fn is_met_by(self, known: Known) -> bool {
        match self {
            Self::Number => known.is_integer() || matches!(known, Known::F32 | Known::F64 | Known::Decimal),
            Self::Length => matches!(known, Known::Text | Known::Bytes | Known::TextList),
            Self::Text | Self::TextChoice => matches!(known, Known::Text),
            Self::Filterable | Self::Sortable => known.is_comparable(),
            Self::Decimal => matches!(known, Known::Decimal),
            Self::Timestamp => matches!(known, Known::DateTime),
        }
    }

    /// What a type must be, for a message.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Length => "text, bytes or a list",
            Self::Text | Self::TextChoice => "text",
            Self::Filterable | Self::Sortable => "a type that can be compared",
            Self::Decimal => "a `Decimal`",
            Self::Timestamp => "a `DateTime<Utc>`",
        }
    }
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
    let other = match (rule, field.ty.known) {
        (Rule::Min(_), Some(Known::Text | Known::Bytes | Known::TextList)) => "; for a length write `min_length = …`",
        (Rule::Max(_), Some(Known::Text | Known::Bytes | Known::TextList)) => "; for a length write `max_length = …`",
        (Rule::MinLength(_), _) if Wanted::Number.is_met_by(field.ty.known.unwrap_or(Known::Bool)) => {
            "; for a bound write `min = …`"
        }
        (Rule::MaxLength(_), _) if Wanted::Number.is_met_by(field.ty.known.unwrap_or(Known::Bool)) => {
            "; for a bound write `max = …`"
        }
        _ => "",
    };
    format!("`{}` is for {}, and `{}` is none{other}", key(rule), wanted.name(), field.name)
}

fn check_literals(rule: &Rule, known: Known, cx: &Ctxt) {
    match rule {
        Rule::Min(literal) | Rule::Max(literal) => check_literal(literal, known, cx),
        Rule::OneOf(literals) => literals.iter().for_each(|literal| check_literal(literal, known, cx)),
        _ => {}
    }
}

fn check_literal(literal: &At<Literal>, known: Known, cx: &Ctxt) {
    let problem = match (&literal.value, known) {
        (Literal::Text(_), Known::Text) => None,
        (Literal::Text(_), _) => Some("this field holds numbers: write a number"),
        (_, Known::Text) => Some("this field holds text: write it in quotes"),
        (Literal::Float(_), known) if known.is_integer() => Some("this field holds integers: write one"),
        (Literal::Int(value), known) if !known.holds(*value) => Some("the field's type cannot hold this number"),
        _ => None,
    };
    if let Some(problem) = problem {
        cx.error(literal.span, problem);
    }
}

impl Known {
    fn holds(self, value: i64) -> bool {
        match self {
            Self::I16 => i16::try_from(value).is_ok(),
            Self::I32 => i32::try_from(value).is_ok(),
            Self::U32 => u32::try_from(value).is_ok(),
            _ => true,
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

fn refuse_empty_range(max: &str, min: &str, span: Span, cx: &Ctxt) {
    cx.error(
        span,
        format_args!(
            "`{max}` is less than `{min}`, so that no value would do: write `{min} = …, {max} = …` the other way round"
        ),
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

fn check_patterns(field: &Field<'_>, cx: &Ctxt) {
    for rule in &field.rules {
        if let Rule::Pattern(text) = &rule.value
            && let Err(problem) = pattern::check(&text.value)
        {
            cx.error(text.span, problem);
        }
    }
}

fn bound_unique_text(model: &mut Model<'_>) {
    let together: Vec<usize> = model.uniques.iter().flatten().copied().collect();
    for (index, field) in model.fields.iter_mut().enumerate() {
        let unique = field.unique || together.contains(&index);
        let bounded = field.rules.iter().any(|rule| super::lists::bounds_length(&rule.value));
        if unique && !bounded && field.ty.known == Some(Known::Text) {
            let span = field.ident.span();
            field.rules.push(At::new(Rule::MaxLength(At::new(UNIQUE_TEXT_LENGTH, span)), span));
        }
    }
}
