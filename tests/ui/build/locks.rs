//! `Locked` beside an argument that streams the body: errors that `cargo build` finds, and `cargo check` does not.

pub mod beside_a_request {
    use crud_runtime::axum::extract::Request;
    use crud_runtime::prelude::*;
    use crud_runtime::routing::{Locked, Route, post};

    #[derive(Debug, Clone, Resource)]
    pub struct Part {
        id: i64,
    }

    async fn photo(_: Locked<Part>, _: Request) {}

    pub fn uses() -> Route {
        post(photo)
    }
}

pub mod beside_a_body {
    use crud_runtime::axum::body::Body;
    use crud_runtime::prelude::*;
    use crud_runtime::routing::{Handler, Locked, handler};

    #[derive(Debug, Clone, Resource)]
    pub struct Part {
        id: i64,
    }

    async fn file(_: Locked<Part>, _: Body) {}

    pub fn uses() -> Handler {
        handler(file)
    }
}
