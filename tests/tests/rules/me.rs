//! `me` as the value of a filter: the caller's own id, on fields that have the ids of principals.

use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;
use crud_tests::fixtures::column;
use crud_tests::{Answer, Api, on_each_backend, query};
use serde_json::{Value, json};

use crate::caller::{SECRET, bearer};

/// An issue, whose author is a number, and whose assignee is compared with the subject for some.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter,
    sort(id),
    pagination,
    access(all(authenticated), read(public)),
    scope(role("guest"), assignee(claim("sub")))
)]
struct Issue {
    id: i64,
    #[crud(owner(except(role("staff")), assign(role("staff"))))]
    author_id: i64,
    assignee: Option<String>,
    title: String,
}

/// A remark, which lists filter by the author of its issue.
#[derive(Debug, Clone, Resource)]
#[crud(filter(issue::author_id), pagination, access(all(authenticated)))]
struct Remark {
    id: i64,
    #[crud(references(Issue, any))]
    issue_id: i64,
}

struct World<'a> {
    api: &'a Api,
}

impl World<'_> {
    async fn get(&self, subject: &str, roles: &[&str], target: &str) -> Answer {
        self.api.get(target).header("authorization", &bearer(subject, roles)).await
    }

    async fn titles(&self, subject: &str, target: &str) -> Vec<Value> {
        column(&self.get(subject, &["staff"], target).await.ok(), "title")
    }
}

#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_issues(test: impl AsyncFn(&World<'_>)) {
    on_each_backend(async |database| {
        let auth = Auth::builder().secret(SECRET).build().expect("the authentication");
        let service = database.service().await.auth(auth).resource::<Issue>().resource::<Remark>();
        let service = service.migrate().await.expect("the tables");
        let app = service.app();
        for (author, assignee, title) in
            [(7, Some("8"), "a"), (8, Some("7"), "b"), (9, None, "c"), (7, Some("me"), "me")]
        {
            let new = NewIssue { author_id: author, assignee: assignee.map(str::to_owned), title: title.to_owned() };
            let issue = app.store::<Issue>().create(new).await.expect("an issue");
            app.store::<Remark>().create(NewRemark::new(issue.id)).await.expect("a remark");
        }
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        test(&World { api: &api }).await;
        api.stop().await;
    });
}

#[test]
fn me_is_the_caller_in_the_type_of_the_field() {
    on_issues(async |world| {
        assert_eq!(world.titles("7", "/issues?author_id=me&sort=id").await, ["a", "me"]);
        assert_eq!(world.titles("8", "/issues?author_id=me").await, ["b"]);
        assert_eq!(world.titles("7", "/issues?author_id__ne=me&sort=id").await, ["b", "c"]);
        assert_eq!(world.titles("7", "/issues?author_id__in=me,9&sort=id").await, ["a", "c", "me"]);
        assert_eq!(world.titles("7", "/issues?author_id__nin=me,9").await, ["b"]);
        assert_eq!(world.titles("7", "/issues?assignee=me").await, ["b"], "not the text `me`");
        assert_eq!(world.titles("8", "/issues?assignee=me").await, ["a"]);
        let condition = json!({ "or": [{ "author_id": "me" }, { "assignee__in": ["me"] }] }).to_string();
        let target = query("/issues", [("where", condition.as_str()), ("sort", "id")]);
        assert_eq!(world.titles("8", &target).await, ["a", "b"]);
        assert_eq!(world.get("7", &["staff"], "/remarks?issue.author_id=me").await.ok()["total"], 2);
    });
}

#[test]
fn me_is_a_text_like_others_on_other_fields() {
    on_issues(async |world| {
        assert_eq!(world.titles("7", "/issues?title=me").await, ["me"]);
        assert_eq!(world.titles("7", "/issues?title__in=me,a&sort=id").await, ["a", "me"]);
        let refused = world.get("7", &["staff"], "/issues?id=me").await.problem("validation_failed");
        assert_eq!(refused.parameters(), ["id"]);
        // A pattern is no value.
        assert_eq!(world.titles("7", "/issues?assignee__contains=me").await, ["me"]);
    });
}

#[test]
fn me_needs_a_caller_whose_id_a_record_can_have() {
    on_issues(async |world| {
        let refused = world.api.get("/issues?author_id=me").await.problem("validation_failed");
        assert_eq!(refused.parameters(), ["author_id"]);
        let refused = world.get("ann", &["staff"], "/issues?author_id=me").await.problem("validation_failed");
        assert_eq!(refused.parameters(), ["author_id"]);
        assert_eq!(world.titles("ann", "/issues?assignee=me").await, [""; 0]);
    });
}

#[test]
fn me_does_not_widen_a_scope() {
    on_issues(async |world| {
        // The owner's condition and the scope apply beside it.
        let own = world.get("7", &["guest"], "/issues?author_id=me&sort=id").await.ok();
        assert_eq!(own["total"], 0, "{own}");
        let own = world.get("8", &["guest"], "/issues?assignee=me").await.ok();
        assert_eq!(own["total"], 0, "issue `a` is of another owner: {own}");
    });
}

#[test]
fn document_describes_me_on_the_fields_that_take_it() {
    on_issues(async |world| {
        let document = world.api.get("/openapi.json").await.ok();
        let parameters = document["paths"]["/issues"]["get"]["parameters"].as_array().expect("parameters");
        let resolved = |parameter: &Value| match parameter["$ref"].as_str() {
            Some(reference) => document.pointer(reference.trim_start_matches('#')).expect("a component").clone(),
            None => parameter.clone(),
        };
        let parameters: Vec<Value> = parameters.iter().map(resolved).collect();
        let described = |name: &str| {
            let parameter = parameters.iter().find(|parameter| parameter["name"] == name);
            let parameter = parameter.unwrap_or_else(|| panic!("no parameter `{name}`"));
            parameter["description"].as_str().expect("a description").contains("`me` is the caller's own id.")
        };
        for name in ["author_id", "author_id__in", "assignee", "assignee__ne"] {
            assert!(described(name), "{name}");
        }
        for name in ["id", "title", "assignee__contains", "assignee__isnull"] {
            assert!(!described(name), "{name}");
        }
    });
}
