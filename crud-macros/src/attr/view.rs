//! The grammar of `view`: one SQL, or one for each database, and the resources that it reads.

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::Token;
use syn::ext::IdentExt;

use super::Spanned;
use super::entry::{self, Entry, Form};
use crate::ctxt::{Ctxt, SpanRange};
use crate::key::{AttributeKey, ViewKey};

/// The attribute `view`: expressions of the SQL. A malformed one is reported and left out.
#[derive(Debug)]
pub(crate) struct ViewAttribute {
    pub(crate) key: Span,
    /// Paths of the resources that the SQL reads.
    pub(crate) reads: Option<Vec<Spanned<TokenStream>>>,
    /// The SQL for every database without a separate one below.
    pub(crate) sql: Option<TokenStream>,
    pub(crate) sqlite: Option<TokenStream>,
    pub(crate) postgres: Option<TokenStream>,
    pub(crate) mysql: Option<TokenStream>,
    /// `view` without SQL: the database has the view already.
    pub(crate) existing: bool,
}

pub(super) fn parse(entry: &Entry, cx: &Ctxt) -> ViewAttribute {
    let mut view = ViewAttribute {
        key: entry.key.span(),
        reads: None,
        sql: None,
        sqlite: None,
        postgres: None,
        mysql: None,
        existing: entry.is_flag(),
    };
    if view.existing {
        return view;
    }
    let Form::List(_, tokens) = &entry.value else {
        entry.refuse(cx);
        view.reads = Some(Vec::new());
        return view;
    };
    if tokens.is_empty() {
        entry.refuse(cx);
    }
    let (mut expressions, mut entries) = (Vec::new(), Vec::new());
    entry::separated(tokens.clone(), cx, |input| {
        let keyed = input.peek2(syn::token::Paren) || input.peek2(Token![=]);
        if input.peek(Ident::peek_any) && keyed {
            entries.extend(entry::parse(input, ViewKey::PLACE, cx)?);
        } else {
            expressions.push(entry::value_tokens(input)?);
        }
        Ok(())
    });
    for (key, entry) in entry::keyed(entries, cx) {
        let sql = |entry: &Entry| entry.expression(cx).map(|sql| sql.value);
        match key {
            ViewKey::Sqlite => view.sqlite = sql(&entry),
            ViewKey::Postgres => view.postgres = sql(&entry),
            ViewKey::Mysql => view.mysql = sql(&entry),
            ViewKey::Reads => view.reads = reads(&entry, cx),
        }
    }
    if let Some(second) = expressions.get(1) {
        cx.error_at(second, "expected one SQL for every database, or `sqlite = \"…\", postgres = \"…\"`: remove this");
    }
    view.sql = expressions.into_iter().next();
    view.existing = [&view.sql, &view.sqlite, &view.postgres, &view.mysql].iter().all(|sql| sql.is_none());
    view
}

fn reads(entry: &Entry, cx: &Ctxt) -> Option<Vec<Spanned<TokenStream>>> {
    Some(entry::separated(entry.list(cx)?.clone(), cx, |input| {
        let path: syn::Path = input.parse().map_err(|error| entry.malformed(&error))?;
        let span = SpanRange::covering(&path);
        Ok(Spanned::new(path.into_token_stream(), span))
    }))
}
