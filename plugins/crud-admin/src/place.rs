//! Names of resources and fields for people.

/// A name in words: `order_items` is `Order items`, and `orderNumber` is `Order number`.
pub(crate) fn words(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 4);
    for (index, character) in name.chars().enumerate() {
        match character {
            '_' | '-' => words.push(' '),
            _ if index == 0 => words.extend(character.to_uppercase()),
            _ if character.is_uppercase() && !words.ends_with([' ']) && !words.ends_with(char::is_uppercase) => {
                words.push(' ');
                words.extend(character.to_lowercase());
            }
            _ => words.push(character),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_each_case_are_words() {
        assert_eq!(words("order_items"), "Order items");
        assert_eq!(words("orderNumber"), "Order number");
        assert_eq!(words("board-tickets"), "Board tickets");
        assert_eq!(words("URL"), "URL");
    }
}
