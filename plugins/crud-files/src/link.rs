//! [`Link`]: a signed text that lets one user read one file for some minutes.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use crud_runtime::prelude::Principal;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use sha2::Sha256;

/// The claims of a link: its user, and the time at which it expires, in seconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Link {
    /// The subject of the user.
    #[serde(rename = "s")]
    pub(crate) subject: String,
    #[serde(rename = "e")]
    pub(crate) expires: i64,
    /// The rights of a user of another issuer; `None` for the service's own users, whose current rights apply.
    #[serde(rename = "r", default, skip_serializing_if = "Option::is_none")]
    pub(crate) rights: Option<Rights>,
    /// The tenant in which the service's own user created the link.
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    pub(crate) tenant: Option<Json>,
}

/// The rights that a user had when a link was created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rights {
    roles: Vec<String>,
    permissions: Vec<String>,
    claims: Map<String, Json>,
    tenant: Option<Json>,
}

impl Rights {
    pub(crate) fn of(principal: &Principal) -> Self {
        Self {
            roles: principal.roles().to_vec(),
            permissions: principal.permissions().to_vec(),
            claims: principal.claims().clone(),
            tenant: principal.tenant().cloned(),
        }
    }

    pub(crate) fn principal(self, subject: &str) -> Principal {
        let principal = Principal::new(subject).with_roles(self.roles).with_permissions(self.permissions);
        let principal = principal.with_claims(self.claims);
        match self.tenant {
            Some(tenant) => principal.with_tenant(tenant),
            None => principal,
        }
    }
}

impl Link {
    /// Signs the link to a file, which has this path and hash: `claim.signature`.
    pub(crate) fn sign(&self, key: &[u8], path: &str, sha256: &str) -> String {
        let claim = URL_SAFE_NO_PAD.encode(serde_json::to_vec(self).unwrap_or_default());
        let signature = URL_SAFE_NO_PAD.encode(mac(key, path, sha256, &claim).finalize().into_bytes());
        format!("{claim}.{signature}")
    }

    /// Parses a link, without a check of its signature.
    pub(crate) fn parse(text: &str) -> Option<Unchecked<'_>> {
        let (claim, signature) = text.split_once('.')?;
        let link = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claim).ok()?).ok()?;
        Some(Unchecked { link, claim, signature: URL_SAFE_NO_PAD.decode(signature).ok()? })
    }
}

/// A link whose signature is not checked yet. The check needs the hash of the file, which only the record has.
#[derive(Debug)]
pub(crate) struct Unchecked<'t> {
    pub(crate) link: Link,
    claim: &'t str,
    signature: Vec<u8>,
}

impl Unchecked<'_> {
    /// Whether the signature is valid for the file with this path and hash. Takes constant time.
    pub(crate) fn is_of(&self, key: &[u8], path: &str, sha256: &str) -> bool {
        mac(key, path, sha256, self.claim).verify_slice(&self.signature).is_ok()
    }
}

fn mac(key: &[u8], path: &str, sha256: &str, claim: &str) -> Hmac<Sha256> {
    // HMAC takes keys of any length.
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key).unwrap_or_else(|_| unreachable!("any length"));
    for part in [path, sha256, claim] {
        mac.update(&(part.len() as u64).to_be_bytes());
        mac.update(part.as_bytes());
    }
    mac
}

#[cfg(test)]
mod tests {
    use super::Link;

    #[test]
    fn link_is_for_one_path_hash_user_and_time() {
        let link = Link { subject: "ann".to_owned(), expires: 7, rights: None, tenant: None };
        let text = link.sign(b"key", "/products/7/photo", "9f");
        let read = Link::parse(&text).expect("a link");
        assert_eq!(read.link, link);
        assert!(read.is_of(b"key", "/products/7/photo", "9f"));
        assert!(!read.is_of(b"other", "/products/7/photo", "9f"));
        assert!(!read.is_of(b"key", "/products/8/photo", "9f"));
        assert!(!read.is_of(b"key", "/products/7/photo", "9e"));
        let later = Link { expires: 8, ..link }.sign(b"key", "/products/7/photo", "9f");
        let mixed = format!("{}.{}", later.split_once('.').expect("a claim").0, text.split_once('.').expect("one").1);
        assert!(!Link::parse(&mixed).expect("a link").is_of(b"key", "/products/7/photo", "9f"));
        assert!(["", "a.b", "a", "e30.c", ".", "!.x"].into_iter().all(|text| Link::parse(text).is_none()));
    }
}
