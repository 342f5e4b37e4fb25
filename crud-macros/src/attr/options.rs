//! Parsed `batch`, `import` and `idempotency`.

use std::time::Duration;

use proc_macro2::Span;

use super::Spanned;
use super::entry::Entry;
use crate::ctxt::Ctxt;
use crate::key::{BatchKey, IdempotencyKey, ImportKey};

#[derive(Debug, Default)]
pub(crate) struct BatchAttribute {
    pub(crate) max_size: Option<Spanned<u32>>,
    pub(crate) partial: bool,
}

#[derive(Debug)]
pub(crate) struct ImportAttribute {
    pub(crate) key: Span,
    pub(crate) max_rows: Option<Spanned<u32>>,
}

#[derive(Debug, Default)]
pub(crate) struct IdempotencyAttribute {
    pub(crate) required: bool,
    pub(crate) ttl: Option<Spanned<Duration>>,
}

pub(super) fn batch(entry: &Entry, cx: &Ctxt) -> Option<BatchAttribute> {
    let mut batch = BatchAttribute::default();
    for (key, entry) in entry.nested(cx)? {
        match key {
            BatchKey::MaxSize => batch.max_size = entry.number(cx),
            BatchKey::Mode => {
                let choice = entry.choice(&[("atomic", false), ("partial", true)], cx);
                batch.partial = choice.is_some_and(|choice| choice.value);
            }
        }
    }
    Some(batch)
}

pub(super) fn import(entry: &Entry, cx: &Ctxt) -> Option<ImportAttribute> {
    let mut import = ImportAttribute { key: entry.key.span(), max_rows: None };
    for (key, entry) in entry.nested(cx)? {
        match key {
            ImportKey::MaxRows => import.max_rows = entry.number(cx),
        }
    }
    Some(import)
}

pub(super) fn idempotency(entry: &Entry, cx: &Ctxt) -> Option<IdempotencyAttribute> {
    let mut idempotency = IdempotencyAttribute::default();
    for (key, entry) in entry.nested(cx)? {
        match key {
            IdempotencyKey::Required => idempotency.required = entry.flag(cx).is_some(),
            IdempotencyKey::Ttl => idempotency.ttl = entry.duration(cx),
        }
    }
    Some(idempotency)
}
