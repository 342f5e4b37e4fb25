//! [`SendLetter`]: the job that creates a token and mails it.

use crud_runtime::auth::{User, UserStore};
use crud_runtime::prelude::App;
use crud_runtime::{BoxError, Job, Result};
use serde::{Deserialize, Serialize};

use super::letter::Letter;
use super::mailer::Mail;
use super::template::TemplateValues;
use crate::accounts::invitation::Invitation;
use crate::accounts::letter_token::LetterToken;
use crate::accounts::state::AccountsState;

/// Sends a letter. The job creates the token itself: in its payload, the token would be stored in plain text. A retry
/// creates another token, so only the last mail is valid.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SendLetter {
    pub(crate) letter: Letter,
    pub(crate) address: String,
    /// The user or the invitation that the letter is for; empty for a new address.
    pub(crate) subject: String,
    /// The generation of the user who asks for a new address, by which the end of its sessions revokes the link.
    #[serde(default)]
    pub(crate) generation: Option<String>,
}

impl SendLetter {
    /// A letter to an address that has neither a user nor an invitation yet.
    pub(crate) fn new(letter: Letter, address: &str) -> Self {
        Self::of(letter, address, "")
    }

    /// A letter to an address for a user or an invitation.
    pub(crate) fn of(letter: Letter, address: &str, subject: &str) -> Self {
        Self { letter, address: address.to_owned(), subject: subject.to_owned(), generation: None }
    }

    /// A letter to the new address of a user, who has proved its password.
    pub(crate) fn to_new_address(address: &str, user: &User) -> Self {
        Self { generation: user.generation.clone(), ..Self::of(Letter::NewAddress, address, &user.subject) }
    }

    /// The letter that the address is sent, by the state of its account now; `None` for no mail.
    async fn due(&self, app: &App) -> Result<Option<Letter>> {
        let user = app.users()?.find_by_username(&self.address).await?;
        Ok(match self.letter {
            Letter::Verification | Letter::NewAddress if user.is_some() => Some(Letter::Known),
            Letter::Reset => user.filter(|user| !user.disabled).map(|_| Letter::Reset),
            Letter::Invitation if Invitation::find(app, &self.subject).await?.is_none() => None,
            letter => Some(letter),
        })
    }
}

impl Job for SendLetter {
    const KIND: &str = "accounts_letter";

    async fn run(self, app: App) -> Result<(), BoxError> {
        let Some(letter) = self.due(&app).await? else { return Ok(()) };
        let state = app.extension::<AccountsState>()?;
        let token = if letter.has_token() {
            let user = (self.subject.as_str(), self.generation.as_deref());
            Some(LetterToken::make(&app, letter, &self.address, user).await?)
        } else {
            None
        };
        let inviter = match letter {
            Letter::Invitation => Invitation::find(&app, &self.subject).await?.map(|invitation| invitation.inviter),
            _ => None,
        };
        let link = state.link(letter, token.as_ref());
        let words = TemplateValues {
            service: state.title(),
            address: &self.address,
            link: &link,
            inviter: inviter.as_deref().unwrap_or_default(),
        };
        let (subject, text) = state.templates.fill(letter, &words);
        state.mailer.send(&Mail { to: self.address, subject, text }).await
    }
}
