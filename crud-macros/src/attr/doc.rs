//! Doc comments.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The text of the doc comments, each line without the space that follows `///`.
pub(crate) fn text(attributes: &[Attribute]) -> String {
    let line = |attribute: &Attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    };
    let text: Vec<String> = attributes.iter().filter_map(line).collect();
    let lines: Vec<&str> =
        text.iter().flat_map(|text| text.split('\n')).map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    lines.join("\n").trim().to_owned()
}
