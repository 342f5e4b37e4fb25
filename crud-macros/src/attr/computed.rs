//! Parsed `computed(…)` on a field.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::{LitStr, Token};

use super::Spanned;
use super::entry::{self, Entry};
use crate::ctxt::{Ctxt, SpanRange};
use crate::key::ComputedKey;

#[derive(Debug)]
pub(crate) struct Computed {
    pub(crate) key: Span,
    pub(crate) by: Computation,
}

/// The computation of a field.
#[derive(Debug)]
pub(crate) enum Computation {
    /// An SQL expression.
    Sql(Expressions),
    /// A function, by its path.
    Function(Spanned<TokenStream>),
}

/// An SQL expression, by database.
#[derive(Debug, Default)]
pub(crate) struct Expressions {
    /// The expression for every database without a separate one below.
    pub(crate) sql: Option<Spanned<String>>,
    pub(crate) sqlite: Option<Spanned<String>>,
    pub(crate) postgres: Option<Spanned<String>>,
    pub(crate) mysql: Option<Spanned<String>>,
}

impl Computed {
    /// The expressions, unless a function computes the field.
    pub(crate) const fn expressions(&self) -> Option<&Expressions> {
        match &self.by {
            Computation::Sql(expressions) => Some(expressions),
            Computation::Function(_) => None,
        }
    }

    /// The path of the function that computes the field, if one does.
    pub(crate) const fn function(&self) -> Option<&Spanned<TokenStream>> {
        match &self.by {
            Computation::Sql(_) => None,
            Computation::Function(path) => Some(path),
        }
    }
}

pub(super) fn parse(entry: &Entry, cx: &Ctxt) -> Option<Computed> {
    let (key, tokens) = (entry.key.span(), entry.list(cx)?);
    let path = |input: ParseStream<'_>| {
        let path: syn::Path = input.parse()?;
        input.parse::<Option<Token![,]>>()?;
        Ok(path)
    };
    if let Ok(path) = path.parse2(tokens.clone()) {
        let path = Spanned::new(path.to_token_stream(), SpanRange::covering(&path));
        return Some(Computed { key, by: Computation::Function(path) });
    }
    if let Ok(sql) = syn::parse2::<LitStr>(tokens.clone()) {
        cx.error(sql.span(), format_args!("expected `computed(sql = {})`", sql.to_token_stream()));
        return None;
    }
    if tokens.is_empty() {
        entry.refuse(cx);
        return None;
    }
    let mut expressions = Expressions::default();
    for (key, entry) in entry::from_tokens(tokens.clone(), cx) {
        let sql = entry.text(cx);
        match key {
            ComputedKey::Sql => expressions.sql = sql,
            ComputedKey::Sqlite => expressions.sqlite = sql,
            ComputedKey::Postgres => expressions.postgres = sql,
            ComputedKey::Mysql => expressions.mysql = sql,
        }
    }
    let Expressions { sql, sqlite, postgres, mysql } = &expressions;
    // Without any expression, the error is reported already.
    let is_any = [sql, sqlite, postgres, mysql].into_iter().any(Option::is_some);
    is_any.then_some(Computed { key, by: Computation::Sql(expressions) })
}
