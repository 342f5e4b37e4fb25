use std::sync::Mutex;

use crud_runtime::auth::{Auth, UserChange, UserHooks};
use crud_runtime::error::{Code, FieldError};
use crud_runtime::prelude::*;
use crud_runtime::{BoxError, Error, Job};
use crud_tests::{Database, on_each_backend, on_each_sql_backend};
use serde::{Deserialize, Serialize};

use crate::resources::{Part, part};

/// Changes that the hooks have seen.
#[derive(Default)]
struct Seen(Mutex<Vec<String>>);

fn lower_case(change: &UserChange) -> Result<(), Problem> {
    if change.username().chars().any(char::is_uppercase) {
        return Err(Problem::validation([FieldError::field("username", "case", "must be in lower case")]));
    }
    Ok(())
}

async fn auditors_may_purge(change: &mut UserChange, _: &mut HookContext<'_>) -> Result<(), Problem> {
    if change.user().roles.iter().any(|role| role == "auditor") {
        change.user_mut().permissions = vec!["purge".into()];
    }
    Ok(())
}

#[derive(Serialize, Deserialize)]
struct Welcome(String);

impl Job for Welcome {
    const KIND: &str = "welcome";

    async fn run(self, _: App) -> Result<(), BoxError> {
        Ok(())
    }
}

/// Every user has a part, and one with the role `fail` is refused after it was written.
async fn add_part(change: &UserChange, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    assert!(!change.user().subject.is_empty(), "it is written");
    if change.previous().is_none() {
        ctx.as_program().store::<Part>().create(part(change.username(), 1)).await?;
        ctx.enqueue(Welcome(change.username().to_owned())).await?;
    }
    if change.user().roles.iter().any(|role| role == "fail") {
        return Err(Problem::new(Code::Conflict, "not today"));
    }
    Ok(())
}

async fn note(change: UserChange, app: App) {
    let old = change.previous().map(|user| user.roles.join("+")).unwrap_or_default();
    let line = format!("{}: {old} -> {}", change.username(), change.user().roles.join("+"));
    app.extension::<Seen>().expect("it is provided").0.lock().expect("no test panics").push(line);
}

async fn service(database: &Database) -> Service {
    let hooks = UserHooks::new().validate(lower_case).before(auditors_may_purge).after(add_part).committed(note);
    let auth = Auth::builder().secret("a secret of at least thirty-two bytes").user_hooks(hooks).build().unwrap();
    let service = database.service().await.auth(auth).resource::<Part>().extension(Seen::default());
    service.job::<Welcome>()
}

#[test]
fn changes_of_users_have_the_programs_rules_in_one_transaction() {
    on_each_sql_backend(async |database| {
        let test = service(database).await.test().await.unwrap();
        let users = test.users();
        let parts = async || test.store::<Part>().count(Select::all()).await.unwrap();
        let ada = users.create_user("ada", "correct horse").await.unwrap();
        assert_eq!(parts().await, 1);
        let refused = users.create_user("Bob", "correct horse").await.unwrap_err();
        assert!(matches!(&refused, Error::Problem(problem) if problem.errors()[0].code() == "case"), "{refused:?}");
        // The name is taken: the part of the second is rolled back with it.
        assert!(users.create_user("ada", "correct horse").await.is_err());
        assert_eq!(users.set_roles("ada", ["auditor"]).await.unwrap().permissions, ["purge"]);
        assert!(users.set_roles("ada", ["fail"]).await.is_err());
        users.set_roles("ada", ["auditor"]).await.unwrap();
        let disabled = users.disable("ada").await.unwrap();
        assert!(disabled.disabled && disabled.roles == ["auditor"] && disabled.subject == ada.subject);
        users.set_password("ada", "another horse").await.unwrap();
        assert_eq!(parts().await, 1);
        assert_eq!(test.app().jobs().list(Some("welcome"), None, 0, 9).await.unwrap().total, 1);
        let lines = || test.app().extension::<Seen>().unwrap().0.lock().unwrap().clone();
        crud_tests::wait_until("the hooks after the commits", async || lines().len() == 4).await;
        let mut lines = lines();
        lines.sort();
        assert_eq!(lines, ["ada:  -> ", "ada:  -> auditor", "ada: auditor -> auditor", "ada: auditor -> auditor"]);
    });
}

#[test]
fn hooks_of_users_need_transactions_and_the_services_own_table() {
    on_each_backend(async |database| {
        let is_interactive = database.backend().is_interactive();
        assert_eq!(service(database).await.into_router().is_ok(), is_interactive);
    });
}
