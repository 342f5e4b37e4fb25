use crud_runtime::prelude::*;

#[derive(Debug, Clone, Resource)]
#[crud(
    unique(shelf, slot),
    upsert(name),
    upsert(shelf),
    upsert(shelf, name),
    upsert(sku),
    upsert(sku),
    upsert(skuu),
    upsert()
)]
struct Part {
    id: i64,
    #[crud(unique)]
    sku: String,
    shelf: i32,
    slot: i32,
    name: String,
}

fn main() {}
