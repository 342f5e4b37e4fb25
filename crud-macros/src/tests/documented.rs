//! Every key has an example on the derive's page, which the documentation's tests compile, is on the book's page of
//! attributes, and is offered by editors.
//!
//! `SNAPSHOTS=overwrite cargo test -p crud-macros --all-features` writes the book's page.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use syn::Item;

use crate::expand::completion;
use crate::key::{AttributeKey, AttributePlace, FieldKey, PLACES, Spec, StructKey};

const PAGE: &str = include_str!("../../../crud-runtime/src/docs/derive.md");

/// Most keys on structs and fields: what a person keeps in mind.
const MAX_KEYS: usize = 63;

/// The page's examples, without comments.
fn examples() -> String {
    let blocks = PAGE.split("\n```").skip(1).step_by(2);
    let lines = blocks.flat_map(str::lines).map(|line| line.split("//").next().unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|other| other == word)
}

#[test]
fn every_attribute_has_an_example() {
    let examples = examples();
    let keys = PLACES.iter().filter(|place| place.completion.is_some()).flat_map(|place| place.keys);
    let missing: Vec<&str> = keys.map(|spec| spec.name).filter(|name| !has_word(&examples, name)).collect();
    assert!(missing.is_empty(), "no example has {missing:?}");
}

#[test]
fn every_key_is_offered_for_completion() {
    let modules: syn::File = syn::parse2(completion::modules()).expect("modules");
    let offered = modules.items.iter().map(|item| match item {
        Item::Mod(module) => {
            let items = module.content.iter().flat_map(|(_, items)| items);
            let keys =
                items.filter_map(|item| if let Item::Const(key) = item { Some(key.ident.to_string()) } else { None });
            (module.ident.to_string(), keys.collect::<Vec<_>>())
        }
        _ => panic!("an item that is not a module"),
    });
    // `crate` is a keyword, which cannot be an item.
    let listed = PLACES.iter().filter_map(|place| {
        let keys = place.keys.iter().map(|spec| spec.name.to_owned()).filter(|name| name != "crate");
        Some((place.completion?.0.to_owned(), keys.collect::<Vec<_>>()))
    });
    assert_eq!(offered.collect::<Vec<_>>(), listed.collect::<Vec<_>>());
}

#[test]
fn the_keys_of_a_place_are_distinct() {
    for place in PLACES {
        let mut names: Vec<&str> = place.keys.iter().map(|spec| spec.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), place.keys.len(), "{names:?}");
    }
}

#[test]
fn structs_and_fields_have_at_most_sixty_three_keys() {
    let count = StructKey::SPECS.len() + FieldKey::SPECS.len();
    assert!(count <= MAX_KEYS, "{count} keys: nest new ones in those that are there");
}

#[test]
fn the_page_of_attributes_has_every_key() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src/reference/every-attribute.md");
    let page = page();
    if std::env::var("SNAPSHOTS").is_ok_and(|value| value == "overwrite") {
        fs::write(&path, &page).expect("the page can be written");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == page, "the keys changed: write the page again with SNAPSHOTS=overwrite");
}

/// The book's page: each key of each place.
fn page() -> String {
    let places = || PLACES.iter().filter_map(|place| Some((place, place.completion?.1)));
    let top = StructKey::SPECS.len() + FieldKey::SPECS.len();
    let all: usize = places().map(|(place, _)| place.keys.len()).sum();
    let mut page = format!(
        "# Every attribute\n\n{top} keys stand on structs and fields, and {} inside of these and on enums. The map of them by \
         topic is the page [Attributes](attributes.md).\n",
        all - top
    );
    for (place, title) in places() {
        table(&mut page, place, title);
    }
    page
}

fn table(page: &mut String, place: &AttributePlace, title: &str) {
    line(page, &format!("\n## {}\n\n| Key | Form | Meaning |\n|---|---|---|", title.trim().trim_end_matches('.')));
    for Spec { name, form, meaning, .. } in place.keys {
        line(page, &format!("| `{name}` | {form} | {} |", meaning.trim().trim_end_matches('.')));
    }
}

fn line(page: &mut String, line: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(page, "{line}");
}
