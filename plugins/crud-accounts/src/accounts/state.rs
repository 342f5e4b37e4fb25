//! [`AccountsState`]: state that the routes, jobs and observers of accounts share.

use std::sync::OnceLock;

use super::mail::letter::Letter;
use super::mail::mailer::Mailer;
use super::mail::template::Templates;
use super::token::Token;

/// State that the routes, jobs and observers of accounts share: an extension of the service.
pub(crate) struct AccountsState {
    pub(crate) mailer: Box<dyn Mailer>,
    pub(crate) templates: Templates,
    /// The roles of people who sign up.
    pub(crate) roles: Vec<String>,
    /// The role that may invite people.
    pub(crate) invite_role: String,
    /// The roles whose users must have a second factor.
    pub(crate) factor_roles: Vec<String>,
    /// The path of the pages.
    pub(crate) path: String,
    /// The URL that links begin with, once it is known.
    pub(crate) public_url: OnceLock<String>,
    /// The title of the service, once it is known.
    pub(crate) title: OnceLock<String>,
}

impl AccountsState {
    /// The title of the service.
    pub(crate) fn title(&self) -> &str {
        self.title.get().map_or("", String::as_str)
    }

    /// The URL of the service, without a `/` at the end.
    pub(crate) fn url(&self) -> &str {
        self.public_url.get().map_or("", String::as_str)
    }

    /// The link of a letter. The token is in the fragment, which browsers send to no server; a page sends it by `POST`.
    /// So a mail scanner that opens the link does not consume the token.
    pub(crate) fn link(&self, letter: Letter, token: Option<&Token>) -> String {
        let page = format!("{}{}/{}", self.url(), self.path, letter.page());
        token.map_or_else(|| page.clone(), |token| format!("{page}#{}", token.text()))
    }
}
