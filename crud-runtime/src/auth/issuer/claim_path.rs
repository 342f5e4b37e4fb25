//! Claims by paths: `realm_access.roles`.

use serde_json::{Map, Value as Json};

/// The claim with this name, or at this path.
pub(super) fn find<'c>(claims: &'c Map<String, Json>, path: &str) -> Option<&'c Json> {
    // Some issuers name claims by URLs, which have dots.
    if let Some(claim) = claims.get(path) {
        return Some(claim);
    }
    path.match_indices('.').find_map(|(at, _)| find(claims.get(&path[..at])?.as_object()?, &path[at + 1..]))
}

/// The names in a claim: the texts of a list, a text, or the names of an object's members.
pub(super) fn names(claim: Option<&Json>) -> Vec<String> {
    match claim {
        Some(Json::String(name)) => vec![name.clone()],
        other => listed(other),
    }
}

/// The names in a claim, as of [`names`], but each word of a text is one.
pub(super) fn words(claim: Option<&Json>) -> Vec<String> {
    match claim {
        Some(Json::String(text)) => text.split_ascii_whitespace().map(str::to_owned).collect(),
        other => listed(other),
    }
}

fn listed(claim: Option<&Json>) -> Vec<String> {
    match claim {
        Some(Json::Array(names)) => names.iter().filter_map(|name| Some(name.as_str()?.to_owned())).collect(),
        Some(Json::Object(members)) => members.keys().cloned().collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whole_name_goes_before_a_path() {
        let claims = json!({
            "roles": ["a"],
            "realm_access": { "roles": ["b"] },
            "https://shop.example/roles": ["c"],
            "resource_access": { "my.shop": { "roles": ["d"] }, "shop": 1 },
            "x.y": 1,
            "x": { "y": 2 },
        });
        let claims = claims.as_object().unwrap();
        for (path, expected) in [
            ("roles", json!(["a"])),
            ("realm_access.roles", json!(["b"])),
            ("https://shop.example/roles", json!(["c"])),
            ("resource_access.my.shop.roles", json!(["d"])),
            ("x.y", json!(1)),
        ] {
            assert_eq!(find(claims, path), Some(&expected), "{path}");
        }
        for path in ["", ".", "realm_access.", ".roles", "roles.a", "resource_access.shop.roles", "realm_access..roles"]
        {
            assert_eq!(find(claims, path), None, "{path}");
        }
    }

    #[test]
    fn names_are_texts_alone() {
        let found = |claim: Json| (names(Some(&claim)), words(Some(&claim)));
        assert_eq!(found(json!(["a", 1, null, "b c"])).0, ["a", "b c"]);
        assert_eq!(found(json!("a b")), (vec!["a b".to_owned()], vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(found(json!({ "admin": {}, "staff": 1 })).1, ["admin", "staff"]);
        for none in [json!(1), json!(null), json!(true)] {
            assert_eq!(found(none), (Vec::new(), Vec::new()));
        }
    }
}
