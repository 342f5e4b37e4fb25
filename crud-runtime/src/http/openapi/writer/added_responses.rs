//! The responses that the program adds to an operation.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// Adds responses, by their statuses or ranges such as `4XX`.
///
/// A response that the operation has already gets the media types of the added response that covers its status, and may
/// then be either. A response of the components is copied from there.
pub(super) fn add(to: &mut BTreeMap<String, Value>, added: Map<String, Value>, components: &BTreeMap<String, Value>) {
    for (status, response) in added {
        if response.get("$ref").is_none() {
            let covered = to.iter_mut().filter(|(known, _)| covers(&status, known));
            covered.for_each(|(_, known)| add_content(known, &response, components));
        }
        to.entry(status).or_insert(response);
    }
}

/// Whether a status is an added one, or in its range.
fn covers(added: &str, status: &str) -> bool {
    added == status || added.strip_suffix("XX").is_some_and(|class| status.starts_with(class))
}

fn add_content(known: &mut Value, added: &Value, components: &BTreeMap<String, Value>) {
    if let Some(reference) = known.get("$ref").and_then(Value::as_str) {
        let name = reference.rsplit('/').next().unwrap_or_default();
        match components.get(name) {
            Some(component) => *known = component.clone(),
            None => return,
        }
    }
    let Some(Value::Object(added)) = added.get("content") else { return };
    let Some(known) = known.as_object_mut() else { return };
    // Links are behind the content.
    let links = known.shift_remove("links");
    let content = known.entry("content").or_insert_with(|| json!({}));
    for (media_type, of) in added {
        if content.get(media_type).is_none() {
            content[media_type] = of.clone();
        }
    }
    known.extend(links.map(|links| ("links".to_owned(), links)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(description: &str, media_type: &str) -> Value {
        json!({ "description": description, "content": { media_type: {} } })
    }

    fn reference(name: &str) -> Value {
        json!({ "$ref": format!("#/components/responses/{name}") })
    }

    fn with<M: FromIterator<(String, Value)>>(responses: impl IntoIterator<Item = (&'static str, Value)>) -> M {
        responses.into_iter().map(|(status, response)| (status.to_owned(), response)).collect()
    }

    fn media_types(response: &Value) -> Vec<&str> {
        match response["content"].as_object() {
            Some(content) => content.keys().map(String::as_str).collect(),
            None => response["$ref"].as_str().into_iter().collect(),
        }
    }

    #[test]
    fn statuses_in_an_added_range_may_have_its_media_types() {
        let components = with([("Missing", response("not found", "application/problem+json"))]);
        let mut of =
            with([("200", response("ok", "text/plain")), ("404", reference("Missing")), ("5XX", reference("Failed"))]);
        add(&mut of, with([("4XX", response("refused", "application/json"))]), &components);
        assert_eq!(media_types(&of["404"]), ["application/problem+json", "application/json"]);
        assert_eq!(media_types(&of["4XX"]), ["application/json"]);
        assert_eq!(media_types(&of["200"]), ["text/plain"]);
        assert_eq!(media_types(&of["5XX"]), ["#/components/responses/Failed"]);
        add(&mut of, with([("200", response("other", "text/plain")), ("201", reference("Made"))]), &components);
        assert_eq!(of["200"]["description"], "ok");
        assert_eq!(media_types(&of["201"]), ["#/components/responses/Made"]);
    }

    #[test]
    fn content_is_before_the_links() {
        let mut of = with([("200", json!({ "description": "ok", "links": {} }))]);
        add(&mut of, with([("200", response("ok", "text/plain"))]), &BTreeMap::new());
        assert_eq!(of["200"].to_string(), r#"{"description":"ok","content":{"text/plain":{}},"links":{}}"#);
    }
}
