//! Passwords: hashed with Argon2id, off the threads that answer requests.

use std::sync::Arc;

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::Semaphore;

use crate::model::problem::{FieldError, Problem};
use crate::storage::error::Result;

/// What an unknown user's password is held against, so that the answer takes as long: the hash of a password
/// that nobody has, with the parameters that every hash here has.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5IGhhcyB0aGlz$sQemv1mco10gs48cQGzNNWutuJX3wLzw+EUTXLTujWM";

/// How many bytes a password may have: it is hashed whole, but a request need not bring a book.
const MAX_PASSWORD: usize = 1024;

/// How many characters a password needs (NIST SP 800-63B, section 3.1.1.2, where it is not the only factor).
const MIN_PASSWORD: usize = 8;

/// Hashes a password as the built-in store does: Argon2id with 19 MiB, two passes and one lane, which OWASP
/// recommends, and a random salt; in the PHC string format. For users of a [`UserStore`](super::UserStore) of
/// the program's own.
///
/// # Errors
/// `validation_failed` when it has fewer than 8 characters or more than 1024 bytes.
pub async fn hash_password(password: &str) -> Result<String> {
    Ok(Passwords::new().hash(password).await?)
}

/// Hashes and verifies passwords, no more at a time than there are processors. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Passwords(Arc<Semaphore>);

impl Passwords {
    pub(crate) fn new() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self(Arc::new(Semaphore::new(processors)))
    }

    /// The hash of a new password.
    ///
    /// # Errors
    /// `validation_failed` when it is too short or too long.
    pub(super) async fn hash(&self, password: &str) -> Result<String, Problem> {
        let refuse = |code, detail: String| Err(Problem::validation([FieldError::field("password", code, detail)]));
        if password.chars().count() < MIN_PASSWORD {
            return refuse("min_length", format!("must have at least {MIN_PASSWORD} characters"));
        }
        if password.len() > MAX_PASSWORD {
            return refuse("max_length", format!("must have at most {MAX_PASSWORD} bytes"));
        }
        let password = password.to_owned();
        let hash = self.run(move || argon2().hash_password(password.as_bytes()).map(|hash| hash.to_string()));
        hash.await?.map_err(|error| Problem::internal(error.to_string()))
    }

    /// Whether a password has this hash; never where there is none, which takes as long.
    pub(super) async fn verify(&self, password: String, hash: Option<String>) -> Result<bool, Problem> {
        self.run(move || {
            let known = hash.as_deref().and_then(|hash| {
                let unreadable = |error: &_| tracing::error!(%error, "a user's password hash cannot be read");
                PasswordHash::new(hash).inspect_err(unreadable).ok()
            });
            let may = known.is_some() && password.len() <= MAX_PASSWORD;
            // The work is done in any case.
            let hash = known.map_or_else(|| PasswordHash::new(NOBODY), Ok);
            let hash = hash.map_err(|error| Problem::internal(error.to_string()))?;
            Ok(argon2().verify_password(password.as_bytes(), &hash).is_ok() && may)
        })
        .await?
    }

    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
        let permit = self.0.clone().acquire_owned().await.map_err(Problem::internal)?;
        let work = tokio::task::spawn_blocking(move || {
            // A request that is given up does not stop the work, so the permit goes with that.
            let _permit = permit;
            work()
        });
        work.await.map_err(Problem::internal)
    }
}

/// OWASP's parameters, spelled out: another release's defaults may be others.
fn argon2() -> Argon2<'static> {
    const PARAMS: Params = match Params::new(19_456, 2, 1, Some(32)) {
        Ok(params) => params,
        Err(_) => panic!("the parameters are legal"),
    };
    Argon2::new(Algorithm::Argon2id, Version::V0x13, PARAMS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_has_its_own_hash_alone() {
        let passwords = Passwords::new();
        let hash = passwords.hash("correct horse").await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert_ne!(hash, passwords.hash("correct horse").await.unwrap(), "the salt is random");
        assert!(passwords.verify("correct horse".into(), Some(hash.clone())).await.unwrap());
        assert!(!passwords.verify("Correct horse".into(), Some(hash)).await.unwrap());
        assert!(!passwords.verify("correct horse".into(), None).await.unwrap());
        assert!(!passwords.verify("correct horse".into(), Some("no hash".into())).await.unwrap());
    }

    #[test]
    fn the_hash_of_nobody_costs_what_others_cost() {
        let nobody = PasswordHash::new(NOBODY).unwrap();
        assert_eq!(Params::try_from(&nobody).unwrap(), *argon2().params());
        assert_eq!(nobody.algorithm, Algorithm::Argon2id.ident());
        assert_eq!(nobody.hash.unwrap().len(), 32);
    }

    #[tokio::test]
    async fn a_password_is_neither_short_nor_endless() {
        for password in ["short", "sevensé", &"x".repeat(1025)] {
            assert!(Passwords::new().hash(password).await.is_err(), "{password}");
        }
    }
}
