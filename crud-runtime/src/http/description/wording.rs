//! Names of types and fields as words in a sentence.

/// `OrderItem` as `order item`, `order_items` as `order items`; acronyms keep their capitals.
pub(crate) fn words(name: &str) -> String {
    let mut words: Vec<String> = vec![String::new()];
    let mut previous_is_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && previous_is_lower) {
            words.push(String::new());
        }
        previous_is_lower = c.is_lowercase() || c.is_numeric();
        if c.is_alphanumeric() {
            words.last_mut().into_iter().for_each(|word| word.push(c));
        }
    }
    let is_acronym = |word: &str| word.chars().count() > 1 && !word.chars().any(char::is_lowercase);
    let words = words.into_iter().filter(|word| !word.is_empty());
    words.map(|word| if is_acronym(&word) { word } else { word.to_lowercase() }).collect::<Vec<_>>().join(" ")
}

/// The name in words with its article, such as `an order item`.
pub(crate) fn with_article(name: &str) -> String {
    let words = words(name);
    let article = if words.starts_with(['a', 'e', 'i', 'o', 'u', 'A', 'E', 'I', 'O', 'U']) { "an" } else { "a" };
    format!("{article} {words}")
}

/// The text with an upper-case first letter.
pub(crate) fn sentence(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_case_become_words() {
        assert_eq!(words("OrderItem"), "order item");
        assert_eq!(words("order_items"), "order items");
        assert_eq!(words("SKU"), "SKU");
        assert_eq!(words("createdAt2"), "created at2");
    }
}
