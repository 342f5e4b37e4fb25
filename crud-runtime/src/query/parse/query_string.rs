//! Query strings, split and decoded.

use std::borrow::Cow;

use percent_encoding::percent_decode;

/// A decoded name or value; an error when it is not percent-encoded UTF-8.
type Decoded<'a> = Result<Cow<'a, str>, ()>;

/// The parameters of a query string (WHATWG URL, section 5), but strictly UTF-8.
pub(crate) fn pairs(query: &str) -> impl Iterator<Item = (Decoded<'_>, Decoded<'_>)> {
    query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decode(name), decode(value))
    })
}

fn decode(text: &str) -> Decoded<'_> {
    if !text.contains('+') {
        return percent_decode(text.as_bytes()).decode_utf8().map_err(drop);
    }
    let spaced = text.replace('+', " ");
    percent_decode(spaced.as_bytes()).decode_utf8().map(|text| Cow::Owned(text.into_owned())).map_err(drop)
}
