//! A body that is an object of required strings, deserialized in one pass that reports every error.

use std::borrow::Cow;

use crud_shared::spelling;
use serde::de::MapAccess;

use super::malformed;
use super::pointer::Pointer;
use super::seed::{Nesting, ReadJson, Seed, discard};
use super::value::TextSeed;
use crate::model::problem::{FieldError, FieldErrors, Problem};

/// The strings of the members `names`; `schema` is the object's name in error texts.
///
/// # Errors
/// `malformed_json`; `validation_failed` with every missing, unknown or duplicate member and every one that is not a
/// string.
pub(crate) fn string_members<const N: usize>(
    bytes: &[u8],
    schema: &'static str,
    names: [&'static str; N],
) -> Result<[String; N], Problem> {
    let mut errors = FieldErrors::default();
    let mut strings = [const { String::new() }; N];
    let seed = StringsSeed { schema, names: &names, values: &mut strings, errors: &mut errors };
    Seed(seed).read_all(bytes).map_err(|error| malformed(&error))?;
    errors.into_result(strings)
}

struct StringsSeed<'a> {
    schema: &'static str,
    names: &'a [&'static str],
    values: &'a mut [String],
    errors: &'a mut FieldErrors,
}

impl StringsSeed<'_> {
    fn report_unknown(&mut self, name: &str) {
        let Self { schema, names, .. } = *self;
        let nearest = || spelling::nearest(name, names.iter().copied()).map(str::to_owned);
        self.errors.push_unknown(nearest, |hint| {
            FieldError::field(name, "unknown_field", format!("is not a field of {schema}{hint}"))
        });
    }
}

impl ReadJson for StringsSeed<'_> {
    fn refuse(self) {
        self.errors.push(FieldError::pointer("", "type", "must be an object"));
    }

    fn object<'de, A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        let mut seen = vec![false; self.names.len()];
        while let Some(name) = map.next_key::<Cow<'de, str>>()? {
            let Some(index) = self.names.iter().position(|known| *known == name) else {
                map.next_value_seed(discard())?;
                self.report_unknown(&name);
                continue;
            };
            if std::mem::replace(&mut seen[index], true) {
                map.next_value_seed(discard())?;
                self.errors.push_with(|| FieldError::field(&name, "duplicate", "must be given only once"));
                continue;
            }
            let seed = TextSeed { pointer: Pointer::Field(&name), errors: self.errors, nesting: Nesting::body() };
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
        string_members(json.as_bytes(), "TokenRequest", ["username", "password"])
    }

    #[test]
    fn strings_follow_the_order_of_names() {
        assert_eq!(read(r#"{"password":"p","username":"u"}"#).unwrap(), ["u", "p"]);
    }

    #[test]
    fn every_error_is_reported() {
        let problem = read(r#"{"username":1,"usernam":"u","username":"u","x":{}}"#).unwrap_err();
        let errors: Vec<String> = problem.errors().iter().map(ToString::to_string).collect();
        assert_eq!(
            errors,
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
    fn other_json_and_malformed_json_are_refused() {
        for json in ["1", "[]", "null", "\"x\"", "true"] {
            assert_eq!(read(json).unwrap_err().code(), Code::ValidationFailed, "{json}");
        }
        for json in ["", "{", "{}x"] {
            assert_eq!(read(json).unwrap_err().code(), Code::MalformedJson, "{json}");
        }
    }
}
