//! [`Cursor`]: a place in a list, as a token that only the service can make.
//!
//! A token has the values of the sort keys of the record beside the place, and a code (HMAC-SHA-256, truncated to 128
//! bits) over them, the resource and the rest of the request. It names no principal: a list by a cursor has the records
//! that the principal of that request sees. Without the code, a client could use a token to filter by fields that only
//! sort.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::model::descriptor::{Descriptor, SortKey};
use crate::model::scalar;
use crate::model::value::Value;
use crate::query::ListQuery;

/// The bytes of a token's code.
const CODE: usize = 16;

/// The key of the codes.
pub(crate) type CursorKey = [u8; 32];

/// A place in a list.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cursor {
    /// Whether the page ends at the place instead of beginning there.
    pub(crate) backward: bool,
    /// The values of the sort keys of the record beside the place; none for the end of the list.
    pub(crate) values: Option<Vec<Value>>,
    /// Number of records between that record and the place: the values of their sort keys cannot be read.
    pub(crate) skip: u64,
}

/// Lists that a token is valid for: those of a resource by the same order and the same filters.
#[derive(Debug, Clone)]
pub(crate) struct CursorContext<'a> {
    pub(crate) key: &'a CursorKey,
    pub(crate) resource: &'static Descriptor,
    pub(crate) query: &'a ListQuery,
    /// The parameters of the request that say which records the list has.
    pub(crate) filters: &'a str,
}

