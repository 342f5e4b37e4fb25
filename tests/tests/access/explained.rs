//! Records that a principal sees, and the policy that hides one: `crud routes --as` and `crud explain` print it.

use crud_runtime::auth::{Auth, Principal};
use crud_runtime::prelude::*;
use crud_tests::on_each_backend;

use crate::support::{SECRET, secured};

#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(access(all(authenticated)))]
struct Case {
    id: i64,
    lawyer_id: i64,
}

/// Papers of cases: assistants read those of their lawyers' cases, and everyone changes their own.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    soft_delete,
    access(all(authenticated), delete(role("lawyer"))),
    scope(role("assistant"), case::lawyer_id(claim("lawyer"))),
    scope(write, except(role("admin")), author(me))
)]
struct Brief {
    id: i64,
    #[crud(references(Case))]
    case_id: i64,
    author: String,
    deleted_at: Option<DateTime<Utc>>,
}

/// A brief of the case of the lawyer 3, by ann, one of the lawyer 4, by bob, and a deleted one of the first.
async fn with_briefs(service: Service) -> Service {
    let service = secured(service).resource::<Case>().resource::<Brief>().migrate().await.expect("the tables");
    let (cases, briefs) = (service.store::<Case>(), service.store::<Brief>());
    for (lawyer, author) in [(3, "ann"), (4, "bob"), (3, "ann")] {
        let case = cases.create(NewCase::new(lawyer)).await.expect("a case");
        briefs.create(NewBrief::new(case.id, author)).await.expect("a brief");
    }
    briefs.delete(3).await.expect("the third");
    service
}

fn assistant() -> Principal {
    Principal::new("ann").with_roles(["assistant"]).with_claim("lawyer", 3)
}

#[test]
fn explain_names_what_hides_a_record_and_what_keeps_it() {
    const SCOPE: &str = "scope 1: case::lawyer_id(claim(\"lawyer\"))";
    const WRITE: &str = "scope(write) 1: author(me)";
    on_each_backend(async |database| {
        let service = with_briefs(database.service().await).await;
        let admin = Principal::new("root").with_roles(["admin"]);
        let other = Principal::new("bob").with_roles(["assistant"]);
        for (principal, id, hidden, kept) in [
            (Some(assistant()), 1, vec![], vec![]),
            (Some(assistant()), 2, vec![SCOPE], vec![WRITE]),
            (Some(assistant()), 3, vec!["soft delete"], vec![]),
            (Some(other), 2, vec![SCOPE], vec![]),
            (Some(Principal::new("eve")), 1, vec![], vec![WRITE]),
            (Some(admin), 1, vec![], vec![]),
            (None, 1, vec!["access: get"], vec!["access: update", WRITE]),
        ] {
            let explained =
                service.model().unwrap().explain::<Brief>(principal.as_ref(), Some(id)).await.expect("an explanation");
            let record = explained.record.clone().expect("it was asked for");
            assert_eq!(
                (record.hidden_by, record.unchangeable_by),
                (
                    hidden.iter().map(ToString::to_string).collect::<Vec<_>>(),
                    kept.iter().map(ToString::to_string).collect::<Vec<_>>(),
                ),
                "{principal:?}, {id}"
            );
            assert_eq!(explained.is_visible(), hidden.is_empty());
        }
        let missing =
            service.model().unwrap().explain::<Brief>(Some(&assistant()), Some(9)).await.expect("an explanation");
        assert!(!missing.is_visible() && missing.to_string().ends_with("Brief 9: there is none\n"), "{missing}");
        let explained = service
            .model()
            .unwrap()
            .explain::<Brief>(Some(&assistant()), Some(2))
            .await
            .expect("an explanation")
            .to_string();
        for line in [
            "delete        no   role(\"lawyer\")",
            &format!("reads: {SCOPE}"),
            &format!("changes: {WRITE}"),
            &format!("Brief 2: hidden by {SCOPE}"),
            &format!("Brief 2: not to be changed, by {WRITE}"),
        ] {
            assert!(explained.lines().any(|known| known == line), "{line}\n{explained}");
        }
    });
}

