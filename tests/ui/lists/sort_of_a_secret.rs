use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct User {
    pub id: i64,
    #[crud(hidden, sort, default = "")]
    pub password: String,
}

fn main() {}
