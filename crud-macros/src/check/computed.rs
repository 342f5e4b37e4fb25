//! Computed fields: SQL expressions and functions.

use syn::{Data, DeriveInput};

use super::keys::refuse_on;
use super::lookup::Named;
use crate::attr::Spanned;
use crate::attr::computed::{Computation, Expressions};
use crate::ctxt::Ctxt;
use crate::key::FieldKey;
use crate::model::{Field, Role};

/// The keys that a computed field can have.
const KEYS: [&str; 7] = ["computed", "decimal", "deprecated", "filter", "rename", "sort", "visible"];

/// Refuses, on computed fields, the keys that only a stored field has.
pub(crate) fn refuse_stored_keys(input: &DeriveInput, cx: &Ctxt) {
    let Data::Struct(data) = &input.data else { return };
    let is_computed = |field: &&syn::Field| {
        field.attrs.iter().filter(|attribute| attribute.path().is_ident("crud")).any(|attribute| {
            let metas =
                attribute.parse_args_with(syn::punctuated::Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated);
            metas.is_ok_and(|metas| metas.iter().any(|meta| meta.path().is_ident("computed")))
        })
    };
    let message = |name: &str, _: &[&str]| format!("`{name}` is for a stored field: remove it or `computed`");
    for field in data.fields.iter().filter(is_computed) {
        refuse_on::<FieldKey>(&field.attrs, &KEYS, &[], &message, cx);
    }
}

/// Checks the computed fields. `groups`: the fields that `unique(…)` and `index(…)` name together.
pub(super) fn check<'g>(
    fields: &[Field<'_>],
    groups: impl Iterator<Item = (&'static str, &'g Vec<usize>)>,
    searched: &[Named],
    cx: &Ctxt,
) {
    let is_computed = |index: usize| fields.get(index).is_some_and(|field| field.computed.is_some());
    for field in fields {
        let Some(computed) = &field.computed else { continue };
        if field.role != Role::Plain {
            let message = format!("`{}` is set by the service and cannot be computed: rename the field", field.name);
            cx.error(computed.key, message);
        }
        match &computed.by {
            Computation::Sql(expressions) => {
                check_expressions(expressions, computed.key, cx);
                check_disclosure(field, fields, expressions, cx);
            }
            // Lists refuse a field that a function computes: see the check of lists.
            Computation::Function(_) => {}
        }
    }
    for (key, columns) in groups {
        for index in columns.iter().copied().filter(|index| is_computed(*index)) {
            let name = &fields[index].name;
            let message = format!("`{name}` is computed, and storage keeps no index of it: remove it from `{key}(…)`");
            cx.error(fields[index].ident.span(), message);
        }
    }
    for named in searched.iter().filter(|named| is_computed(named.index)) {
        let name = &fields[named.index].name;
        let span = named.span.unwrap_or_else(|| fields[named.index].ident.span());
        cx.error(span, format_args!("`{name}` is computed, and storage keeps no index of its words: remove it here"));
    }
}

/// Checks that there is an expression for every database of the program, and that each is one expression.
fn check_expressions(expressions: &Expressions, key: proc_macro2::Span, cx: &Ctxt) {
    let Expressions { sql, sqlite, postgres, mysql } = expressions;
    let own = [
        (cfg!(feature = "sqlite"), sqlite, "sqlite"),
        (cfg!(feature = "postgres"), postgres, "postgres"),
        (cfg!(feature = "mysql"), mysql, "mysql"),
    ];
    let missing = own.iter().find(|(is_on, own, _)| *is_on && own.is_none());
    if let Some((_, _, name)) = missing.filter(|_| sql.is_none()) {
        cx.error(key, format_args!("expected an expression for this database: add `{name} = \"…\"` or `sql = \"…\"`"));
    }
    for written in sql.iter().chain(sqlite).chain(postgres).chain(mysql) {
        check_expression(written, cx);
    }
    for written in sql.iter().chain(mysql).filter(|_| cfg!(feature = "mysql")) {
        if has_word(&written.value, "from") {
            cx.error(written.span, "on MySQL the expression cannot have `FROM`: expected such as `year(created_at)`");
        }
    }
}

/// Refuses an expression that reads a `visible` field, where the computed field has no `visible` itself.
fn check_disclosure(field: &Field<'_>, fields: &[Field<'_>], expressions: &Expressions, cx: &Ctxt) {
    if field.visible.is_some() {
        return;
    }
    let Expressions { sql, sqlite, postgres, mysql } = expressions;
    for written in sql.iter().chain(sqlite).chain(postgres).chain(mysql) {
        let is_read = |other: &&Field<'_>| other.visible.is_some() && has_word(&written.value, &other.column.value);
        if let Some(other) = fields.iter().find(is_read) {
            let name = &other.name;
            let message = format!(
                "`{name}` is `visible` to some, and the expression would disclose it to all: add `visible(…)` here"
            );
            cx.error(written.span, message);
        }
    }
}

fn check_expression(written: &Spanned<String>, cx: &Ctxt) {
    let text = &written.value;
    if text.trim().is_empty() || !is_balanced(text) {
        cx.error(written.span, "expected an SQL expression of the record's columns, such as `sql = \"price * stock\"`");
    } else if ["?", ";", "--", "/*", "$1"].iter().any(|piece| text.contains(piece)) || has_word(text, "select") {
        let message =
            "expected one expression of the record's own columns, without placeholders, comments and `SELECT`";
        cx.error(written.span, message);
    }
}

/// Whether each parenthesis and each quote is closed.
fn is_balanced(text: &str) -> bool {
    let (mut depth, mut quote) = (0_usize, None);
    for character in text.chars() {
        match (quote, character) {
            (Some(open), _) => {
                if open == character {
                    quote = None;
                }
            }
            (None, '\'' | '"' | '`') => quote = Some(character),
            (None, '(') => depth += 1,
            (None, ')') => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return false,
            },
            (None, _) => {}
        }
    }
    depth == 0 && quote.is_none()
}

/// Whether a text has a word, in any letter case.
fn has_word(text: &str, word: &str) -> bool {
    let words = text.split(|character: char| !character.is_alphanumeric() && character != '_');
    words.into_iter().any(|other| other.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::{has_word, is_balanced};

    #[test]
    fn expressions_close_what_they_open() {
        for text in ["price * stock", "coalesce(a, (b))", "a || ')'", "`a(`"] {
            assert!(is_balanced(text), "{text}");
        }
        for text in ["a) + (b", "(a", "a || '", "\"a"] {
            assert!(!is_balanced(text), "{text}");
        }
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("(SELECT 1)", "select") && !has_word("selected + from_date", "select"));
        assert!(!has_word("from_date", "from"));
    }
}
