//! The names of projects, models and fields, and the names derived from them.

use anyhow::{Result, bail};
use crud_shared::plural;
use heck::{ToSnakeCase, ToTitleCase, ToUpperCamelCase};

/// The routes of the service, which a resource cannot have.
pub(crate) const RESERVED: &[&str] = &["docs", "health", "ready", "auth", "profile", "metrics"];

/// Rust's keywords, including those reserved for later use. (The Rust Reference, "Keywords".)
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum",
    "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move",
    "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// The keywords that cannot be raw identifiers.
const NEVER_NAMES: &[&str] = &["self", "super", "crate", "Self"];

/// Names that cargo reserves, and those of the crates that a project uses.
const TAKEN: &[&str] = &[
    "alloc",
    "build",
    "core",
    "crud-config",
    "crud-core",
    "crud-macros",
    "crud-mongodb",
    "crud-runtime",
    "crud-shared",
    "crud-sql",
    "deps",
    "examples",
    "incremental",
    "proc-macro",
    "serde-json",
    "std",
    "test",
    "tokio",
    "ureq",
];

/// The types that generated files use by name.
const USED_TYPES: &[&str] = &["String", "Option", "Vec", "DateTime", "Utc", "NaiveDate", "Uuid", "Decimal"];

/// Checks the name of a project, which is the name of a crate.
pub(crate) fn project(name: &str) -> Result<String> {
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || name.len() > 64 || !name.chars().all(legal) {
        bail!("`{name}` is not a valid crate name: expected 1 to 64 letters, digits, `-` and `_`, such as `my_shop`");
    }
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        bail!("`{name}` is not a valid crate name: expected a letter first, such as `my_shop`");
    }
    if KEYWORDS.contains(&name) || NEVER_NAMES.contains(&name) || TAKEN.contains(&name.replace('_', "-").as_str()) {
        bail!("`{name}` is reserved by Rust, cargo or a crate that the project uses: choose another name");
    }
    Ok(name.to_owned())
}

/// The title of a project: `my_shop` → `My Shop API`.
pub(crate) fn title(project: &str) -> String {
    let title = project.to_title_case();
    if title.ends_with("Api") { title[..title.len() - 3].to_owned() + "API" } else { title + " API" }
}

/// Checks the name of a model, which is the name of a type.
pub(crate) fn model(name: &str) -> Result<String> {
    let camel = name.to_upper_camel_case();
    let spelt = name.starts_with(|c: char| c.is_ascii_uppercase()) && name.chars().all(|c| c.is_ascii_alphanumeric());
    if !spelt {
        if camel.starts_with(|c: char| c.is_ascii_uppercase()) && camel.chars().all(|c| c.is_ascii_alphanumeric()) {
            bail!("`{name}` is not a valid model name: expected `{camel}`");
        }
        bail!("`{name}` is not a valid model name: expected one word of letters and digits, such as `OrderItem`");
    }
    let module = name.to_snake_case();
    if is_used_type(name) || NEVER_NAMES.contains(&name) || NEVER_NAMES.contains(&module.as_str()) || module == "mod" {
        bail!("`{name}` is reserved by Rust or the runtime: choose another name");
    }
    Ok(name.to_owned())
}

/// Whether generated files use a type by this name.
pub(crate) fn is_used_type(name: &str) -> bool {
    USED_TYPES.contains(&name)
}

/// Whether the name can be neither a field nor a module, not even as a raw identifier.
pub(crate) fn is_never_a_name(name: &str) -> bool {
    NEVER_NAMES.contains(&name)
}

/// A word with a capital letter.
pub(crate) fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().to_string() + letters.as_str())
}

/// Checks the name of a field.
pub(crate) fn field(name: &str) -> Result<()> {
    let snake = name.to_snake_case();
    let legal = |name: &str| name.is_ascii() && name.starts_with(|c: char| c.is_ascii_lowercase());
    if name != snake && legal(&snake) {
        bail!("`{name}` is not a valid field name: expected `{snake}`");
    }
    if !legal(name) || name != snake {
        bail!("`{name}` is not a valid field name: expected lower-case letters, digits and `_`, such as `unit_price`");
    }
    if NEVER_NAMES.contains(&name) {
        bail!("`{name}` is reserved by Rust: choose another name");
    }
    Ok(())
}

/// A name as an identifier: a keyword becomes a raw one.
pub(crate) fn identifier(name: &str) -> String {
    if KEYWORDS.contains(&name) { format!("r#{name}") } else { name.to_owned() }
}

/// A model's name in snake case, the name of its file.
pub(crate) fn snake(model: &str) -> String {
    model.to_snake_case()
}

/// The words of a model: `OrderItem` → `order item`.
pub(crate) fn words(model: &str) -> String {
    snake(model).replace('_', " ")
}

/// The module of a model, as an identifier.
pub(crate) fn module(model: &str) -> String {
    identifier(&snake(model))
}

/// A text as the name of a type or variant: `in_stock` → `InStock`.
pub(crate) fn camel(text: &str) -> String {
    text.to_upper_camel_case()
}

/// The plural of a model's name in snake case: the derive's default prefix, table and tag.
pub(crate) fn plural(model: &str) -> String {
    plural::of_type(model)
}

/// `a` or `an`.
pub(crate) fn article(word: &str) -> &'static str {
    if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}

#[cfg(test)]
mod tests {
    use crud_runtime::Resource as _;

    use super::*;

    macro_rules! models {
        ($($name:ident)+) => {
            $(#[derive(crud_runtime::Resource)]
            struct $name {
                id: i64,
            })+

            #[test]
            fn plurals_are_those_of_the_derive() {
                $(assert_eq!($name::DESCRIPTOR.prefix, format!("/{}", plural(stringify!($name))));)+
            }
        };
    }

    models! {
        Product Category OrderItem Address Person News HTTPLog Box Child Company Analysis Status Hero Day Leaf Datum
        Series Mouse Quiz Tooth Item2
    }

    #[test]
    fn a_keyword_becomes_a_raw_identifier() {
        assert_eq!(["type", "box", "name"].map(identifier), ["r#type", "r#box", "name"]);
    }

    #[test]
    fn a_title_is_in_title_case() {
        assert_eq!(["my_shop", "shop-api"].map(title), ["My Shop API", "Shop API"]);
    }

    #[test]
    fn names_that_would_not_compile_are_errors() {
        for bad in ["", "1st", "my shop", "naïve", "fn", "test", "tokio", "serde_json", "_x", "a/b", "../up"] {
            assert!(project(bad).is_err(), "{bad}");
        }
        for bad in ["", "product", "Order Item", "String", "Self", "Crate", "Mod", "Straße", "2Fast"] {
            assert!(model(bad).is_err(), "{bad}");
        }
        for bad in ["", "Name", "unitPrice", "unit__price", "2nd", "größe", "self", "a b"] {
            assert!(field(bad).is_err(), "{bad}");
        }
        let error = model("order_item").expect_err("not the name of a type").to_string();
        assert_eq!(error, "`order_item` is not a valid model name: expected `OrderItem`");
        let error = field("unitPrice").expect_err("not the name of a field").to_string();
        assert_eq!(error, "`unitPrice` is not a valid field name: expected `unit_price`");
    }
}
