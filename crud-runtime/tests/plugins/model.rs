use crud_runtime::auth::Principal;
use crud_runtime::axum::Json;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, get};

use super::{Book, service};

#[tokio::test]
async fn model_states_what_each_principal_may_do() {
    let service = service().await.resource::<Book>();
    let state = service.state().unwrap();
    let book = state.model().resource(Book::DESCRIPTOR).expect("the service has books");
    let (editor, admin) = (Principal::new("1").with_roles(["editor"]), Principal::new("2").with_roles(["admin"]));
    assert!(book.admits(Operation::List, None) && !book.admits(Operation::Update, None));
    assert!(book.admits(Operation::Update, Some(&editor)) && !book.admits(Operation::Delete, Some(&editor)));
    let column = |name: &str| Book::DESCRIPTOR.columns.iter().position(|column| column.name == name).unwrap();
    assert!(!book.shows(column("cost"), Some(&editor)) && book.shows(column("cost"), Some(&admin)));
    assert!(!book.shows(column("secret"), Some(&admin)), "no answer has it");
    assert!(book.operators(column("title")).contains(&"icontains"));
    assert!(book.operators(column("id")).contains(&"in"), "the key can be filtered where anything can");
    assert_eq!(book.operators(column("cost")), [""; 0]);
    assert_eq!(book.pagination().map(|pages| pages.max_limit), Some(50));
}

#[tokio::test]
async fn table_of_access_is_that_of_the_service() {
    let service = service().await.resource::<Book>();
    let editor = Principal::new("1").with_roles(["editor"]);
    let state = service.state().unwrap();
    assert_eq!(state.model().access_table_of(Some(&editor)), service.model().unwrap().access_table_of(Some(&editor)));
    assert_eq!(state.model().access_table(), service.model().unwrap().access_table());
    let explained = state.model().explain::<Book>(Some(&editor), None).await.unwrap();
    assert_eq!(explained, service.model().unwrap().explain::<Book>(Some(&editor), None).await.unwrap());
}

#[tokio::test]
async fn roles_that_a_role_implies_count() {
    let service = service()
        .await
        .access(|options| options.role(crud_runtime::access::Role::new("admin").implies("editor")))
        .resource::<Book>();
    let state = service.state().unwrap();
    let admin = Principal::new("2").with_roles(["admin"]);
    assert!(state.model().resource(Book::DESCRIPTOR).unwrap().admits(Operation::Update, Some(&admin)));
}

#[tokio::test]
async fn handlers_have_the_model_while_the_service_serves() {
    async fn may_create(ctx: Context) -> Json<bool> {
        let model = ctx.model();
        Json(model.resources().any(|resource| resource.admits(Operation::Create, ctx.principal())))
    }
    let route = get(may_create).access(crud_runtime::access::Access::Public);
    let test = service().await.resource::<Book>().route("/may-create", route).test().await.unwrap();
    assert_eq!(test.get("/may-create").await.expect(200).json(), false);
    assert_eq!(test.as_role("editor").get("/may-create").await.expect(200).json(), true);
}
