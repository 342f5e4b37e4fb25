//! Columns that look like secrets: passwords, tokens, keys and their hashes, which no answer may have.

use crud_shared::catalogue::{Column, Table};
use crud_shared::plural::singular_of_noun;

use super::field_type::FieldType;
use super::naming;

/// Parts of names that mark a secret anywhere in the name, without its separators.
const PARTS: &str = "accesskey activationcode activationkey apikey authcode authkey backupcode confirmationcode \
    credential encryptionkey kennwort onetimecode passcode passcrypt passhash passphrase passwd password \
    passwort privatekey recoverycode secret securityanswer securitycode sessiondata sessionkey \
    signingkey token totp verificationcode";

/// Harmless words that contain a part that would mark a secret.
const HARMLESS: &str = "secretary secretaries secretariat tokenizer tokenized";

/// Words that mark a secret as a whole word of the name.
const WORDS: &str = "bcrypt crypt cvc cvv hmac hotp mfa otp pass pin psk pw pwd salt";

/// Last words of names that describe a secret and do not contain it, such as `token_type`.
const ABOUT: &str = "algo algorithm at attempts by changed count counter created date description enabled endpoint \
    expiration expired expires expiry format id ids issuer iterations kind label length limit method \
    name on policy prefix provider required rounds scope scopes state status strength time ttl type \
    updated uri url used version";

/// Parts of the names of tables with secrets; below, the columns that hold the secret there.
const TABLES: &str = "apikey credential passkey password secret session token";
const OF_TABLES: &str = "code data hash key payload sess sid value";

/// Words that mark a hash. A hash is secret as bytes, or as text of a usual length, unless it is a hash of contents.
const HASHES: &str = "digest hash hashed";
const HASH_LENGTHS: &[u32] = &[32, 40, 56, 60, 64, 96, 128];
const CONTENTS: &str = "asset attachment blob block body build chunk commit content contents document file files git image \
    media message migration object package page photo query revision row source transaction tree tx url \
    version video";

/// Beginnings of stored hashes of passwords, and of keys.
const BEGINNINGS: &str = "$1$ $2a$ $2b$ $2y$ $5$ $6$ $P$ $argon2 $pbkdf2 $scrypt $y$ \
    -----BEGIN argon2 bcrypt pbkdf2 scrypt: sk_live_ {BCRYPT} {SHA} {SSHA} {bcrypt}";

/// Whether the values of a column look like secrets, by its name and type, or by the values that exist.
pub(super) fn is_secret(table: &Table, column: &Column, ty: &FieldType) -> bool {
    if !ty.labels.is_empty() {
        return false;
    }
    let begins = |text: &str| BEGINNINGS.split(' ').any(|beginning| text.starts_with(beginning));
    if column.samples.iter().any(|sample| sample.class == "text" && begins(&sample.text)) {
        return true;
    }
    let is_bytes = ty.rust == "Vec<u8>" || column.ty.base == "binary";
    let can_be = is_bytes || ["String", "Uuid", "Vec<String>", "serde_json::Value"].contains(&&*ty.rust);
    let name = naming::words(&column.name);
    let words: Vec<&str> = name.split('_').collect();
    let last = words.last().copied().unwrap_or_default();
    // The text in a table of sessions is the value of a cookie; a number is not.
    let is_session = |table: &str| table.ends_with("session") || table.ends_with("sessions");
    if ty.rust == "String" && (name == "session_id" || name == "id" && is_session(&naming::words(&table.name))) {
        return true;
    }
    if is_one_of(last, ABOUT) || HARMLESS.split(' ').any(|harmless| name.contains(harmless)) {
        return false;
    }
    let is_named = words.iter().any(|word| is_one_of(word, WORDS)) || has_part(&name, PARTS);
    // Short codes may be stored as numbers.
    let is_code = ty.is_integer() && ["pin", "otp", "cvv", "cvc", "code"].contains(&last);
    if is_named && (can_be || is_code) {
        return true;
    }
    can_be
        && (is_one_of(&name, OF_TABLES) && has_part(&naming::words(&table.name), TABLES)
            || is_hash(table, column, is_bytes))
}

/// Whether a word is one of these.
fn is_one_of(word: &str, words: &str) -> bool {
    words.split(' ').any(|other| other == word)
}

/// Whether a name has one of these parts, without its separators.
fn has_part(name: &str, parts: &str) -> bool {
    let joined = name.replace('_', "");
    parts.split(' ').any(|part| joined.contains(part))
}

/// Whether a column has hashes of anything but contents, such as files.
fn is_hash(table: &Table, column: &Column, is_bytes: bool) -> bool {
    let (name, table) = (naming::words(&column.name), naming::words(&table.name));
    let of_contents = |words: &str| words.split('_').any(|word| is_one_of(&singular_of_noun(word), CONTENTS));
    let is_long = is_bytes || column.ty.length.is_some_and(|length| HASH_LENGTHS.contains(&length));
    is_long && name.split('_').any(|word| is_one_of(word, HASHES)) && !of_contents(&name) && !of_contents(&table)
}

#[cfg(test)]
mod tests {
    use crud_shared::catalogue::{ColumnType, Sample};

    use super::*;

    /// Whether a column, `table.column`, of this type of Rust looks like a secret.
    fn found(name: &str, rust: &str, length: Option<u32>, sample: &str) -> bool {
        let (table, column) = name.split_once('.').expect("a table and a column");
        let sample = Sample { class: "text".to_owned(), text: sample.to_owned() };
        let ty = ColumnType { length, ..ColumnType::default() };
        let column = Column { name: column.to_owned(), ty, samples: vec![sample], ..Column::default() };
        let table = Table { name: table.to_owned(), ..Table::default() };
        is_secret(&table, &column, &FieldType::plain(rust))
    }

    #[test]
    fn names_that_products_give_their_secrets_are_found() {
        for name in [
            "users.pass_crypt",
            "users.pass_salt",
            "wp_users.user_pass",
            "wp_users.user_activation_key",
            "auth_user.password",
            "django_session.session_key",
            "authtoken_token.key",
            "users.remember_token",
            "sessions.id",
            "sessions.payload",
            "users.encryptedPassword",
            "users.otp_secret",
            "accounts.userpasswd",
            "oauth.AccessToken",
            "keys.private_key",
            "clients.ApiKey",
            "api_keys.value",
            "cards.cvv",
            "user.pwd",
            "Benutzer.Passwort",
        ] {
            assert!(found(name, "String", None, ""), "{name}");
        }
        assert!(found("users.hash", "Vec<u8>", None, "") && found("users.digest", "String", Some(64), ""));
        assert!(found("users.pin", "i32", None, "") && found("users.recovery_codes", "Vec<String>", None, ""));
        assert!(found("users.note", "String", None, "$2b$12$abcdefghijklmnopqrstuv"), "by its values");
    }

    #[test]
    fn what_is_said_of_secrets_and_other_names_are_not_secrets() {
        for name in [
            "users.token_type",
            "users.password_changed_at",
            "users.login",
            "people.passport_number",
            "staff.secretary",
            "flights.passenger",
            "rules.bypass",
            "maps.compass",
            "talks.session_name",
            "orders.key",
            "files.content_hash",
            "games.preset_key",
            "books.author_code",
            "spins.spin",
        ] {
            assert!(!found(name, "String", None, ""), "{name}");
        }
        assert!(!found("files.hash", "Vec<u8>", None, "") && !found("users.hash", "String", None, ""));
        assert!(!found("talks.id", "Uuid", None, "") && !found("users.token_count", "i64", None, ""));
        assert!(!found("users.password", "bool", None, ""));
    }
}
