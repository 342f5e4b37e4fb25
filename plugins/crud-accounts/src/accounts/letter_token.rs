//! [`LetterToken`]: the tokens of links in mails.

use crud_runtime::error::{Code, FieldError, Problem};
use crud_runtime::prelude::*;
use crud_runtime::query::Condition;
use crud_runtime::{Error, Result};

use super::mail::letter::Letter;
use super::token::{self, Token};

/// The token of a link, in the table `accounts_token`: one for each purpose, address and subject, so that the last mail counts.
#[derive(Debug, Clone, Resource)]
#[crud(table = "accounts_token", internal, unique(purpose, address, subject))]
pub(crate) struct LetterToken {
    id: i64,
    /// The letter that has the link.
    #[crud(length(max = 20))]
    purpose: String,
    /// The address that the mail goes to.
    #[crud(length(max = 254))]
    pub(crate) address: String,
    /// The user or the invitation that it is for; empty for a new address.
    #[crud(length(max = 40))]
    pub(crate) subject: String,
    /// The generation of the user when it asked for a new address: a later end of its sessions revokes the token.
    #[crud(length(max = 36))]
    pub(crate) generation: Option<String>,
    /// The hash of the token.
    #[crud(unique, length(min = 64, max = 64))]
    hash: String,
    #[crud(index)]
    expires_at: DateTime<Utc>,
}

impl LetterToken {
    /// Creates the token of a letter. Replaces an earlier one; of a user's new addresses, the last one counts.
    pub(crate) async fn make(
        app: &App,
        letter: Letter,
        address: &str,
        (subject, generation): (&str, Option<&str>),
    ) -> Result<Token> {
        let (token, fields) = (Token::random()?, Self::FIELDS);
        let new = NewLetterToken {
            purpose: letter.as_str().to_owned(),
            address: address.to_owned(),
            subject: subject.to_owned(),
            generation: generation.map(str::to_owned),
            hash: token.hash(),
            expires_at: app.now() + letter.lifetime(),
        };
        if letter == Letter::NewAddress {
            let others = Self::of(letter, subject).and(fields.address.ne(address));
            app.store::<Self>().delete_where(others).await?;
        }
        app.store::<Self>().upsert((fields.purpose, fields.address, fields.subject), new).await?;
        Ok(token)
    }

    /// Finds the token that a request sends, if it is of one of these letters. Does not consume it.
    ///
    /// # Errors
    /// [`used`].
    pub(crate) async fn find(app: &App, secret: &str, letters: &[Letter]) -> Result<Self> {
        let fields = Self::FIELDS;
        let valid = fields.hash.eq(token::hash(secret)).and(fields.expires_at.gt(app.now()));
        let found = app.store::<Self>().first(valid).await?;
        let found = found.filter(|found| letters.iter().any(|letter| letter.as_str() == found.purpose));
        found.ok_or_else(|| Error::Problem(used()))
    }

    /// Whether the token is of this letter.
    pub(crate) fn is_of(&self, letter: Letter) -> bool {
        self.purpose == letter.as_str()
    }

    /// Consumes the token, in the transaction of the change that it allows. Of two concurrent requests, only one
    /// deletes it.
    ///
    /// # Errors
    /// [`used`].
    pub(crate) async fn consume(&self, tx: &mut Tx<'_>) -> Result<()> {
        let fields = Self::FIELDS;
        // A later mail replaces the hash in the same row, so the hash is compared too.
        let same = fields.id.eq(self.id).and(fields.hash.eq(self.hash.as_str()));
        match tx.store::<Self>().delete_where(same).await? {
            0 => Err(Error::Problem(used())),
            _ => Ok(()),
        }
    }

    /// Removes the tokens of a letter for a subject.
    pub(crate) async fn remove(tx: &mut Tx<'_>, letter: Letter, subject: &str) -> Result<()> {
        tx.store::<Self>().delete_where(Self::of(letter, subject)).await.map(drop)
    }

    /// The tokens of a letter for a subject.
    fn of(letter: Letter, subject: &str) -> Condition<Self> {
        Self::FIELDS.purpose.eq(letter.as_str()).and(Self::FIELDS.subject.eq(subject))
    }

    /// Removes expired tokens.
    pub(crate) async fn sweep(app: &App) -> Result<u64> {
        app.store::<Self>().delete_where(Self::FIELDS.expires_at.lte(app.now())).await
    }
}

/// The refusal of a token that is unknown, used or expired. The answer does not say which.
pub(crate) fn used() -> Problem {
    let detail = "is not valid any more: ask for a new mail";
    Problem::with_errors(Code::ValidationFailed, [FieldError::field("token", "used", detail)])
}
