//! Password hashes: Argon2id, on blocking threads.

use std::sync::Arc;

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::Semaphore;

use crate::model::problem::{FieldError, Problem};
use crate::storage::error::Result;

/// The hash that an unknown user's password is verified against, so that the response takes as long as for a known user.
/// No password has it.
const DUMMY_HASH: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5IGhhcyB0aGlz$sQemv1mco10gs48cQGzNNWutuJX3wLzw+EUTXLTujWM";

/// The largest size of a password, in bytes.
const MAX_PASSWORD_BYTES: usize = 1024;

/// The smallest length of a password, in characters (NIST SP 800-63B, section 3.1.1.2, for one of several factors).
const MIN_PASSWORD_CHARS: usize = 8;

/// Hashes a password like the built-in store, for a [`UserStore`](super::UserStore) of the program: Argon2id with 19 MiB,
/// two passes and one lane (OWASP's recommendation) and a random salt, in the PHC string format.
///
/// # Errors
/// `validation_failed` when the password has fewer than 8 characters or more than 1024 bytes.
pub async fn hash_password(password: &str) -> Result<String> {
    Ok(PasswordHasher::new().hash(password).await?)
}

/// Hashes and verifies passwords, with one permit for each processor. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct PasswordHasher(Arc<Semaphore>);

impl PasswordHasher {
    pub(crate) fn new() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self(Arc::new(Semaphore::new(processors)))
    }

    /// The hash of a new password.
    ///
    /// # Errors
    /// `validation_failed` when the password is too short or too long.
    pub(super) async fn hash(&self, password: &str) -> Result<String, Problem> {
        let refuse = |code, detail: String| Err(Problem::validation([FieldError::field("password", code, detail)]));
        if password.chars().count() < MIN_PASSWORD_CHARS {
            return refuse("min_length", format!("must have at least {MIN_PASSWORD_CHARS} characters"));
        }
        if password.len() > MAX_PASSWORD_BYTES {
            return refuse("max_length", format!("must have at most {MAX_PASSWORD_BYTES} bytes"));
        }
        let password = password.to_owned();
        let hash = self.run_blocking(move || argon2().hash_password(password.as_bytes()).map(|hash| hash.to_string()));
        hash.await?.map_err(|error| Problem::internal(error.to_string()))
    }

    /// Whether a password has this hash; false without one, after the same time.
    pub(super) async fn verify(&self, password: String, hash: Option<String>) -> Result<bool, Problem> {
        self.run_blocking(move || {
            let known_hash = hash.as_deref().and_then(|hash| {
                let unreadable = |error: &_| tracing::error!(%error, "a user's password hash cannot be read");
                PasswordHash::new(hash).inspect_err(unreadable).ok()
            });
            let may_match = known_hash.is_some() && password.len() <= MAX_PASSWORD_BYTES;
            // An unknown user costs the same work.
            let hash = known_hash.map_or_else(|| PasswordHash::new(DUMMY_HASH), Ok);
            let hash = hash.map_err(|error| Problem::internal(error.to_string()))?;
            Ok(argon2().verify_password(password.as_bytes(), &hash).is_ok() && may_match)
        })
        .await?
    }

    async fn run_blocking<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
        let permit = self.0.clone().acquire_owned().await.map_err(Problem::internal)?;
        let work = tokio::task::spawn_blocking(move || {
            // The work goes on after a cancelled request, so it holds the permit.
            let _permit = permit;
            work()
        });
        work.await.map_err(Problem::internal)
    }
}

/// OWASP's parameters, spelled out: defaults may change with a release.
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
    async fn a_hash_verifies_its_own_password_only() {
        let hasher = PasswordHasher::new();
        let hash = hasher.hash("correct horse").await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert_ne!(hash, hasher.hash("correct horse").await.unwrap(), "the salt is random");
        assert!(hasher.verify("correct horse".into(), Some(hash.clone())).await.unwrap());
        assert!(!hasher.verify("Correct horse".into(), Some(hash)).await.unwrap());
        assert!(!hasher.verify("correct horse".into(), None).await.unwrap());
        assert!(!hasher.verify("correct horse".into(), Some("no hash".into())).await.unwrap());
    }

    #[test]
    fn the_dummy_hash_costs_what_others_cost() {
        let dummy = PasswordHash::new(DUMMY_HASH).unwrap();
        assert_eq!(Params::try_from(&dummy).unwrap(), *argon2().params());
        assert_eq!(dummy.algorithm, Algorithm::Argon2id.ident());
        assert_eq!(dummy.hash.unwrap().len(), 32);
    }

    #[tokio::test]
    async fn a_password_has_8_characters_to_1024_bytes() {
        for password in ["short", "sevensé", &"x".repeat(1025)] {
            assert!(PasswordHasher::new().hash(password).await.is_err(), "{password}");
        }
    }
}
