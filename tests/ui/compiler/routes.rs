//! Handlers of own routes.

mod arguments {
    use crud_runtime::axum::Json;
    use crud_runtime::axum::extract::State;
    use crud_runtime::routing::{Context, Valid, get, post};
    use serde::Deserialize;

    struct Mine;

    #[derive(Deserialize)]
    struct Take {
        pieces: i32,
    }

    struct Settings;

    async fn first(_: Mine, _: Context) {}
    async fn last(_: Context, _: Mine) {}
    async fn body_before_the_last(_: Json<i64>, _: Context) {}
    async fn unschooled(_: Valid<Take>) {}
    async fn undocumented(_: Context, _: Json<Take>) {}
    async fn other_state(_: State<Settings>) {}
    fn not_async() -> i64 {
        7
    }

    fn uses() -> Vec<crud_runtime::routing::Route> {
        vec![
            get(first),
            get(last),
            post(body_before_the_last),
            post(unschooled),
            post(undocumented),
            get(other_state),
            get(not_async),
            get(7),
        ]
    }
}

mod descriptions {
    use std::convert::Infallible;

    use crud_runtime::axum::extract::{FromRequestParts, Path, Query};
    use crud_runtime::axum::http::request::Parts;
    use crud_runtime::routing::{Route, get};
    use serde::Deserialize;

    struct Mine;

    impl<S: Send + Sync> FromRequestParts<S> for Mine {
        type Rejection = Infallible;

        async fn from_request_parts(_: &mut Parts, _: &S) -> Result<Self, Infallible> {
            Ok(Self)
        }
    }

    #[derive(Deserialize)]
    struct Range {
        from: i32,
    }

    async fn own(_: Mine) {}
    async fn path(_: Path<Range>) {}
    async fn query(_: Query<Range>) {}

    fn uses() -> Vec<Route> {
        vec![get(own), get(path), get(query)]
    }
}

mod answers {
    use crud_runtime::axum::Json;
    use crud_runtime::prelude::*;
    use crud_runtime::routing::{Route, get};
    use serde::Serialize;

    #[derive(Debug, Clone, Resource)]
    struct User {
        id: i64,
    }

    #[derive(Serialize)]
    struct View {
        id: i64,
    }

    async fn record() -> User {
        unreachable!()
    }
    async fn undocumented() -> Json<View> {
        unreachable!()
    }

    fn uses() -> Vec<Route> {
        vec![get(record), get(undocumented)]
    }
}

mod state_of_the_service {
    use crud_runtime::axum::extract::State;
    use crud_runtime::prelude::*;
    use crud_runtime::routing::get;

    #[derive(Clone)]
    struct Settings;

    async fn name(_: State<Settings>) {}

    fn uses(service: Service) -> Service {
        service.route("/name", get(name))
    }
}

mod access {
    use crud_runtime::routing::{Route, get};

    fn uses() -> Route {
        get(async || "x").access("staff")
    }
}