impl CursorContext<'_> {
    /// The token of a place.
    pub(crate) fn seal(&self, cursor: &Cursor) -> String {
        let values = cursor
            .values
            .as_ref()
            .map(|values| values.iter().map(|value| (!value.is_null()).then(|| value.to_string())).collect::<Vec<_>>());
        let place = match cursor.skip {
            0 => serde_json::json!([cursor.backward, values]).to_string(),
            skip => serde_json::json!([cursor.backward, values, skip]).to_string(),
        };
        let own = (self.resource.stored_name(), self.resource.table);
        let mut token = self.code(own, place.as_bytes()).finalize().into_bytes()[..CODE].to_vec();
        token.extend_from_slice(place.as_bytes());
        URL_SAFE_NO_PAD.encode(token)
    }

    /// The place of a token; `None` of one that was made for another list, by another key, or not by a service.
    pub(crate) fn open(&self, token: &str) -> Option<Cursor> {
        let token = URL_SAFE_NO_PAD.decode(token).ok()?;
        let (code, place) = token.split_at_checked(CODE)?;
        let own = (self.resource.stored_name(), self.resource.table);
        let former = self.resource.formers.iter().map(|former| (former.name, former.table));
        let is_of = |identity| self.code(identity, place).verify_truncated_left(code).is_ok();
        std::iter::once(own).chain(former).find(|identity| is_of(*identity))?;
        let (backward, texts, skip): (bool, Option<Vec<Option<String>>>, u64) = match serde_json::from_slice(place) {
            Ok((backward, texts)) => (backward, texts, 0),
            Err(_) => serde_json::from_slice(place).ok()?,
        };
        let values = texts.map(|texts| self.values(&texts));
        // The columns may have another type than when the token was made.
        Some(Cursor { backward, values: values.map_or(Some(None), |values| values.map(Some))?, skip })
    }

    fn values(&self, texts: &[Option<String>]) -> Option<Vec<Value>> {
        let value = |(key, text): (&SortKey, &Option<String>)| match text {
            Some(text) => scalar::parse_stored(self.query.column(self.resource, key.column), text).ok(),
            None => Some(Value::Null),
        };
        let is_whole = texts.len() == self.query.sort.len();
        is_whole.then(|| self.query.sort.iter().zip(texts).map(value).collect())?
    }

    /// The code of a place in a list of the resource that has this name and this table.
    fn code(&self, (name, table): (&str, &str), place: &[u8]) -> Hmac<Sha256> {
        let mut code = Hmac::<Sha256>::new_from_slice(self.key).expect("a key of any length");
        let sort = self.query.sort.iter().map(|key| {
            let own = self.resource.columns.len();
            let joined = key.column.checked_sub(own).map(|index| &self.query.joined[index]);
            let relation = joined.map_or("", |joined| self.resource.columns[joined.reference].json);
            let column = self.query.column(self.resource, key.column);
            format!("{}{relation}.{}", if key.descending { "-" } else { "" }, column.json)
        });
        let parts = [name, table, &sort.collect::<Vec<_>>().join(","), self.filters];
        for part in parts.map(str::as_bytes).into_iter().chain([place]) {
            code.update(&(part.len() as u64).to_le_bytes());
            code.update(part);
        }
        code
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};
    use rust_decimal::Decimal;
    use uuid::Uuid;

    use super::*;
    use crate::prelude::*;

    #[derive(Resource)]
    struct Book {
        id: i64,
        title: Option<String>,
        price: f64,
        exact: Decimal,
        at: DateTime<Utc>,
        key: Uuid,
        new: bool,
    }

    const KEY: CursorKey = [7; 32];

    fn context<'a>(key: &'a CursorKey, query: &'a ListQuery, filters: &'a str) -> CursorContext<'a> {
        CursorContext { key, resource: Book::DESCRIPTOR, query, filters }
    }

    fn sorted(keys: impl Into<Vec<SortKey>>) -> ListQuery {
        ListQuery::all(Book::DESCRIPTOR).sort(keys.into())
    }

    #[test]
    fn a_token_has_exact_values() {
        let sort = sorted([6, 1, 2, 3, 4, 5, 0].map(SortKey::descending));
        let context = context(&KEY, &sort, "");
        for title in [Value::Null, Value::Text(String::new()), Value::Text("a,\"b\" – \u{1f4d6}".to_owned())] {
            let values = vec![
                Value::Bool(true),
                title,
                Value::Float(0.1 + 0.2),
                Value::Decimal("-1.5000".parse().unwrap()),
                Value::DateTime("2026-01-31T23:59:59.123456Z".parse().unwrap()),
                Value::Uuid(Uuid::from_u128(1)),
                Value::Int(i64::MIN),
            ];
            let cursor = Cursor { backward: true, values: Some(values), skip: 0 };
            assert_eq!(context.open(&context.seal(&cursor)), Some(cursor));
        }
        let end = Cursor { backward: false, values: None, skip: 3 };
        assert_eq!(context.open(&context.seal(&end)), Some(end));
    }

    #[test]
    fn a_token_is_of_one_list_and_one_key() {
        let (sort, other) = (sorted([SortKey::ascending(0)]), sorted([SortKey::descending(0)]));
        let cursor = Cursor { backward: false, values: Some(vec![Value::Int(1)]), skip: 0 };
        let token = context(&KEY, &sort, "a=1").seal(&cursor);
        assert!(context(&KEY, &sort, "a=1").open(&token).is_some());
        assert_eq!(context(&KEY, &sort, "a=2").open(&token), None);
        assert_eq!(context(&KEY, &other, "a=1").open(&token), None);
        assert_eq!(context(&[8; 32], &sort, "a=1").open(&token), None);
    }

    #[test]
    fn every_change_of_a_token_is_refused() {
        let sort = sorted([SortKey::ascending(0)]);
        let context = context(&KEY, &sort, "");
        let token = context.seal(&Cursor { backward: false, values: Some(vec![Value::Int(41)]), skip: 0 });
        for position in 0..token.len() {
            let mut changed = token.clone().into_bytes();
            changed[position] = if changed[position] == b'A' { b'B' } else { b'A' };
            assert_eq!(context.open(std::str::from_utf8(&changed).unwrap()), None, "{position}");
        }
        for text in ["", "A", "!", &token[1..], &token[..token.len() - 1], "AAAAAAAAAAAAAAAAAAAAAAAAAA"] {
            assert_eq!(context.open(text), None, "{text}");
        }
    }
}
