use crud_runtime::prelude::*;

#[derive(Debug, Clone, Copy, ResourceEnum)]
pub enum Status {
    Draft,
    Published,
    Archived,
}

#[derive(Resource)]
pub struct Article1 {
    pub id: i64,
    #[crud(default = Status::Draft, transitions(restore: Draft -> Published, history: Published -> Archived, publish: Archived -> Draft, publish: Archived -> Published))]
    pub status: Status,
}

fn main() {}
