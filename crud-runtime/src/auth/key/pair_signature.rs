//! Signatures by key pairs: RSA, ECDSA and Ed25519 of the `ring` crate.

use jsonwebtoken::crypto::{JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result};
use jsonwebtoken::jwk::{EllipticCurve, ThumbprintHash};
use jsonwebtoken::signature::{Error, Signer, Verifier};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, DecodingKeyKind, EncodingKey};
use ring::digest;
use ring::error::Unspecified;
use ring::rand::SystemRandom;
use ring::signature::{
    self as of_ring, EcdsaKeyPair, EcdsaSigningAlgorithm, Ed25519KeyPair, KeyPair, RsaEncoding, RsaKeyPair,
    RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm,
};

/// Public keys, for JWK.
pub(super) const KEY_UTILS: KeyUtils = KeyUtils {
    rsa_pub_components_from_private_key: |der| {
        let components = RsaPublicKeyComponents::<Vec<u8>>::from(rsa_pair(der)?.public());
        Ok((components.n, components.e))
    },
    rsa_pub_components_from_public_key: |der| {
        rsa_public_key(der).ok_or_else(|| ErrorKind::InvalidRsaKey("it is not a public key".to_owned()).into())
    },
    ec_pub_components_from_private_key: |der, algorithm| {
        let (signing, curve) = match algorithm {
            Algorithm::ES256 => (&of_ring::ECDSA_P256_SHA256_FIXED_SIGNING, EllipticCurve::P256),
            Algorithm::ES384 => (&of_ring::ECDSA_P384_SHA384_FIXED_SIGNING, EllipticCurve::P384),
            _ => return Err(ErrorKind::InvalidEcdsaKey.into()),
        };
        let pair = ec_pair(signing, der)?;
        // An uncompressed point (SEC 1, 2.3.3): 4, x and y.
        let point = &pair.public_key().as_ref()[1..];
        let (x, y) = point.split_at(point.len() / 2);
        Ok((curve, x.to_vec(), y.to_vec()))
    },
    ed_pub_components_from_private_key: |der, curve| match curve {
        EllipticCurve::Ed25519 => Ok(ed_pair(der)?.public_key().as_ref().to_vec()),
        _ => Err(ErrorKind::InvalidAlgorithm.into()),
    },
    compute_digest: |data, hash| {
        let algorithm = match hash {
            ThumbprintHash::SHA256 => &digest::SHA256,
            ThumbprintHash::SHA384 => &digest::SHA384,
            ThumbprintHash::SHA512 => &digest::SHA512,
            _ => return Err(ErrorKind::InvalidAlgorithm.into()),
        };
        Ok(digest::digest(algorithm, data).as_ref().to_vec())
    },
};

/// A function that signs a message.
type Sign = Box<dyn Fn(&[u8]) -> std::result::Result<Vec<u8>, Unspecified>>;

/// The signer of an algorithm of key pairs.
///
/// # Errors
/// When the key is of another algorithm.
pub(super) fn signer(algorithm: Algorithm, key: &EncodingKey) -> Result<Box<dyn JwtSigner>> {
    let der = key.as_bytes();
    let sign: Sign = match (algorithm, key.family()) {
        (Algorithm::ES256, AlgorithmFamily::Ec) => of_ec(ec_pair(&of_ring::ECDSA_P256_SHA256_FIXED_SIGNING, der)?),
        (Algorithm::ES384, AlgorithmFamily::Ec) => of_ec(ec_pair(&of_ring::ECDSA_P384_SHA384_FIXED_SIGNING, der)?),
        (Algorithm::EdDSA, AlgorithmFamily::Ed) => {
            let pair = ed_pair(der)?;
            Box::new(move |message| Ok(pair.sign(message).as_ref().to_vec()))
        }
        (_, AlgorithmFamily::Rsa) => {
            let (encoding, _) = of_rsa(algorithm).ok_or(ErrorKind::InvalidKeyFormat)?;
            let pair = rsa_pair(der)?;
            Box::new(move |message| {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(encoding, &SystemRandom::new(), message, &mut signature)?;
                Ok(signature)
            })
        }
        _ => return Err(ErrorKind::InvalidKeyFormat.into()),
    };
    Ok(Box::new(PairSigner { algorithm, sign }))
}

fn of_ec(pair: EcdsaKeyPair) -> Sign {
    Box::new(move |message| Ok(pair.sign(&SystemRandom::new(), message)?.as_ref().to_vec()))
}

/// The verifier of an algorithm of key pairs.
///
/// # Errors
/// When the key is of another algorithm.
pub(super) fn verifier(algorithm: Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    let by = match (algorithm, key.family()) {
        (Algorithm::ES256, AlgorithmFamily::Ec) => By::Point(&of_ring::ECDSA_P256_SHA256_FIXED),
        (Algorithm::ES384, AlgorithmFamily::Ec) => By::Point(&of_ring::ECDSA_P384_SHA384_FIXED),
        (Algorithm::EdDSA, AlgorithmFamily::Ed) => By::Point(&of_ring::ED25519),
        (_, AlgorithmFamily::Rsa) => {
            let (_, parameters) = of_rsa(algorithm).ok_or(ErrorKind::InvalidKeyFormat)?;
            By::Rsa(parameters)
        }
        _ => return Err(ErrorKind::InvalidKeyFormat.into()),
    };
    Ok(Box::new(PairVerifier { algorithm, by, key: key.clone() }))
}

