use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(filter(and, negation))]
pub struct Rule {
    pub id: i64,
    pub and: String,
    #[crud(rename = "not")]
    pub negation: bool,
}

fn main() {}
