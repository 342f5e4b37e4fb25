use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: Option<i64>,
}

fn main() {}
