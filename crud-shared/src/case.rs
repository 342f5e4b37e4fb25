//! `rename_all`: the case of names in JSON.

use crate::spelling;

/// A rule of `rename_all`. The rules are serde's (`serde_derive`, `case.rs`), so that a type with both derives has one
/// JSON form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RenameRule {
    /// `lowercase`
    Lower,
    /// `UPPERCASE`
    Upper,
    /// `PascalCase`
    Pascal,
    /// `camelCase`
    Camel,
    /// `snake_case`
    Snake,
    /// `SCREAMING_SNAKE_CASE`
    ScreamingSnake,
    /// `kebab-case`
    Kebab,
    /// `SCREAMING-KEBAB-CASE`
    ScreamingKebab,
}

const RULES: [(&str, RenameRule); 8] = [
    ("lowercase", RenameRule::Lower),
    ("UPPERCASE", RenameRule::Upper),
    ("PascalCase", RenameRule::Pascal),
    ("camelCase", RenameRule::Camel),
    ("snake_case", RenameRule::Snake),
    ("SCREAMING_SNAKE_CASE", RenameRule::ScreamingSnake),
    ("kebab-case", RenameRule::Kebab),
    ("SCREAMING-KEBAB-CASE", RenameRule::ScreamingKebab),
];

impl RenameRule {
    /// The rule of this name.
    pub fn parse(name: &str) -> Option<Self> {
        RULES.iter().find(|(rule, _)| *rule == name).map(|(_, rule)| *rule)
    }

    /// The error about an unknown rule.
    pub fn unknown(name: &str) -> String {
        let rules = RULES.map(|(rule, _)| rule);
        spelling::nearest(name, rules).map_or_else(
            || format!("unknown case `{name}`: expected {}", spelling::alternatives(rules)),
            |near| format!("unknown case `{name}`: did you mean `\"{near}\"`?"),
        )
    }

    /// Applies the rule to a field's name, which is in snake case.
    ///
    /// ```
    /// use crud_shared::case::RenameRule;
    ///
    /// assert_eq!(RenameRule::Camel.field("unit_price"), "unitPrice");
    /// ```
    pub fn field(self, name: &str) -> String {
        match self {
            Self::Lower | Self::Snake => name.to_owned(),
            Self::Upper | Self::ScreamingSnake => name.to_ascii_uppercase(),
            Self::Pascal => name.split('_').map(capitalised).collect(),
            Self::Camel => uncapitalised(&Self::Pascal.field(name)),
            Self::Kebab => name.replace('_', "-"),
            Self::ScreamingKebab => Self::ScreamingSnake.field(name).replace('_', "-"),
        }
    }

    /// Applies the rule to a variant's name, which is in Pascal case.
    ///
    /// ```
    /// use crud_shared::case::RenameRule;
    ///
    /// assert_eq!(RenameRule::Snake.variant("InStock"), "in_stock");
    /// ```
    pub fn variant(self, name: &str) -> String {
        match self {
            Self::Pascal => name.to_owned(),
            Self::Lower => name.to_ascii_lowercase(),
            Self::Upper => name.to_ascii_uppercase(),
            Self::Camel => uncapitalised(name),
            Self::Snake => snake_variant(name),
            Self::ScreamingSnake => snake_variant(name).to_ascii_uppercase(),
            Self::Kebab => snake_variant(name).replace('_', "-"),
            Self::ScreamingKebab => Self::ScreamingSnake.variant(name).replace('_', "-"),
        }
    }
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + chars.as_str())
}

fn uncapitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_ascii_lowercase().to_string() + chars.as_str())
}

fn snake_variant(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for (position, letter) in name.char_indices() {
        if position > 0 && letter.is_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_renamed_as_serde_does() {
        let renamed = RULES.map(|(_, rule)| rule.field("very_tasty"));
        assert_eq!(
            renamed,
            [
                "very_tasty",
                "VERY_TASTY",
                "VeryTasty",
                "veryTasty",
                "very_tasty",
                "VERY_TASTY",
                "very-tasty",
                "VERY-TASTY"
            ]
        );
    }

    #[test]
    fn variants_are_renamed_as_serde_does() {
        let renamed = RULES.map(|(_, rule)| rule.variant("VeryTasty"));
        assert_eq!(
            renamed,
            [
                "verytasty",
                "VERYTASTY",
                "VeryTasty",
                "veryTasty",
                "very_tasty",
                "VERY_TASTY",
                "very-tasty",
                "VERY-TASTY"
            ]
        );
    }
}
