//! `import`: its options, and the operation that it needs.

mod without_create {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(operations(list), import(max_rows = 0))]
    struct Part {
        id: i64,
        name: String,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(import(rows = 5))]
    struct Other {
        id: i64,
    }
}
