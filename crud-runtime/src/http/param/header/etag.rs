//! Entity tags (RFC 9110, section 8.8.3) and the preconditions on them (section 13).

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use xxhash_rust::xxh3::xxh3_128;

use crate::http::description::json_schema::Schema;
use crate::http::description::operation_doc::ParameterObject;

/// The strong entity tag of a record: a hash of its JSON. It needs no column and changes with any field.
pub(crate) fn entity_tag(json: &[u8]) -> HeaderValue {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = [b'"'; 34];
    for (pair, byte) in text[1..33].chunks_exact_mut(2).zip(xxh3_128(json).to_be_bytes()) {
        pair.copy_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
    // Hexadecimal digits in quotes are always a header value.
    HeaderValue::from_bytes(&text).unwrap_or_else(|_| HeaderValue::from_static("\"\""))
}

/// `If-Match` in the document.
pub(crate) fn document_if_match() -> ParameterObject {
    let description = "Entity tags of versions, one of which the record must have: otherwise the response is 412.";
    ParameterObject::header("IfMatch", "If-Match", description, Schema::text())
}

/// `If-None-Match` in the document.
pub(crate) fn document_if_none_match() -> ParameterObject {
    let description = "Entity tags of versions that the client has: the response to one of them is 304.";
    ParameterObject::header("IfNoneMatch", "If-None-Match", description, Schema::text())
}

/// The value of `If-Match` or `If-None-Match`: `*`, or a list of entity tags.
#[derive(Debug, Clone)]
pub(crate) enum EtagCondition {
    /// Any version.
    Any,
    /// One of these.
    OneOf(Vec<String>),
}

impl EtagCondition {
    /// `If-Match`.
    pub(crate) fn if_match(headers: &HeaderMap) -> Option<Self> {
        Self::parse(headers, &header::IF_MATCH)
    }

    /// `If-None-Match`.
    pub(crate) fn if_none_match(headers: &HeaderMap) -> Option<Self> {
        Self::parse(headers, &header::IF_NONE_MATCH)
    }

    fn parse(headers: &HeaderMap, name: &HeaderName) -> Option<Self> {
        let mut tags = None::<Vec<String>>;
        for value in headers.get_all(name) {
            // A value that is not text matches no tag, but is a condition all the same.
            let value = value.to_str().unwrap_or_default();
            if value.trim() == "*" {
                return Some(Self::Any);
            }
            // The service's tags have no commas: a tag with one splits into pieces that match nothing.
            tags.get_or_insert_default().extend(value.split(',').map(|tag| tag.trim().to_owned()));
        }
        tags.map(Self::OneOf)
    }

    /// Strong comparison, for `If-Match`: a weak tag matches nothing.
    pub(crate) fn matches(&self, tag: &HeaderValue) -> bool {
        match self {
            Self::Any => true,
            Self::OneOf(tags) => tags.iter().any(|other| other.as_bytes() == tag.as_bytes()),
        }
    }

    /// Weak comparison, for `If-None-Match`: proxies that compress weaken strong tags.
    pub(crate) fn matches_weakly(&self, tag: &HeaderValue) -> bool {
        match self {
            Self::Any => true,
            Self::OneOf(tags) => {
                tags.iter().any(|other| other.strip_prefix("W/").unwrap_or(other).as_bytes() == tag.as_bytes())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(values: &[&'static str]) -> Option<EtagCondition> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::IF_MATCH, HeaderValue::from_static(value));
        }
        EtagCondition::if_match(&headers)
    }

    #[test]
    fn several_header_lines_are_one_list() {
        let tag = entity_tag(b"{}");
        let ours: &'static str = tag.to_str().unwrap().to_owned().leak();
        assert!(condition(&["\"a\"", ours]).unwrap().matches(&tag));
        assert!(!condition(&["\"a\", \"b\""]).unwrap().matches(&tag));
        assert!(condition(&["*"]).unwrap().matches(&tag));
        assert!(condition(&[]).is_none());
    }

    #[test]
    fn weak_tags_match_only_weakly() {
        let tag = entity_tag(b"{}");
        let weak: &'static str = format!("W/{}", tag.to_str().unwrap()).leak();
        assert!(!condition(&[weak]).unwrap().matches(&tag));
        assert!(condition(&[weak]).unwrap().matches_weakly(&tag));
    }
}
