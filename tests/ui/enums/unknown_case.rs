use crud_runtime::prelude::*;

#[derive(ResourceEnum)]
#[crud(rename_all = "Snake_Case")]
pub enum Status {
    Pending,
}

fn main() {}
