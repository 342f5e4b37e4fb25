use crud_runtime::prelude::*;

#[derive(Debug, Clone, Resource)]
#[crud(filter(q), search(name))]
struct Product {
    id: i64,
    name: String,
    q: i32,
}

fn main() {}
