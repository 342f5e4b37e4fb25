use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(filter(), sort(), default_sort(), tags(), except(), unique(), access())]
pub struct Product {
    pub id: i64,
    #[crud(one_of())]
    pub name: String,
}

fn main() {}
