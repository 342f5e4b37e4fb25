use crud_runtime::prelude::*;

#[derive(Debug, Clone, PartialEq, ResourceEnum)]
enum State {
    Draft,
    Done,
}

#[derive(Debug, Clone, Resource)]
#[crud(search(title, price, tags, state, titel, title))]
struct Product {
    id: i64,
    title: String,
    price: f64,
    tags: Vec<String>,
    state: State,
}

fn main() {}
