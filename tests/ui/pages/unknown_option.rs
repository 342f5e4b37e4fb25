use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(pagination(defalt_limit = 20, size = 5))]
pub struct Product {
    pub id: i64,
}

fn main() {}
