//! The text of `crud.toml`, which keeps its comments.

use anyhow::{Context, Result, bail};
use crud_config::{ConfigKey, FILE, Settings};
use toml_edit::{DocumentMut, Item, Value};

/// The document of a file's text.
pub(crate) fn parsed(text: &str) -> Result<DocumentMut> {
    if let Ok(document) = text.parse() {
        return Ok(document);
    }
    // The parser's error would repeat the line, which may hold a password.
    Settings::new(text, |_| None).context("nothing is changed")?;
    bail!("`{FILE}` is not valid TOML: nothing is changed")
}

/// Sets a key. The comments around it stay.
pub(crate) fn replace(document: &mut DocumentMut, key: &ConfigKey, value: &str) {
    let mut value = match (value.parse::<i64>(), value.parse::<bool>()) {
        (Ok(number), _) if key.is_number() => Value::from(number),
        (_, Ok(flag)) if key.is_flag() => Value::from(flag),
        _ => Value::from(value),
    };
    if let Some(Item::Value(old)) = document.get(key.name) {
        *value.decor_mut() = old.decor().clone();
    }
    document[key.name] = Item::Value(value);
}
