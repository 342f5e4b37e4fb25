use crud_runtime::prelude::*;

#[derive(Resource)]
pub union Product {
    pub id: i64,
    pub bits: u64,
}

fn main() {}
