//! Mails: their texts, mailers, and the job that sends them.

pub(crate) mod job;
pub(crate) mod letter;
pub(crate) mod mailer;
pub(crate) mod printer;
#[cfg(feature = "smtp")]
pub(crate) mod smtp;
pub(crate) mod template;
