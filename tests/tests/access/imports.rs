//! Imports: they create and change no record that a create and an update would not.

use crud_runtime::prelude::*;
use serde_json::{Value, json};

use crate::support::{Caller, anonymous, caller, on_resources};

/// Records of owners, which editors alone change.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(import, upsert(slug), access(read(authenticated), create(authenticated), update(role("editor"))))]
struct Plot {
    id: i64,
    #[crud(unique)]
    slug: String,
    title: String,
    #[crud(visible(role("buyer")))]
    offer: Option<String>,
    #[crud(owner(except(role("admin"))))]
    user_id: i64,
}

const PARTIAL: &str = "/plots/import?mode=partial";
const UPSERT: &str = "/plots/import?mode=partial&on_conflict=slug";

/// The answer, and its list of errors as `code: detail`.
async fn import(caller: &Caller<'_>, target: &str, file: &str) -> (Value, Vec<String>) {
    let answer = caller.send(target, "text/csv", file).await.into_json();
    let errors = answer["errors"].as_array().cloned().unwrap_or_default();
    let text = |error: &Value| format!("{}: {}", error["code"].as_str().unwrap(), error["detail"].as_str().unwrap());
    let errors = errors.iter().map(text).collect();
    (answer, errors)
}

#[test]
fn an_import_does_what_the_caller_may_do() {
    on_resources(Service::resource::<Plot>, async |api| {
        let (ada, bob) = (caller(api, "1", &["buyer"], &[]), caller(api, "2", &["editor"], &[]));
        anonymous(api).send(PARTIAL, "text/csv", "slug\n").await.problem("authentication_failed");
        // The owner is the caller, whatever the file says.
        let (created, _) = import(&ada, PARTIAL, "slug,title,offer\na,of ada,9\n").await;
        assert_eq!(created["created"], 1);
        let (refused, errors) = import(&ada, PARTIAL, "slug,title,user_id\nb,x,2\n").await;
        assert_eq!((&refused["created"], errors.len()), (&json!(0), 1), "{refused}");
        // A field that the caller does not see is no field.
        let refused = bob.send(PARTIAL, "text/csv", "slug,title,offer\nb,x,9\n").await.problem("validation_failed");
        let unknown = bob.send(PARTIAL, "text/csv", "slug,title,offre\nb,x,9\n").await.problem("validation_failed");
        assert_eq!(refused.detail, unknown.detail.replace("offre", "offer"));
        // Upserts need the access of updates, and change no record of another owner.
        ada.send(UPSERT, "text/csv", "slug,title\na,x\n").await.problem("permission_denied");
        let (refused, errors) = import(&bob, UPSERT, "slug,title\na,of bob\nc,of bob\n").await;
        assert_eq!((&refused["created"], &refused["updated"], &refused["failed"]), (&json!(1), &json!(0), &json!(1)));
        assert_eq!(errors, ["conflict: slug: is taken by another record"]);
        let (ignored, errors) = import(&bob, &format!("{UPSERT}&conflict=ignore"), "slug,title\na,of bob\n").await;
        assert_eq!((&ignored["skipped"], errors.len()), (&json!(0), 1), "it is not said to be there");
        let (updated, _) = import(&bob, UPSERT, "slug,title\nc,again\n").await;
        assert_eq!(updated["updated"], 1);
        let of_ada = ada.get("/plots").await.ok();
        assert_eq!(of_ada[0]["title"], "of ada");
    });
}
