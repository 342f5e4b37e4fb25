//! E-mail addresses, as the rule `email` takes them.

use email_address::{EmailAddress, Options};

/// Whether a text is an e-mail address: without a display name, and at a domain, not at an IP address.
///
/// ```
/// use crud_shared::email::is_address;
///
/// assert!(is_address("ann@example.org"));
/// assert!(!is_address("ann") && !is_address("Ann <ann@example.org>"));
/// ```
pub fn is_address(text: &str) -> bool {
    let options = Options::default().without_display_text().without_domain_literal();
    EmailAddress::parse_with_options(text, options).is_ok()
}
