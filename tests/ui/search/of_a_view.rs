use crud_runtime::prelude::*;

#[derive(Debug, Clone, Resource)]
#[crud(view = "SELECT 1 AS id, 'a' AS name", depends(), search(name))]
struct Product {
    id: i64,
    name: String,
}

fn main() {}
