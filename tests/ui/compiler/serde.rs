//! `derive(Serialize)`: a struct that is no `Clone`, and one that derives serde's `Serialize` beside it.

mod without_clone {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(derive(Serialize))]
    struct Part {
        id: i64,
    }
}

mod twice {
    use crud_runtime::prelude::*;

    #[derive(Clone, Resource, serde::Serialize)]
    #[crud(derive(Serialize))]
    struct Part {
        id: i64,
    }
}

mod with_a_value {
    use crud_runtime::prelude::*;

    #[derive(Clone, Resource)]
    #[crud(derive(Serialize = true))]
    struct Part {
        id: i64,
    }
}
