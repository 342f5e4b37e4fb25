//! Every key has an example on the derive's page, which the documentation's tests compile, and is offered by editors.

use syn::Item;

use crate::expand::completion;
use crate::key::PLACES;

const PAGE: &str = include_str!("../../../crud-runtime/src/docs/derive.md");

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
