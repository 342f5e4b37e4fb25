//! Orders by fields of other records: what is not there, what is there twice, and what cannot be compared.

use crud_runtime::prelude::*;

#[derive(Debug, Clone, Resource)]
#[crud(sort(name))]
struct Author {
    id: i64,
    name: String,
    photo: Vec<u8>,
}

#[derive(Debug, Clone, Resource)]
#[crud(sort(author.name, author.name, writer.name, title.name, author_name))]
struct Book {
    id: i64,
    title: String,
    author_name: String,
    #[crud(references = Author)]
    author_id: i64,
}

#[derive(Debug, Clone, Resource)]
#[crud(sort(author.nam, author.photo))]
struct Note {
    id: i64,
    #[crud(references = Author)]
    author_id: i64,
}

#[derive(Debug, Clone, Resource)]
#[crud(sort(author.), default_sort(author.name))]
struct Draft {
    id: i64,
    #[crud(references = Author)]
    author_id: i64,
}

fn main() {}
