//! `crud destroy`.

use std::fs;
use std::path::Path;

use crate::support::{Work, crud, files};

fn generate(project: &Path, model: &str, fields: &str) {
    crud(project, &["generate", "--model", model, "--fields", fields]).done();
}

#[test]
fn it_undoes_generate() {
    let (_work, project) = Work::with_project();
    generate(&project, "Author", "name");
    let before = files(&project);
    generate(&project, "Book", "title,author:ref(Author)");
    let diff = crud(&project, &["destroy", "Book", "--dry-run"]).done();
    assert!(diff.contains("--- a/src/resources/book.rs\n+++ /dev/null\n"), "{diff}");
    let said = crud(&project, &["destroy", "books", "--yes"]).done();
    assert!(said.starts_with("Removed: src/resources/book.rs\nChanged: src/resources/mod.rs\n"), "{said}");
    assert!(said.contains("Book is removed. Its table `books` stays, with its records"), "{said}");
    assert!(said.contains("`crud migrate add drop_books`"), "{said}");
    assert_eq!(files(&project), before);
}

#[test]
fn without_an_answer_nothing_is_removed() {
    let (_work, project) = Work::with_project();
    generate(&project, "Book", "title");
    let before = files(&project);
    let said = crud(&project, &["destroy", "Book"]).refused();
    assert_eq!(said, "`--yes` is missing, and there is no terminal to ask on");
    assert_eq!(files(&project), before);
}

#[test]
fn a_resource_that_others_use_stays() {
    let (_work, project) = Work::with_project();
    generate(&project, "Author", "name");
    generate(&project, "Book", "title,author:ref(Author)");
    let before = files(&project);
    let refused = |model: &str| crud(&project, &["destroy", model, "--yes"]).refused();
    assert_eq!(refused("Author"), "`src/resources/book.rs` uses `Author`: change that first");
    assert_eq!(refused("Boko"), "there is no model `Boko` in `src/resources/mod.rs`: did you mean `Book`?");
    assert_eq!(files(&project), before);
    let registry = project.join("src/resources/mod.rs");
    let text = fs::read_to_string(&registry).expect("the file");
    let mine = text.replace(".resource::<book::Book>()", ".resource_with::<book::Book>(|o| o.max_limit(5))");
    fs::write(&registry, mine).expect("the file");
    let said = refused("Book");
    assert!(
        said.contains("has a line of your own about `Book`: remove it first: `.resource_with::<book::Book>"),
        "{said}"
    );
}
