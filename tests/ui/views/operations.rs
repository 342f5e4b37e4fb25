use crud_runtime::prelude::*;

#[derive(Debug, Clone, Resource)]
#[crud(
    view = "SELECT * FROM tickets",
    depends(),
    only(list, create, purge),
    access(read = public, write = authenticated, delete = role("admin"))
)]
struct Board {
    id: i64,
}

#[derive(Debug, Clone, Resource)]
#[crud(view = "SELECT * FROM tickets", depends(), except(get, update))]
struct List {
    id: i64,
}

fn main() {}
