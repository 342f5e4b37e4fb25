//! [`Mailer`]: a trait for sending mails.

use crud_runtime::BoxError;
use crud_runtime::adapter::BoxFuture;

/// A mail in plain text.
///
/// ```
/// fn line(mail: &crud_accounts::Mail) -> String {
///     format!("{}: {}", mail.to, mail.subject)
/// }
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct Mail {
    /// The address of the recipient.
    pub to: String,
    /// The subject: one line.
    pub subject: String,
    /// The text. It may contain a secret link.
    pub text: String,
}

impl std::fmt::Debug for Mail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The text is left out: it may contain a secret link.
        f.debug_struct("Mail").field("to", &self.to).field("subject", &self.subject).finish_non_exhaustive()
    }
}

/// Sends mails, for [`Accounts::mailer`](crate::Accounts::mailer): by a provider's API, for example.
///
/// ```
/// use crud_accounts::{Mail, Mailer};
/// use crud_runtime::BoxError;
/// use crud_runtime::adapter::BoxFuture;
///
/// /// Hands mails to a provider.
/// struct Provider;
///
/// impl Mailer for Provider {
///     fn send<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, Result<(), BoxError>> {
///         Box::pin(async move {
///             println!("to {}", mail.to);
///             Ok(())
///         })
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` sends no mails",
    note = "`impl Mailer for {Self} {{ fn send<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, Result<(), BoxError>> {{ … }} }}`"
)]
pub trait Mailer: Send + Sync + 'static {
    /// Sends a mail. A job calls this method, and is retried when it fails.
    ///
    /// # Errors
    /// Any. The error must not contain the mail's text: it is stored in the table of jobs.
    fn send<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, Result<(), BoxError>>;
}
