//! Relations in queries: conditions and keys of another resource than the relation's.

use crud_runtime::prelude::*;

#[derive(Debug, Clone, Resource)]
#[crud(has_many(books(Book.author_id)))]
struct Author {
    id: i64,
    name: String,
    photo: Vec<u8>,
}

#[derive(Debug, Clone, Resource)]
struct Book {
    id: i64,
    title: String,
    #[crud(references = Author, relation = author)]
    author_id: i64,
    #[crud(references = Author)]
    editor_id: i64,
}

fn main() {
    let _ = Book::FIELDS.author.is(Book::FIELDS.title.eq("x"));
    let _ = Book::FIELDS.author.is(Author::FIELDS.title.eq("x"));
    let _ = Book::FIELDS.author.asc(Author::FIELDS.photo);
    let _ = Book::FIELDS.editor.is(Author::FIELDS.name.eq("x"));
    let _ = Author::FIELDS.books.any(Author::FIELDS.name.eq("x"));
    let _ = Author::FIELDS.name.eq("x").and(Book::FIELDS.author.is(Author::FIELDS.name.eq("x")));
}
