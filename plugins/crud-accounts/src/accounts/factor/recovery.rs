//! [`RecoveryCode`]: codes that replace a lost telephone.

use crud_runtime::Result;
use crud_runtime::prelude::*;
use crud_runtime::query::Condition;

use crate::accounts::token::{self, random_bytes};

/// Number of codes of a user.
const CODES: usize = 10;

/// The letters and digits of codes. None of them looks like another.
const ALPHABET: &[u8; 32] = b"023456789abcdefghijkmnpqrstvwxyz";

/// A recovery code of a user, in the table `accounts_recovery`: each counts once.
#[derive(Debug, Clone, Resource)]
#[crud(table = "accounts_recovery", internal)]
pub(crate) struct RecoveryCode {
    id: i64,
    #[crud(index, length(max = 40))]
    subject: String,
    /// The hash of the code, with the user.
    #[crud(unique, length(min = 64, max = 64))]
    hash: String,
}

impl RecoveryCode {
    /// The codes of a user.
    pub(super) fn of(subject: &str) -> Condition<Self> {
        Self::FIELDS.subject.eq(subject)
    }

    /// Creates ten codes of a user, in place of earlier ones. They are shown once.
    pub(crate) async fn make(app: &App, subject: &str) -> Result<Vec<String>> {
        let codes = (0..CODES).map(|_| new_code()).collect::<Result<Vec<String>>>()?;
        let new = |code: &String| NewRecoveryCode { subject: subject.to_owned(), hash: hash(subject, code) };
        let all: Vec<NewRecoveryCode> = codes.iter().map(new).collect();
        app.transaction(async |tx| -> Result<()> {
            let store = tx.store::<Self>();
            store.delete_where(Self::of(subject)).await?;
            for new in &all {
                store.create(new.clone()).await?;
            }
            Ok(())
        })
        .await?;
        Ok(codes)
    }

    /// Consumes a code of a user. `false` if the user does not have it.
    pub(super) async fn consume(app: &App, subject: &str, code: &str) -> Result<bool> {
        let code: String = code.trim().to_ascii_lowercase();
        let same = Self::FIELDS.hash.eq(hash(subject, &code));
        Ok(app.store::<Self>().delete_where(same).await? > 0)
    }
}

/// The hash of a code. A code has 80 random bits, so it needs no salt but the user.
fn hash(subject: &str, code: &str) -> String {
    token::hash(&format!("{subject} {code}"))
}

/// A random code of 80 bits, such as `7kqm-x2rd-9pwa-hs4t`.
fn new_code() -> Result<String> {
    let bytes = random_bytes::<16>()?;
    let digit = |byte: u8| char::from(ALPHABET[usize::from(byte % 32)]);
    let groups: Vec<String> = bytes.chunks(4).map(|group| group.iter().copied().map(digit).collect()).collect();
    Ok(groups.join("-"))
}
