//! [`normalised`]: the canonical form of a mail address, which is the name of a user.

use crud_runtime::error::{FieldError, Problem};

/// The longest address, in bytes (RFC 5321, section 4.5.3.1.3).
const MAX: usize = 254;

/// The canonical form of an address: without spaces around it, in lower case.
///
/// Mail providers ignore letter case, so two accounts must not differ by case alone. Letters beyond ASCII are refused:
/// `а@example.com` with a Cyrillic letter looks like another person's address. A domain with such letters has a form in
/// ASCII, `xn--…`. Dots and `+` in front of the `@` stay: only the provider knows what they mean.
///
/// # Errors
/// `validation_failed` at `email` for a text that is not an address.
pub(crate) fn normalised(text: &str) -> Result<String, Problem> {
    let address = text.trim().to_ascii_lowercase();
    if is_address(&address) {
        return Ok(address);
    }
    let detail = "must be an address such as `ann@example.com`, in ASCII";
    Err(Problem::validation([FieldError::field("email", "email", detail)]))
}

fn is_address(address: &str) -> bool {
    let Some((local, domain)) = address.split_once('@') else { return false };
    let is_atom = |byte: u8| byte.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&byte);
    let has_dots = |text: &str| !text.starts_with('.') && !text.ends_with('.') && !text.contains("..");
    let is_local = (1..=64).contains(&local.len()) && local.bytes().all(is_atom) && has_dots(local);
    let is_label = |label: &str| {
        let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        (1..=63).contains(&label.len())
            && label.bytes().all(is_inner)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    is_local && domain.contains('.') && domain.split('.').all(is_label) && address.len() <= MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letter_case_and_spaces_are_of_one_address() {
        for text in ["ann@example.com", " Ann@Example.COM ", "ANN@EXAMPLE.COM"] {
            assert_eq!(normalised(text).unwrap(), "ann@example.com");
        }
        assert_eq!(normalised("a.n+n@sub.example.com").unwrap(), "a.n+n@sub.example.com");
    }

    #[test]
    fn text_that_is_no_address_is_refused() {
        for text in [
            "",
            "ann",
            "@example.com",
            "ann@",
            "ann@localhost",
            "ann@@example.com",
            "ann@example..com",
            "ann@-example.com",
            ".ann@example.com",
            "an..n@example.com",
            "ann@example.com\r\nBcc: eve@example.com",
            "ann@example.com,eve@example.com",
            "Ann <ann@example.com>",
            "\u{430}nn@example.com",
            "ann@ex\u{e4}mple.com",
            "\"a b\"@example.com",
        ] {
            assert!(normalised(text).is_err(), "{text:?}");
        }
        assert!(normalised(&format!("{}@example.com", "a".repeat(65))).is_err());
    }
}
