//! The reading of imports, on small trees.

use crud_architecture::{Circle, Imports, Tree, circles, uphill};

/// Each import of a tree as `from:line path -> to`.
fn imports<const N: usize>(files: [(&str, &str); N]) -> Vec<String> {
    let imports = Imports::of(&Tree::of(files));
    assert_eq!(imports.faults, [""; 0]);
    imports.list.iter().map(|i| format!("{}:{} {} -> {}", i.from, i.line, i.path, i.to)).collect()
}

/// The faults of a tree.
fn faults<const N: usize>(files: [(&str, &str); N]) -> Vec<String> {
    Imports::of(&Tree::of(files)).faults
}

const ROOT: (&str, &str) = ("lib.rs", "mod a; mod b;");
const B: (&str, &str) = ("b.rs", "pub struct Item; pub fn make() {}");

#[test]
fn a_use_item_is_an_import() {
    assert_eq!(imports([ROOT, ("a.rs", "\nuse crate::b::Item;"), B]), ["a.rs:2 crate::b::Item -> b.rs"]);
}

#[test]
fn each_name_of_a_group_is_an_import() {
    let root = ("lib.rs", "mod a; mod b; mod c;");
    let a = "use crate::{b::{self, Item as Other}, c::C};\nfn f() { b::make(); }";
    let found = imports([root, ("a.rs", a), B, ("c.rs", "pub struct C;")]);
    assert_eq!(found, ["a.rs:1 crate::b::Item -> b.rs", "a.rs:1 crate::c::C -> c.rs"]);
}

#[test]
fn an_inline_path_is_an_import_wherever_it_stands() {
    let places = [
        "fn f() { crate::b::make() }",
        "fn f(item: &crate::b::Item) {}",
        "struct S { item: Vec<super::b::Item> }",
        "struct S(crate::b::Item);",
        "impl crate::b::Item {}",
        "impl S { fn f() { if x { [1, super::b::make()] } } }",
        "macro_rules! m { () => { $crate::b::make() } }",
        "fn f() { println!(\"{}\", crate::b::make()) }",
        "thing! { crate::b::Item }",
        "const C: T = crate::b::make();",
        "fn f() { use crate::b::Item; }",
        "fn f() { use super::b::*; make() }",
        "fn f() { for x in crate::b::make() {} }",
        "fn f() -> impl Sized + use<> { crate::b::make() }",
        "#[derive(crate::b::Item)] struct S;",
        "trait T { type X: Is<crate::b::Item>; }",
        "pub(crate) const unsafe extern \"C\" fn f() { crate::b::make() }",
        "mod inner { fn f() { super::super::b::make() } }",
        "mod inner { use super::*; fn f() { crate::b::make() } }",
        "use crate::b; fn f() { b::make() }",
        "use crate::b as c; fn f() { c::make() }",
        "use crate::b; mod inner { use super::*; fn f() { b::make() } }",
    ];
    for place in places {
        let found = imports([ROOT, ("a.rs", place), B]);
        assert!(found.len() == 1 && found[0].ends_with("-> b.rs"), "{place}: {found:?}");
    }
}

#[test]
fn comments_strings_and_tests_are_no_imports() {
    let places = [
        "// crate::b::make()",
        "/* use crate::b::Item; /* nested */ */",
        "/// [`crate::b::Item`]\nstruct S;",
        "const C: &str = \"use crate::b::Item;\";",
        "const C: &str = r#\"crate::b::make() \"#;",
        "const C: char = '\"'; const D: &str = \"crate::b::make()\";",
        "#[cfg(test)] mod tests { use crate::b::Item; }",
        "#[cfg(all(test, feature = \"x\"))] mod tests { use crate::b::Item; }",
        "#[cfg(test)] fn f() { crate::b::make() }",
        "#[cfg(test)] use crate::b::Item;",
        "impl S { #[cfg(test)] fn f() { crate::b::make() } }",
        "fn f() { #[cfg(test)] crate::b::make(); }",
        "#![cfg(test)] use crate::b::Item;",
        "pub(in crate::b) struct S;",
        "use other::b::Item; fn f() { ::b::make(); x.b::<T>(); }",
    ];
    for place in places {
        assert_eq!(imports([ROOT, ("a.rs", place), B]), [""; 0], "{place}");
    }
    let outside = imports([ROOT, ("a.rs", "#[cfg(not(test))] use crate::b::Item;"), B]);
    assert_eq!(outside.len(), 1);
}

