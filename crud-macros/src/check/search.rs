//! Full-text search: the fields and the language.

use crud_shared::spelling;

use super::lookup::{Lookup, Named};
use super::types::Requirements;
use crate::attr::indexes::SearchAttribute;
use crate::model::{Capability, Requirement, Search};

/// The language without rules, which is the default.
const SIMPLE: &str = "simple";

/// The languages that every PostgreSQL has.
const LANGUAGES: [&str; 29] = [
    "arabic",
    "armenian",
    "basque",
    "catalan",
    "danish",
    "dutch",
    "english",
    "finnish",
    "french",
    "german",
    "greek",
    "hindi",
    "hungarian",
    "indonesian",
    "irish",
    "italian",
    "lithuanian",
    "nepali",
    "norwegian",
    "portuguese",
    "romanian",
    "russian",
    "serbian",
    SIMPLE,
    "spanish",
    "swedish",
    "tamil",
    "turkish",
    "yiddish",
];

/// The fields that a search names.
pub(super) fn named(attribute: Option<&SearchAttribute>, lookup: &Lookup<'_>) -> Vec<Named> {
    attribute.map_or_else(Vec::new, |attribute| lookup.find_all(&attribute.fields, "search"))
}

/// The search, over text fields that every client may see.
pub(super) fn option(attribute: &SearchAttribute, named: &[Named], requirements: &mut Requirements<'_, '_>) -> Search {
    let cx = requirements.cx;
    if attribute.fields.is_empty() {
        cx.error(attribute.key, "expected the fields to search: `search(name, description)`");
    }
    for &Named { index, span } in named {
        let Some(span) = span else { continue };
        let field = &requirements.fields[index];
        let name = &field.name;
        if let Some((_, concealed)) = field.exposure.concealed() {
            let message = format!("`{name}` is `{concealed}`, and a search in it would disclose its value: remove one");
            cx.error(span, message);
        } else if field.visible.is_some() {
            let message = format!(
                "`{name}` is `visible` to some, and a search in it would disclose its value to all: remove one"
            );
            cx.error(span, message);
        } else {
            let message = format!("`{name}` is not text, so it has no words: remove it here");
            requirements.require(index, Requirement::Text, span, message);
        }
    }
    for field in
        requirements.fields.iter().filter(|field| field.filterable != Capability::No && field.json.value == "q")
    {
        let message = "a filter named `q` would hide the parameter `q`: choose another with `rename = \"…\"`";
        cx.error(field.json.span, message);
    }
    if let Some(language) = attribute.language.as_ref().filter(|language| !LANGUAGES.contains(&language.value.as_str()))
    {
        let hint = spelling::hint(&language.value, LANGUAGES);
        cx.error(language.span, format_args!("`{}` is not a language: {hint}", language.value));
    }
    let language = attribute.language.as_ref().map(|language| language.value.clone());
    let known = |language: &String| language != SIMPLE && LANGUAGES.contains(&language.as_str());
    Search { columns: named.iter().map(|named| named.index).collect(), language: language.filter(known) }
}
