use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product<'a> {
    pub id: i64,
    pub name: &'a str,
}

fn main() {}
