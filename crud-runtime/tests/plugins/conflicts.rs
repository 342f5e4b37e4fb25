use crud_runtime::Plugin;
use crud_runtime::access::Access;
use crud_runtime::routing::{Routes, get};

use super::{By, message, service};

async fn page() -> &'static str {
    "a page"
}

/// A plugin of another type.
struct Other;

impl Plugin for Other {
    fn name(&self) -> &'static str {
        "notes"
    }
}

#[tokio::test]
async fn second_plugin_of_a_name_is_refused_with_both_types() {
    let service = service().await.plugin(By::named("notes")).unwrap();
    let error = message(service.plugin(Other));
    assert!(error.contains("`notes`") && error.contains("::By") && error.contains("::Other"), "{error}");
}

#[tokio::test]
async fn plugin_that_adds_itself_again_is_refused() {
    let again = By { install: |service| service.plugin(By::named("notes")), ..By::named("notes") };
    assert!(message(service().await.plugin(again)).contains("two plugins have the name `notes`"));
}

#[tokio::test]
async fn missing_requirement_is_an_error_at_start_and_order_does_not_matter() {
    let needing = || By { requires: &["users"], ..By::named("notes") };
    let error = message(service().await.plugin(needing()).unwrap().into_router());
    assert!(error.contains("`notes` requires the plugin `users`") && error.contains(".plugin(…)?"), "{error}");
    let both = service().await.plugin(needing()).unwrap().plugin(By::named("users")).unwrap();
    assert!(both.into_router().is_ok());
}

#[tokio::test]
async fn two_plugins_with_one_path_are_an_error_that_names_both() {
    let installs =
        By { install: |service| Ok(service.route("/board", get(page).access(Access::Public))), ..By::named("board") };
    let collects = By {
        routes: |_| Ok(Routes::new().route("/board", get(page).access(Access::Public))),
        ..By::named("other-board")
    };
    let error = message(service().await.plugin(installs).unwrap().plugin(collects).unwrap().into_router());
    assert!(error.contains("`/board`") && error.contains("`board`") && error.contains("`other-board`"), "{error}");
}

#[tokio::test]
async fn path_of_the_program_is_not_a_plugins() {
    let collects =
        By { routes: |_| Ok(Routes::new().route("/board", get(page).access(Access::Public))), ..By::named("board") };
    let service = service().await.plugin(collects).unwrap().route("/board", get(page).access(Access::Public));
    let error = message(service.into_router());
    assert!(error.contains("of the plugin `board`") && error.contains("the program has it"), "{error}");
}

mod one {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "notes", prefix = "/notes")]
    pub(super) struct Note {
        id: i64,
    }
}

mod two {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "notes", prefix = "/memos", api_name = "Memo")]
    pub(super) struct Note {
        id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "memos", prefix = "/notes", api_name = "Memo")]
    pub(super) struct Memo {
        id: i64,
    }
}

#[tokio::test]
async fn two_plugins_with_one_table_or_prefix_are_an_error_that_names_both() {
    let first = || By { install: |service| Ok(service.resource::<one::Note>()), ..By::named("notes") };
    let second = By { install: |service| Ok(service.resource::<two::Note>()), ..By::named("memos") };
    let error = message(service().await.plugin(first()).unwrap().plugin(second).unwrap().into_router());
    assert!(error.contains("`notes` and `memos` both have the table `notes`"), "{error}");
    let second = By { install: |service| Ok(service.resource::<two::Memo>()), ..By::named("memos") };
    let error = message(service().await.plugin(first()).unwrap().plugin(second).unwrap().into_router());
    assert!(error.contains("`notes` and `memos` both have the path `/notes`"), "{error}");
}

#[tokio::test]
async fn error_of_an_install_ends_the_start() {
    let failing = By { install: |_| Err(crud_runtime::Error::Setup("no key".to_owned())), ..By::named("notes") };
    assert_eq!(message(service().await.plugin(failing)), "no key");
}