#[test]
fn a_test_file_is_left_out() {
    let found = imports([ROOT, ("a.rs", "#[cfg(test)] mod tests;"), ("a/tests.rs", "use crate::b::Item;"), B]);
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_re_export_does_not_hide_the_file_that_defines() {
    let root = ("lib.rs", "mod a; mod b; mod c; pub use c::Item; pub use c::deep::Other as Renamed;");
    let c = ("c/mod.rs", "mod deep; pub use deep::*; pub use crate::b::Item;");
    let deep = ("c/deep.rs", "pub struct Other;");
    for path in ["crate::Renamed", "crate::c::Other", "crate::c::deep::Other"] {
        let a = format!("use {path};");
        let found = imports([root, ("a.rs", &a), B, c, deep]);
        assert!(found.contains(&format!("a.rs:1 {path} -> c/deep.rs")), "{found:?}");
    }
    let found = imports([root, ("a.rs", "use crate::Item;"), B, c, deep]);
    assert!(found.contains(&"a.rs:1 crate::Item -> b.rs".to_owned()), "{found:?}");
}

#[test]
fn what_a_glob_brings_is_an_import_where_its_name_stands() {
    let root = ("lib.rs", "mod a; mod b; mod c; mod d;");
    let c = ("c.rs", "pub use crate::b::Item; pub use crate::d::D; pub struct C;");
    let found = imports([root, ("a.rs", "use crate::c::*; fn f(item: Item) {}"), B, c, ("d.rs", "pub struct D;")]);
    assert_eq!(found.iter().filter(|line| line.starts_with("a.rs")).collect::<Vec<_>>(), ["a.rs:1 crate::c -> b.rs"]);
}

#[test]
fn a_name_that_is_a_function_and_a_module_is_both() {
    let root = ("lib.rs", "mod a; mod b;");
    let b = ("b/mod.rs", "mod list; pub use list::list;");
    let list = ("b/list.rs", "pub fn list() {} pub struct Deep;");
    for a in ["use crate::b::list;", "use crate::b::list::Deep;", "use crate::b; fn f() { b::list(); }"] {
        let found = imports([root, ("a.rs", a), b, list]);
        assert!(found.len() == 1 && found[0].ends_with("-> b/list.rs"), "{a}: {found:?}");
    }
}

#[test]
fn variants_and_associated_items_belong_to_their_type() {
    let b = ("b.rs", "pub enum Kind { One }");
    for a in ["use crate::b::Kind::One;", "use crate::b::Kind::{self, *};", "fn f() { crate::b::Kind::of() }"] {
        let found = imports([ROOT, ("a.rs", a), b]);
        assert!(found.len() == 1 && found[0].ends_with("-> b.rs"), "{a}: {found:?}");
    }
}

#[test]
fn the_crates_own_name_is_its_root() {
    let root = ("lib.rs", "extern crate self as ours; mod a; mod b;");
    assert_eq!(imports([root, ("a.rs", "use ours::b::Item;"), B]), ["a.rs:1 ours::b::Item -> b.rs"]);
}

#[test]
fn a_module_and_its_parent_do_not_import_each_other() {
    let a = ("a/mod.rs", "mod child; use child::Child; pub struct Parent;");
    let child = ("a/child.rs", "mod grandchild; use super::Parent; pub struct Child;");
    let grandchild = ("a/child/grandchild.rs", "use super::super::Parent;");
    let found = imports([ROOT, a, child, grandchild, B]);
    assert_eq!(found, ["a/child/grandchild.rs:1 super::super::Parent -> a/mod.rs"]);
}

#[test]
fn files_that_cannot_be_read_are_faults() {
    assert_eq!(faults([("lib.rs", "mod a;")]), ["lib.rs:1: `mod a;` has no file"]);
    let unknown = faults([ROOT, ("a.rs", "use crate::b::Missing;"), B]);
    assert_eq!(unknown, ["a.rs:1: `crate::b::Missing` names nothing that can be found"]);
    assert_eq!(faults([("lib.rs", "mod a;"), ("a.rs", "fn f( {")]).len(), 1);
    for maker in ["make!(Made);", "#[derive(Resource)] struct Thing;"] {
        assert_eq!(faults([ROOT, ("a.rs", "use crate::b::Made;"), ("b.rs", maker)]), [""; 0], "{maker}");
    }
}

fn circle<const N: usize>(files: [(&str, &str); N]) -> Vec<Circle> {
    circles(&Imports::of(&Tree::of(files)))
}

#[test]
fn a_circle_is_found_with_its_way() {
    let root = ("lib.rs", "mod a; mod b; mod c; mod d;");
    let a = ("a.rs", "use crate::b::B; pub struct A;");
    let b = ("b.rs", "\nfn f() { crate::c::make() } pub struct B;");
    let c = ("c.rs", "use crate::a::A; pub fn make() {}");
    let found = circle([root, a, b, c, ("d.rs", "use crate::a::A;")]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].files, ["a.rs", "b.rs", "c.rs"]);
    let way: Vec<_> = found[0].way.iter().map(ToString::to_string).collect();
    let expected = ["a.rs:1: crate::b::B -> b.rs", "b.rs:2: crate::c::make -> c.rs", "c.rs:1: crate::a::A -> a.rs"];
    assert_eq!(way, expected);
    assert_eq!(circle([root, a, ("b.rs", "pub struct B;"), c, ("d.rs", "")]).len(), 0);
}

#[test]
fn circles_that_do_not_meet_are_apart() {
    let root = ("lib.rs", "mod a; mod b; mod c; mod d;");
    let pair = |of: &str| format!("use crate::{of}::X; pub struct X;");
    let found = circle([root, ("a.rs", &pair("b")), ("b.rs", &pair("a")), ("c.rs", &pair("d")), ("d.rs", &pair("c"))]);
    assert_eq!(found.iter().map(|circle| circle.files.join(" ")).collect::<Vec<_>>(), ["a.rs b.rs", "c.rs d.rs"]);
}

#[test]
fn an_arrow_up_is_a_fault_with_its_line() {
    let files = [
        ("lib.rs", "mod low; mod high; mod stray; pub struct Root;"),
        ("low/mod.rs", "mod file;"),
        ("low/file.rs", "\nuse crate::high::High; use crate::Root;"),
        ("high.rs", "use crate::low::X; pub struct High;"),
        ("stray.rs", "use crate::high::High;"),
    ];
    let imports = Imports::of(&Tree::of(files));
    let found = uphill(&imports, &[("low", 1), ("high", 2)], &["lib.rs"]);
    let up = "low/file.rs:2: crate::high::High -> high.rs leads from floor 1 up to floor 2";
    assert_eq!(found, ["stray.rs is on no floor", up]);
}
