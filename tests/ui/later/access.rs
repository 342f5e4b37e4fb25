use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(access(read = public, write = any(role("a"), all(authenticated, permission("b")))))]
pub struct Product {
    pub id: i64,
}

fn main() {}
