//! The responses that the program adds to an operation.

use std::collections::BTreeMap;

use utoipa::openapi::{RefOr, Response};

/// Adds responses, by their statuses or ranges such as `4XX`.
///
/// A response that the operation has already gets the media types of the added response that covers its status, and may
/// then be either. A response of the components is copied from there.
pub(super) fn add(
    to: &mut BTreeMap<String, RefOr<Response>>,
    added: &BTreeMap<String, RefOr<Response>>,
    components: &BTreeMap<String, RefOr<Response>>,
) {
    for (status, response) in added {
        if let RefOr::T(response) = response {
            let covered = to.iter_mut().filter(|(known, _)| covers(status, known));
            covered.for_each(|(_, known)| add_content(known, response, components));
        }
        to.entry(status.clone()).or_insert_with(|| response.clone());
    }
}

/// Whether a status is an added one, or in its range.
fn covers(added: &str, status: &str) -> bool {
    added == status || added.strip_suffix("XX").is_some_and(|class| status.starts_with(class))
}

fn add_content(known: &mut RefOr<Response>, added: &Response, components: &BTreeMap<String, RefOr<Response>>) {
    if let RefOr::Ref(reference) = known {
        let name = reference.ref_location.rsplit('/').next().unwrap_or_default();
        if let Some(component) = components.get(name) {
            *known = component.clone();
        }
    }
    if let RefOr::T(known) = known {
        for (media_type, content) in &added.content {
            known.content.entry(media_type.clone()).or_insert_with(|| content.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use utoipa::openapi::{Content, Ref};

    use super::*;

    fn response(description: &str, media_type: &str) -> RefOr<Response> {
        let mut response = Response::new(description);
        response.content.insert(media_type.to_owned(), RefOr::T(Content::default()));
        RefOr::T(response)
    }

    fn reference(name: &str) -> RefOr<Response> {
        RefOr::Ref(Ref::new(format!("#/components/responses/{name}")))
    }

    fn with(responses: impl IntoIterator<Item = (&'static str, RefOr<Response>)>) -> BTreeMap<String, RefOr<Response>> {
        responses.into_iter().map(|(status, response)| (status.to_owned(), response)).collect()
    }

    fn media_types(response: &RefOr<Response>) -> Vec<&str> {
        match response {
            RefOr::T(response) => response.content.keys().map(String::as_str).collect(),
            RefOr::Ref(reference) => vec![reference.ref_location.as_str()],
        }
    }

    #[test]
    fn statuses_in_an_added_range_may_have_its_media_types() {
        let components = with([("Missing", response("not found", "application/problem+json"))]);
        let mut of =
            with([("200", response("ok", "text/plain")), ("404", reference("Missing")), ("5XX", reference("Failed"))]);
        add(&mut of, &with([("4XX", response("refused", "application/json"))]), &components);
        assert_eq!(media_types(&of["404"]), ["application/problem+json", "application/json"]);
        assert_eq!(media_types(&of["4XX"]), ["application/json"]);
        assert_eq!(media_types(&of["200"]), ["text/plain"]);
        assert_eq!(media_types(&of["5XX"]), ["#/components/responses/Failed"]);
        add(&mut of, &with([("200", response("other", "text/plain")), ("201", reference("Made"))]), &components);
        let RefOr::T(ok) = &of["200"] else { panic!("a response") };
        assert_eq!(ok.description, "ok");
        assert_eq!(media_types(&of["201"]), ["#/components/responses/Made"]);
    }
}
