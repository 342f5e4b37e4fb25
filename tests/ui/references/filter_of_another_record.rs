use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(filter)]
pub struct Category {
    pub id: i64,
    pub name: String,
    pub texts: Vec<String>,
}

#[derive(Resource)]
#[crud(filter(categry.name, category.nam, category.texts, category.name, category.name))]
pub struct Product {
    pub id: i64,
    #[crud(references = Category)]
    pub category_id: i64,
}

#[derive(Resource)]
#[crud(filter(category_name, category.name))]
pub struct Offer {
    pub id: i64,
    #[crud(references = Category)]
    pub category_id: i64,
    pub category_name: String,
}

fn main() {}
