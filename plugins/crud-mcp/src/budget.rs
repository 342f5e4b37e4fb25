//! Limits of answers: a model's context holds a page of records, not a table.

use serde_json::{Value as Json, json};

/// Longest text of a record in a list, in characters. Longer ones are cut.
const IN_LISTS: usize = 300;

/// The text, cut to `most` characters and the number of missing ones: `Once upon… (1234 more characters)`.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}… ({} more characters)", &text[..end], text[end..].chars().count()),
    }
}

/// Number of bytes of a value as JSON.
fn size(json: &Json) -> usize {
    json.to_string().len()
}

/// Cuts long texts within a value. Returns whether there were any.
fn cut(json: &mut Json, most: usize) -> bool {
    match json {
        Json::String(text) if text.len() > most => {
            let short = shortened(text, most);
            let is_cut = short != *text;
            *text = short;
            is_cut
        }
        Json::Array(items) => items.iter_mut().fold(false, |is_cut, item| cut(item, most) | is_cut),
        Json::Object(members) => members.values_mut().fold(false, |is_cut, value| cut(value, most) | is_cut),
        _ => false,
    }
}

/// The records of a list that fit into a number of bytes, and notes about what is missing.
pub(crate) fn records(mut records: Vec<Json>, bytes: usize) -> (Vec<Json>, Vec<String>) {
    let mut notes = Vec::new();
    if records.iter_mut().fold(false, |is_cut, record| cut(record, IN_LISTS) | is_cut) {
        notes.push("long texts are cut: `get` a record for the whole ones".to_owned());
    }
    let mut left = bytes;
    let mut is_within = |record: &Json| {
        left = left.saturating_sub(size(record) + 1);
        left > 0
    };
    let (all, kept) = (records.len(), records.iter().take_while(|it| is_within(it)).count().max(1).min(records.len()));
    if let (1, Some(first)) = (kept, records.first_mut()) {
        let (whole, missing) = record(first.take(), bytes);
        *first = whole;
        notes.extend(missing);
    }
    records.truncate(kept);
    if kept < all {
        notes.push(format!(
            "the last {} of {all} records are left out, as the answer would be too long: ask for fewer by `limit` or `fields`",
            all - kept
        ));
    }
    (records, notes)
}

/// A record that fits into a number of bytes, and notes about what is missing. Texts are cut first; then fields are
/// left out, the largest first.
pub(crate) fn record(mut record: Json, bytes: usize) -> (Json, Vec<String>) {
    if size(&record) <= bytes {
        return (record, Vec::new());
    }
    let mut most = bytes / 4;
    while cut(&mut record, most.max(IN_LISTS)) && size(&record) > bytes && most > IN_LISTS {
        most /= 2;
    }
    let mut notes = vec!["long texts are cut: ask for one field by `fields`".to_owned()];
    while size(&record) > bytes {
        let Json::Object(members) = &mut record else { break };
        let largest = members.iter_mut().max_by_key(|(_, value)| size(value));
        let Some((name, value)) = largest.filter(|(_, value)| size(value) > 64) else { break };
        notes.push(format!("`{name}` is left out: it has {} bytes", size(value)));
        *value = json!("…");
    }
    (record, notes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_of_long_records_is_within_its_bytes() {
        let long = |id| json!({ "id": id, "text": "ä".repeat(1_000) });
        let (kept, notes) = records((0..100).map(long).collect(), 8 * 1024);
        assert!(size(&Json::Array(kept.clone())) <= 8 * 1024, "{}", kept.len());
        assert!(kept.len() > 5, "{}", kept.len());
        assert!(notes[1].starts_with(&format!("the last {} of 100", 100 - kept.len())), "{notes:?}");
    }

    #[test]
    fn record_that_is_too_long_keeps_its_short_fields() {
        let (kept, notes) = record(json!({ "id": 7, "items": vec![json!({ "n": 1 }); 10_000], "text": "x" }), 1_024);
        assert_eq!(kept, json!({ "id": 7, "items": "…", "text": "x" }));
        assert_eq!(notes.len(), 2, "{notes:?}");
    }

    #[test]
    fn short_answers_are_whole() {
        let short = vec![json!({ "id": 1 }), json!({ "id": 2 })];
        assert_eq!(records(short.clone(), 1_024), (short, Vec::new()));
        assert_eq!(records(Vec::new(), 1_024), (Vec::new(), Vec::new()));
    }
}
