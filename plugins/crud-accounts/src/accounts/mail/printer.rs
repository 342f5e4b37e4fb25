//! [`Printer`]: a mailer for development.

use crud_runtime::BoxError;
use crud_runtime::adapter::BoxFuture;

use super::mailer::{Mail, Mailer};

/// Writes mails to the log, with their links. For development: no mail leaves the machine.
pub(crate) struct Printer;

impl Mailer for Printer {
    fn send<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, Result<(), BoxError>> {
        let Mail { to, subject, text } = mail;
        tracing::info!(
            "a mail that is printed, not sent, as `[accounts]` has no `smtp`\nTo: {to}\nSubject: {subject}\n\n{text}"
        );
        Box::pin(std::future::ready(Ok(())))
    }
}
