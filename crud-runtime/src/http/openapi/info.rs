//! The document's `info`: what the service is, who answers for it, and under which licence.

use serde_json::Value;

use super::writer::members;

/// The document's `info`.
///
/// ```
/// use crud_runtime::openapi::{Contact, Info, License};
///
/// let mut info = Info::new("Shop", "1.2.0");
/// info.description = "The *shop's* catalogue.".into();
/// info.contact = Some(Contact::new("Shop team").email("shop@example.com"));
/// info.license = Some(License::spdx("MIT"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Info {
    /// The name of the service.
    pub title: String,
    /// The version of its interface.
    pub version: String,
    /// Its description in Markdown; empty for none.
    pub description: String,
    /// The people to turn to.
    pub contact: Option<Contact>,
    /// The licence of the interface.
    pub license: Option<License>,
}

impl Info {
    /// An `info` without a description, a contact and a licence.
    pub fn new(title: impl Into<String>, version: impl Into<String>) -> Self {
        Self { title: title.into(), version: version.into(), description: String::new(), contact: None, license: None }
    }

    /// The JSON of the `info`.
    pub(crate) fn written(&self) -> Value {
        let Self { title, version, description, contact, license } = self;
        let contact = contact.as_ref().map(|Contact { name, url, email }| {
            members([("name", filled(name)), ("url", filled(url)), ("email", filled(email))])
        });
        let license = license.as_ref().map(|License { name, url, identifier }| {
            members([("name", Some(name.as_str().into())), ("url", filled(url)), ("identifier", filled(identifier))])
        });
        members([
            ("title", Some(title.as_str().into())),
            ("description", filled(description)),
            ("contact", contact),
            ("license", license),
            ("version", Some(version.as_str().into())),
        ])
    }
}

/// The text without spaces around it; `None` where it is empty.
fn filled(text: &str) -> Option<Value> {
    Some(text.trim()).filter(|text| !text.is_empty()).map(Value::from)
}

/// The people who answer for a service.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contact {
    /// Their name.
    pub name: String,
    /// The URL of their page; empty for none.
    pub url: String,
    /// Their e-mail address; empty for none.
    pub email: String,
}

impl Contact {
    /// A contact of this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), url: String::new(), email: String::new() }
    }

    crud_core::builder_setters! {
        /// Sets the URL of a page.
        #[must_use]
        url(url: impl Into<String>) => url = url.into();

        /// Sets the e-mail address.
        #[must_use]
        email(email: impl Into<String>) => email = email.into();
    }
}

/// The licence of a service's interface.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct License {
    /// Its name.
    pub name: String,
    /// The URL of its text; empty for none.
    pub url: String,
    /// Its SPDX expression, which excludes a URL; empty for none.
    pub identifier: String,
}

impl License {
    /// A licence by its [SPDX expression](https://spdx.org/licenses/), such as `MIT OR Apache-2.0`.
    pub fn spdx(expression: impl Into<String>) -> Self {
        let identifier = expression.into();
        Self { name: identifier.clone(), url: String::new(), identifier }
    }

    /// A licence by its name and the URL of its text.
    pub fn new(name: impl Into<String>, url: impl Into<String>) -> Self {
        Self { name: name.into(), url: url.into(), identifier: String::new() }
    }
}
