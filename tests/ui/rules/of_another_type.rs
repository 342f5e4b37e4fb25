use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(min = 0, max = 5)]
    pub name: String,
    #[crud(min_length = 0, max_length = 5)]
    pub price: f64,
    #[crud(email)]
    pub number: i32,
    #[crud(url)]
    pub photo: Vec<u8>,
    #[crud(pattern = "a")]
    pub flag: bool,
    #[crud(one_of(1, 2))]
    pub day: NaiveDate,
    #[crud(min = 5)]
    pub key: Uuid,
}

fn main() {}