/// Padding and parameters of an algorithm of RSA. Keys have 2048 bits or more (RFC 7518, section 3.3).
fn of_rsa(algorithm: Algorithm) -> Option<(&'static dyn RsaEncoding, &'static RsaParameters)> {
    let found: (&'static dyn RsaEncoding, &'static RsaParameters) = match algorithm {
        Algorithm::RS256 => (&of_ring::RSA_PKCS1_SHA256, &of_ring::RSA_PKCS1_2048_8192_SHA256),
        Algorithm::RS384 => (&of_ring::RSA_PKCS1_SHA384, &of_ring::RSA_PKCS1_2048_8192_SHA384),
        Algorithm::RS512 => (&of_ring::RSA_PKCS1_SHA512, &of_ring::RSA_PKCS1_2048_8192_SHA512),
        Algorithm::PS256 => (&of_ring::RSA_PSS_SHA256, &of_ring::RSA_PSS_2048_8192_SHA256),
        Algorithm::PS384 => (&of_ring::RSA_PSS_SHA384, &of_ring::RSA_PSS_2048_8192_SHA384),
        Algorithm::PS512 => (&of_ring::RSA_PSS_SHA512, &of_ring::RSA_PSS_2048_8192_SHA512),
        _ => return None,
    };
    Some(found)
}

fn rsa_pair(der: &[u8]) -> Result<RsaKeyPair> {
    Ok(RsaKeyPair::from_der(der).map_err(|error| ErrorKind::InvalidRsaKey(error.to_string()))?)
}

fn ec_pair(algorithm: &'static EcdsaSigningAlgorithm, der: &[u8]) -> Result<EcdsaKeyPair> {
    let pair = EcdsaKeyPair::from_pkcs8(algorithm, der, &SystemRandom::new());
    Ok(pair.map_err(|_| ErrorKind::InvalidEcdsaKey)?)
}

/// A pair with or without its public key, which OpenSSL leaves out.
fn ed_pair(der: &[u8]) -> Result<Ed25519KeyPair> {
    Ok(Ed25519KeyPair::from_pkcs8_maybe_unchecked(der).map_err(|_| ErrorKind::InvalidEddsaKey)?)
}

struct PairSigner {
    algorithm: Algorithm,
    sign: Sign,
}

impl Signer<Vec<u8>> for PairSigner {
    fn try_sign(&self, message: &[u8]) -> std::result::Result<Vec<u8>, Error> {
        (self.sign)(message).map_err(|_| Error::new())
    }
}

impl JwtSigner for PairSigner {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

/// The check of a signature.
enum By {
    Rsa(&'static RsaParameters),
    Point(&'static dyn VerificationAlgorithm),
}

struct PairVerifier {
    algorithm: Algorithm,
    by: By,
    key: DecodingKey,
}

impl Verifier<Vec<u8>> for PairVerifier {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> std::result::Result<(), Error> {
        let verified = match (&self.by, self.key.kind()) {
            (By::Rsa(parameters), DecodingKeyKind::RsaModulusExponent { n, e }) => {
                let key = RsaPublicKeyComponents { n: significant(n), e: significant(e) };
                key.verify(parameters, message, signature)
            }
            (By::Rsa(parameters), DecodingKeyKind::SecretOrDer(der)) => {
                UnparsedPublicKey::new(*parameters, der).verify(message, signature)
            }
            (By::Point(algorithm), DecodingKeyKind::SecretOrDer(point)) => {
                UnparsedPublicKey::new(*algorithm, point).verify(message, signature)
            }
            (By::Point(_), DecodingKeyKind::RsaModulusExponent { .. }) => return Err(Error::new()),
        };
        verified.map_err(|_| Error::new())
    }
}

impl JwtVerifier for PairVerifier {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

/// Modulus and exponent of an `RSAPublicKey` in DER (RFC 8017, appendix A.1.1): a sequence of two integers.
fn rsa_public_key(der: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    const SEQUENCE: u8 = 0x30;
    const INTEGER: u8 = 0x02;
    let (sequence, after) = element(SEQUENCE, der)?;
    let (modulus, rest) = element(INTEGER, sequence)?;
    let (exponent, rest) = element(INTEGER, rest)?;
    let is_whole = after.is_empty() && rest.is_empty();
    is_whole.then(|| (significant(modulus).to_vec(), significant(exponent).to_vec()))
}

/// The content of the element with a tag that DER begins with, and what follows it.
fn element(tag: u8, der: &[u8]) -> Option<(&[u8], &[u8])> {
    /// The bit that marks a length in further bytes; the other bits are the number of those bytes.
    const LONG: u8 = 0x80;
    let (&found, rest) = der.split_first()?;
    let (&length, rest) = rest.split_first()?;
    let (length, rest) = if length & LONG == 0 {
        (usize::from(length), rest)
    } else {
        let (digits, rest) = rest.split_at_checked(usize::from(length & !LONG))?;
        if digits.len() > 2 {
            return None;
        }
        (digits.iter().fold(0, |length, digit| (length << 8) | usize::from(*digit)), rest)
    };
    rest.split_at_checked(length).filter(|_| found == tag)
}

/// A number's bytes without leading zeros.
fn significant(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    &number[zeros..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rsa_public_key_is_a_sequence_of_two_integers() {
        let key = [0x30, 0x0a, 0x02, 0x03, 0x00, 0xc1, 0x05, 0x02, 0x03, 0x01, 0x00, 0x01];
        assert_eq!(rsa_public_key(&key), Some((vec![0xc1, 0x05], vec![1, 0, 1])));
        let long = [&[0x30, 0x81, 0x0a][..], &key[2..]].concat();
        assert_eq!(rsa_public_key(&long), rsa_public_key(&key));
        let followed = [&key[..], &[0]].concat();
        for other in [&key[..11], &key[2..], &followed[..], &[0x30, 0x84, 0, 0, 0, 0], &[0x30], &[]] {
            assert_eq!(rsa_public_key(other), None, "{other:?}");
        }
    }
}
