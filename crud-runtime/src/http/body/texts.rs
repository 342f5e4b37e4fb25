//! A body that is an object of texts, all of them required, read in one pass that finds every mistake.

use std::borrow::Cow;

use crud_shared::spelling;
use serde::de::{DeserializeSeed, MapAccess};

use super::json::{Discard, Nesting};
use super::malformed;
use super::object::{Object, ReadObject};
use super::value::{Place, TextSeed};
use crate::model::problem::{FieldError, FieldErrors, Problem};
use crate::model::scalar;

/// The texts of these names; `what` is what the object is called.
///
/// # Errors
/// `malformed_json`; `validation_failed` with every member that is missing, unknown, there twice or no text.
pub(crate) fn texts<const N: usize>(
    bytes: &[u8],
    what: &'static str,
    names: [&'static str; N],
) -> Result<[String; N], Problem> {
    let mut errors = FieldErrors::default();
    let mut texts = [const { String::new() }; N];
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let seed = Texts { what, names: &names, values: &mut texts, errors: &mut errors };
    Object(seed).deserialize(&mut deserializer).and_then(|()| deserializer.end()).map_err(|error| malformed(&error))?;
    errors.into_result(texts)
}

struct Texts<'a> {
    what: &'static str,
    names: &'a [&'static str],
    values: &'a mut [String],
    errors: &'a mut FieldErrors,
}

impl Texts<'_> {
    fn refuse_unknown(&mut self, name: &str) {
        let hint = scalar::did_you_mean(spelling::nearest(name, self.names.iter().copied()));
        self.errors.push(FieldError::field(name, "unknown_field", format!("is not a field of {}{hint}", self.what)));
    }
}

impl ReadObject for Texts<'_> {
    fn refuse(self) {
        self.errors.push(FieldError::pointer("", "type", "must be an object"));
    }

    fn read<'de, A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        let mut seen = vec![false; self.names.len()];
        while let Some(name) = map.next_key::<Cow<'de, str>>()? {
            let Some(index) = self.names.iter().position(|known| *known == name) else {
                map.next_value_seed(Discard(Nesting::body()))?;
                self.refuse_unknown(&name);
                continue;
            };
            if std::mem::replace(&mut seen[index], true) {
                map.next_value_seed(Discard(Nesting::body()))?;
                self.errors.push(FieldError::field(&name, "duplicate", "must be given only once"));
                continue;
            }
            let seed = TextSeed { place: Place::Field(&name), errors: self.errors, nesting: Nesting::body() };
            if let Some(text) = map.next_value_seed(seed)? {
                self.values[index] = text;
            }
        }
        for (name, _) in self.names.iter().zip(seen).filter(|(_, seen)| !seen) {
            self.errors.push(FieldError::field(name, "required", "is required"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::problem::Code;

    fn read(json: &str) -> Result<[String; 2], Problem> {
        texts(json.as_bytes(), "TokenRequest", ["username", "password"])
    }

    #[test]
    fn texts_come_in_the_order_of_their_names() {
        assert_eq!(read(r#"{"password":"p","username":"u"}"#).unwrap(), ["u", "p"]);
    }

    #[test]
    fn every_mistake_is_told() {
        let problem = read(r#"{"username":1,"usernam":"u","username":"u","x":{}}"#).unwrap_err();
        let told: Vec<String> = problem.errors().iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "username: must be a string",
                "usernam: is not a field of TokenRequest; did you mean `username`?",
                "username: must be given only once",
                "x: is not a field of TokenRequest",
                "password: is required",
            ]
        );
    }

    #[test]
    fn what_is_no_object_or_no_json_is_refused() {
        for json in ["1", "[]", "null", "\"x\"", "true"] {
            assert_eq!(read(json).unwrap_err().code(), Code::ValidationFailed, "{json}");
        }
        for json in ["", "{", "{}x"] {
            assert_eq!(read(json).unwrap_err().code(), Code::MalformedJson, "{json}");
        }
    }
}
