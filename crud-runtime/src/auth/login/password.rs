//! Password hashes: Argon2id, in the PHC string format.

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::password_hash::{Error as HashError, try_generate_salt};
use argon2::{Algorithm, Argon2, Params, Version};

use crate::auth::login::hash_queue::{HashMemory, HashQueue};
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

/// Hashes a password like the built-in store, for a [`UserStore`](crate::auth::UserStore) of the program: Argon2id with 19 MiB,
/// two passes and one lane (OWASP's recommendation) and a random salt, in the PHC string format.
///
/// # Errors
/// `validation_failed` when the password has fewer than 8 characters or more than 1024 bytes.
pub async fn hash_password(password: &str) -> Result<String> {
    Ok(PasswordHasher::new().hash(password).await?)
}

/// Hashes and verifies passwords. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct PasswordHasher(HashQueue);

impl PasswordHasher {
    pub(crate) fn new() -> Self {
        Self(HashQueue::new())
    }

    /// The hash of a new password.
    ///
    /// # Errors
    /// `validation_failed` when the password is too short or too long; `unavailable` when too many hashes wait.
    pub(in crate::auth) async fn hash(&self, password: &str) -> Result<String, Problem> {
        let refuse = |code, detail: String| Err(Problem::validation([FieldError::field("password", code, detail)]));
        if password.chars().count() < MIN_PASSWORD_CHARS {
            return refuse("min_length", format!("must have at least {MIN_PASSWORD_CHARS} characters"));
        }
        if password.len() > MAX_PASSWORD_BYTES {
            return refuse("max_length", format!("must have at most {MAX_PASSWORD_BYTES} bytes"));
        }
        let password = password.to_owned();
        let hash = self.0.run(move |memory| new_hash(memory, &password)).await?;
        hash.map_err(|error| Problem::internal(error.to_string()))
    }

    /// Whether a password has this hash; false without one, after the same time.
    ///
    /// # Errors
    /// `unavailable` when too many hashes wait.
    pub(in crate::auth) async fn verify(&self, password: String, hash: Option<String>) -> Result<bool, Problem> {
        // A user without a password has an empty hash, which is no mistake.
        let known_hash = hash.as_deref().filter(|hash| !hash.is_empty()).and_then(|hash| {
            let unreadable = |error: &_| tracing::error!(%error, "a user's password hash cannot be read");
            StoredHash::parse(hash).inspect_err(unreadable).ok()
        });
        let may_match = known_hash.is_some() && password.len() <= MAX_PASSWORD_BYTES;
        // An unknown user costs the same work.
        let hash = known_hash.map_or_else(|| StoredHash::parse(DUMMY_HASH), Ok);
        let hash = hash.map_err(|error| Problem::internal(error.to_string()))?;
        let matches = self.0.run(move |memory| hash.matches(memory, password.as_bytes())).await?;
        Ok(matches.map_err(|error| Problem::internal(error.to_string()))? && may_match)
    }
}

type HashResult<T> = Result<T, HashError>;

/// The PHC string of a password, with a random salt.
fn new_hash(memory: &mut HashMemory, password: &str) -> HashResult<String> {
    let argon2 = argon2();
    let salt = Salt::new(&try_generate_salt()?)?;
    let hash = PasswordHash {
        algorithm: Algorithm::Argon2id.ident(),
        version: Some(Version::V0x13.into()),
        params: ParamsString::try_from(argon2.params())?,
        salt: Some(salt),
        hash: Some(output(&argon2, memory, password.as_bytes(), &salt)?),
    };
    Ok(hash.to_string())
}

/// The hash of a stored password, with its algorithm and parameters, which may be another program's.
struct StoredHash {
    argon2: Argon2<'static>,
    salt: Salt,
    output: Output,
}

impl StoredHash {
    fn parse(text: &str) -> HashResult<Self> {
        let hash = PasswordHash::new(text)?;
        let version = hash.version.map_or(Ok(Version::default()), Version::try_from)?;
        let argon2 = Argon2::new(Algorithm::try_from(hash.algorithm.as_str())?, version, Params::try_from(&hash)?);
        match (hash.salt, hash.hash) {
            (Some(salt), Some(output)) => Ok(Self { argon2, salt, output }),
            _ => Err(HashError::EncodingInvalid),
        }
    }

    fn matches(&self, memory: &mut HashMemory, password: &[u8]) -> HashResult<bool> {
        // `Output` compares in constant time.
        Ok(output(&self.argon2, memory, password, &self.salt)? == self.output)
    }
}

/// The hash itself, computed in this memory.
fn output(argon2: &Argon2<'_>, memory: &mut HashMemory, password: &[u8], salt: &[u8]) -> HashResult<Output> {
    let mut bytes = [0; Output::MAX_LENGTH];
    let size = argon2.params().output_len().unwrap_or(Params::DEFAULT_OUTPUT_LEN);
    let bytes = bytes.get_mut(..size).ok_or(HashError::OutputSize)?;
    let blocks = memory.blocks(argon2.params().block_count());
    argon2.hash_password_into_with_memory(password, salt, bytes, blocks)?;
    Ok(Output::new(bytes)?)
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

    #[tokio::test]
    async fn hashes_of_other_parameters_verify() {
        // Made by the reference implementation: `echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1`.
        let stored = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
        let hasher = PasswordHasher::new();
        for _ in 0..2 {
            assert!(hasher.verify("password".into(), Some(stored.into())).await.unwrap());
            assert!(!hasher.verify("passwore".into(), Some(stored.into())).await.unwrap());
            // In the memory that the larger hash used.
            let own = hasher.hash("correct horse").await.unwrap();
            assert!(hasher.verify("correct horse".into(), Some(own)).await.unwrap());
        }
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
