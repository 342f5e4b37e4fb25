//! The requests of the cases that use a capability.

use std::fmt::Write as _;

use fastrand::Rng;

use crate::case::send_with;
use crate::seed::{CATEGORIES, KINDS, MATERIALS};

/// `where={"category_id":7,"or":[{"price__lt":20.5},{"stock__gt":800}]}`: some 90 of a category's 250 records.
pub(crate) fn alternatives(rng: &mut Rng) -> String {
    let (category, price, stock) = (rng.usize(1..=CATEGORIES), rng.u32(10..40), rng.u32(750..900));
    let condition = format!(r#"{{"category_id":{category},"or":[{{"price__lt":{price}.5}},{{"stock__gt":{stock}}}]}}"#);
    format!("/articles?where={}&sort=-price&limit=20", escaped(&condition))
}

/// `q=oak lam`: a material and the beginning of a kind, some 125 of 10,000 records.
pub(crate) fn search(rng: &mut Rng) -> String {
    let (material, kind) = (MATERIALS[rng.usize(..MATERIALS.len())], KINDS[rng.usize(..KINDS.len())]);
    let beginning = kind.get(..3).unwrap_or(kind);
    format!("/articles?q={}%20{}&limit=20", material.to_lowercase(), beginning.to_lowercase())
}

/// The records of the five categories of a material.
pub(crate) fn related(rng: &mut Rng) -> String {
    let material = MATERIALS[rng.usize(..MATERIALS.len())];
    format!("/articles?category.name__startswith={material}&sort=category.name,-price&limit=20")
}

pub(crate) fn cursor(rng: &mut Rng, cursors: &[String]) -> String {
    let cursor = cursors.get(rng.usize(..cursors.len().max(1))).map_or("", String::as_str);
    format!("/entries?cursor={cursor}&limit=20")
}

/// The body that creates the record with this unique value, or changes it.
pub(crate) fn article(rng: &mut Rng, sku: &str) -> String {
    let (number, cents, stock) = (rng.u32(..), rng.u32(1..100_000), rng.u32(0..1_000));
    let (category, price) = (rng.usize(1..=CATEGORIES), f64::from(cents) / 100.0);
    let mut body = String::with_capacity(180);
    let _ = write!(body, r#"{{"sku":"{sku}","name":"Benchmark article {number}","description":"Made to be measured","#);
    let _ = write!(body, r#""price":{price},"stock":{stock},"category_id":{category}}}"#);
    body
}

pub(crate) fn keyed_create(rng: &mut Rng) -> Vec<u8> {
    let (key, sku) = (rng.u128(..), format!("N-{:x}", rng.u64(..)));
    let body = article(rng, &sku);
    send_with("POST", "/articles", &format!("Idempotency-Key: {key:032x}\r\n"), &body)
}

/// A JSON text in a query string.
pub(crate) fn escaped(json: &str) -> String {
    json.replace('"', "%22").replace('{', "%7B").replace('}', "%7D").replace('[', "%5B").replace(']', "%5D")
}
