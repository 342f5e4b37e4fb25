//! The published specification of `TodoBackend`: a list of tasks that know their own addresses.

use crud_tests::{Api, on_each_transactional_backend};
use serde_json::{Value, json};

mod program {
    use crud_runtime::prelude::*;
    use crud_runtime::routing::{Context, delete, get};

    #[derive(Debug, Clone, Resource)]
    #[crud(operations(except(list)))]
    struct Todo {
        id: i64,
        title: String,
        #[crud(default = false)]
        completed: bool,
        order: Option<i32>,
        #[crud(computed(Todo::url))]
        url: String,
    }

    impl Todo {
        fn url(&self, request: &RequestContext<'_>) -> String {
            request.url(&format!("/todos/{}", self.id))
        }
    }

    async fn all(ctx: Context) -> crud_runtime::Result<Vec<Todo>> {
        ctx.store::<Todo>().list(Todo::FIELDS.id.asc()).await
    }

    async fn clear(ctx: Context) -> crud_runtime::Result<()> {
        ctx.store::<Todo>().delete_where(Todo::FIELDS.id.gt(0)).await.map(drop)
    }

    pub(super) fn todos(service: Service) -> Service {
        service
            .resource::<Todo>()
            .route("/todos", get(all))
            .route("/todos", delete(clear))
            .server(|server| server.cors(Cors::any()))
    }
}

/// The path of a task, by which its address leads to it.
fn path(api: &Api, todo: &Value) -> String {
    let url = todo["url"].as_str().expect("an address");
    url.strip_prefix(api.origin()).expect("an address of the service").to_owned()
}

#[test]
fn published_specification_is_met() {
    on_each_transactional_backend(async |database| {
        let service = program::todos(database.service().await).migrate().await.expect("the table");
        let api = Api::start(database, service).await;
        let post = async |body: Value| api.post("/todos", &body).await.created();

        // Its own tests are a web page of another origin.
        for method in ["POST", "DELETE", "PATCH"] {
            let path = if method == "PATCH" { "/todos/1" } else { "/todos" };
            let request = api.options(path).header("origin", "http://www.todobackend.com");
            let request = request.header("access-control-request-method", method);
            let answer = request.header("access-control-request-headers", "content-type").await.expect(200);
            assert_eq!(answer.require("access-control-allow-origin"), "*");
            for (name, expected) in [("methods", method), ("headers", "content-type")] {
                let allowed = answer.require(&format!("access-control-allow-{name}"));
                assert!(allowed.split(',').any(|one| one.trim().eq_ignore_ascii_case(expected)), "{name}: {allowed}");
            }
        }

        // The root: tasks are posted to it, listed and deleted there.
        assert_eq!(post(json!({ "title": "a todo" })).await["title"], "a todo");
        api.delete("/todos").await.expect(204);
        assert_eq!(api.get("/todos").await.ok(), json!([]));

        // A new task is in the list, is not completed, and has an address that leads to it.
        let walk = post(json!({ "title": "walk the dog" })).await;
        assert_eq!((&walk["title"], &walk["completed"]), (&json!("walk the dog"), &json!(false)));
        assert_eq!(api.get("/todos").await.ok(), json!([walk]));
        assert_eq!(api.get(path(&api, &walk)).await.ok(), walk);

        // A task that is there: reached from the list, changed, and deleted.
        post(json!({ "title": "todo the second" })).await;
        for todo in api.get("/todos").await.ok().as_array().expect("a list") {
            assert_eq!(api.get(path(&api, todo)).await.ok()["title"], todo["title"]);
        }
        let address = path(&api, &walk);
        assert_eq!(api.patch(&address, &json!({ "title": "bathe the cat" })).await.ok()["title"], "bathe the cat");
        assert_eq!(api.patch(&address, &json!({ "completed": true })).await.ok()["completed"], true);
        let changed =
            json!({ "id": walk["id"], "title": "bathe the cat", "completed": true, "order": null, "url": walk["url"] });
        assert_eq!(api.get(&address).await.ok(), changed);
        assert!(api.get("/todos").await.ok().as_array().expect("a list").contains(&changed));
        drop(api.delete(&address).await.ok());
        assert_eq!(api.get("/todos").await.ok().as_array().map(Vec::len), Some(1));

        // The order of tasks.
        let ordered = post(json!({ "title": "blah", "order": 523 })).await;
        assert_eq!(ordered["order"], 523);
        let address = path(&api, &ordered);
        assert_eq!(api.patch(&address, &json!({ "order": 95 })).await.ok()["order"], 95);
        assert_eq!(api.get(&address).await.ok()["order"], 95);
        api.stop().await;
    });
}
