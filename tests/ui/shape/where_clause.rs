use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product
where
    String: Clone,
{
    pub id: i64,
}

fn main() {}