/// Memos, which their authors change for a quarter of an hour.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(access(all(authenticated)), scope(write, author(me), within(written, "15m")))]
struct Memo {
    id: i64,
    author: String,
    written: DateTime<Utc>,
}

#[test]
fn explain_names_the_time_that_keeps_a_record() {
    const WRITE: &str = "scope(write) 1: author(me), within(written, \"15m\")";
    on_each_backend(async |database| {
        let service = secured(database.service().await).resource::<Memo>().migrate().await.expect("the table");
        let (memos, ann) = (service.store::<Memo>(), Principal::new("ann"));
        let old = "2020-01-31T12:00:00Z".parse().expect("a time");
        for (written, kept) in [(Utc::now(), vec![]), (old, vec![WRITE])] {
            let memo = memos.create(NewMemo::new("ann", written)).await.expect("a memo");
            let explained =
                service.model().unwrap().explain::<Memo>(Some(&ann), Some(memo.id)).await.expect("an explanation");
            assert_eq!(explained.changes, [WRITE]);
            assert_eq!(explained.record.expect("it was asked for").unchangeable_by, kept, "{written}");
        }
    });
}

/// Plans of teams, which support reads in each.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(access(all(authenticated)))]
struct Plan {
    id: i64,
    #[crud(tenant(except(role("support"))))]
    team_id: i64,
    title: String,
}

#[test]
fn explain_names_the_tenant_that_hides_a_record() {
    on_each_backend(async |database| {
        let auth = Auth::builder().secret(SECRET).tenant_claim("team").build().expect("the authentication");
        let service = database.service().await.auth(auth).resource::<Plan>().migrate().await.expect("the table");
        let plan = service.store::<Plan>().tenant(1).create(NewPlan::new("a")).await.expect("a plan");
        for (principal, hidden) in [
            (Principal::new("7").with_tenant(1), vec![]),
            (Principal::new("7").with_tenant(2), vec!["tenant: team_id"]),
            (Principal::new("7"), vec!["tenant: team_id"]),
            (Principal::new("7").with_roles(["support"]), vec![]),
        ] {
            let explained = service
                .model()
                .unwrap()
                .explain::<Plan>(Some(&principal), Some(plan.id))
                .await
                .expect("an explanation");
            assert_eq!(explained.record.expect("it was asked for").hidden_by, hidden, "{principal:?}");
        }
    });
}

#[test]
fn routes_of_a_principal_say_which_it_reaches_and_which_records() {
    on_each_backend(async |database| {
        let service = with_briefs(database.service().await).await;
        let table = service.model().expect("the table").access_table_of(Some(&assistant()));
        let reached = |method: &str, path: &str| {
            let of = |route: &&crud_runtime::access::RouteAccess| route.method == method && route.path == path;
            let route = table.routes().iter().find(of).expect("the route");
            (route.is_reached, route.records.len())
        };
        assert_eq!(reached("GET", "/briefs"), (Some(true), 1));
        assert_eq!(reached("PATCH", "/briefs/{id}"), (Some(true), 2));
        assert_eq!(reached("DELETE", "/briefs/{id}").0, Some(false));
        assert_eq!(reached("GET", "/cases/{id}"), (Some(true), 0));
        assert_eq!(reached("GET", "/health"), (Some(true), 0));
        let printed = table.to_string();
        let line =
            printed.lines().find(|line| line.contains("PATCH") && line.contains("/briefs/{id}")).expect("the line");
        assert!(
            line.ends_with("yes: scope 1: case::lawyer_id(claim(\"lawyer\")); scope(write) 1: author(me)"),
            "{line}"
        );
        let line = printed
            .lines()
            .find(|line| line.starts_with("DELETE") && line.contains("/briefs/{id} "))
            .expect("the line");
        assert!(line.ends_with("no"), "{line}");
        let anonymous = service.model().expect("the table").access_table_of(None);
        let is_open = anonymous.routes().iter().all(|route| route.is_reached == Some(route.is_open));
        assert!(is_open, "{anonymous}");
    });
}
