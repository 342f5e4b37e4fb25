use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(validate = chek, hooks(before = rules::check))]
pub struct Ticket {
    pub id: i64,
}

fn main() {}
