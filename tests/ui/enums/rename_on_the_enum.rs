use crud_runtime::prelude::*;

#[derive(ResourceEnum)]
#[crud(rename = "a")]
pub enum Status {
    Pending,
}

fn main() {}
