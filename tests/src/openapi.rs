//! Checks that the service's OpenAPI document declares a response.

use serde_json::Value;

/// The document with the parameters and responses of the components in place of the references to them.
#[must_use]
pub fn inlined(document: &Value) -> Value {
    let mut inlined = document.clone();
    inline(&mut inlined["paths"], document);
    inlined
}

fn inline(value: &mut Value, document: &Value) {
    let reference = value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    let is_shared =
        |name: &&str| ["/components/parameters/", "/components/responses/"].iter().any(|of| name.starts_with(of));
    if let Some(shared) = reference.filter(is_shared).and_then(|name| document.pointer(name)) {
        *value = shared.clone();
        return;
    }
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| inline(item, document)),
        Value::Object(members) => members.values_mut().for_each(|member| inline(member, document)),
        _ => {}
    }
}

/// An OpenAPI document that answers are checked against.
#[derive(Debug)]
pub(crate) struct OpenApi(Value);

impl OpenApi {
    pub(crate) fn new(document: Value) -> Self {
        Self(document)
    }

    /// Checks an answer's status, media type and, of a problem, code.
    ///
    /// # Errors
    /// Undeclared parts.
    pub(crate) fn check(
        &self,
        method: &str,
        target: &str,
        status: u16,
        media_type: Option<&str>,
        code: Option<&str>,
    ) -> Result<(), String> {
        let path = target.split(['?', '#']).next().unwrap_or_default();
        let operation = operation(method).and_then(|name| self.item(path)?.get(name));
        let Some(operation) = operation else {
            // A path or method that is not in the document must not exist, but for the files of its page.
            let is_of_page = path == "/favicon.ico" || path.starts_with("/docs/");
            return if is_of_page || matches!(status, 204 | 404 | 405) {
                Ok(())
            } else {
                Err("is to an operation that the document does not have".to_owned())
            };
        };
        let responses = &operation["responses"];
        let range = || responses.get(format!("{}XX", status / 100));
        let Some(response) = responses.get(status.to_string()).or_else(range).and_then(|found| self.resolved(found))
        else {
            return Err(format!("has the status {status}, which the document does not declare here"));
        };
        match media_type.and_then(|media_type| media_type.split(';').next()).filter(|_| method != "HEAD") {
            Some(media_type) if response["content"].get(media_type).is_none() => {
                Err(format!("is {media_type}, which the document does not declare here"))
            }
            Some("application/problem+json") => {
                let codes = operation["x-problems"].as_array().into_iter().flatten();
                let examples = &response["content"]["application/problem+json"]["examples"];
                let is_told = status >= 500 || examples.as_object().is_some_and(|examples| examples.len() == 1);
                let is_declared =
                    |code: &str| !examples[code].is_null() && (is_told || codes.clone().any(|known| known == code));
                match code.filter(|code| !is_declared(code)) {
                    Some(code) => Err(format!("has the code {code}, which the document does not declare here")),
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    /// The target of a `$ref`, or the value itself.
    fn resolved<'a>(&'a self, value: &'a Value) -> Option<&'a Value> {
        match value["$ref"].as_str() {
            Some(reference) => self.0.pointer(reference.strip_prefix('#')?),
            None => Some(value),
        }
    }

    /// The path's item: an equal path, or else a matching template.
    fn item(&self, path: &str) -> Option<&Value> {
        let paths = self.0["paths"].as_object()?;
        paths.get(path).or_else(|| paths.iter().find(|(template, _)| matches(template, path)).map(|(_, item)| item))
    }
}

/// The name of a method's operation.
fn operation(method: &str) -> Option<&'static str> {
    let names = [
        ("GET", "get"),
        ("HEAD", "get"),
        ("QUERY", "query"),
        ("POST", "post"),
        ("PUT", "put"),
        ("PATCH", "patch"),
        ("DELETE", "delete"),
    ];
    names.into_iter().find(|(known, _)| *known == method).map(|(_, name)| name)
}

/// Whether a path matches a template such as `/products/{id}`.
fn matches(template: &str, path: &str) -> bool {
    let (template, path): (Vec<_>, Vec<_>) = (template.split('/').collect(), path.split('/').collect());
    // Clients and servers remove dot segments (RFC 3986, section 5.2.4): none is a key.
    let is_dot = |segment: &str| matches!(segment.replace("%2e", ".").replace("%2E", ".").as_str(), "." | "..");
    let is_key = |given: &str| !given.is_empty() && !is_dot(given);
    template.len() == path.len()
        && template.iter().zip(path).all(|(part, given)| *part == given || (part.starts_with('{') && is_key(given)))
}
