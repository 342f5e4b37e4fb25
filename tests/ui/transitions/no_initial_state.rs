use crud_runtime::prelude::*;

#[derive(Debug, Clone, Copy, ResourceEnum)]
pub enum Status {
    Draft,
    Published,
    Archived,
}

fn initial() -> Status {
    Status::Draft
}

#[derive(Resource)]
pub struct Article1 {
    pub id: i64,
    #[crud(transitions(publish: Draft -> Published, archive: Published -> Archived))]
    pub status: Status,
}

#[derive(Resource)]
pub struct Article2 {
    pub id: i64,
    #[crud(default = initial(), transitions(publish: Draft -> Published, archive: Published -> Archived))]
    pub status: Status,
}

fn main() {}
