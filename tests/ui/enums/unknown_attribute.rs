use crud_runtime::prelude::*;

#[derive(ResourceEnum)]
#[crud(renam_all = "snake_case", prefix = "/a")]
pub enum Status {
    #[crud(rename_al = "a")]
    Pending,
    #[crud(rename_all = "snake_case")]
    Shipped,
}

fn main() {}
