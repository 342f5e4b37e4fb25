use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(filter(name), default_sort(-), pagination(default_limit), only(list,))]
pub struct Product {
    pub id: i64,
    #[crud(min_length = , references = )]
    pub name: String,
    #[crud(m)]
    pub other: String,
    #[crud()]
    pub third: String,
    #[crud(custom = crate::)]
    pub fourth: String,
}

fn main() {}
