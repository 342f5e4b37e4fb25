//! `crud generate`.

use std::fs;
use std::path::Path;

use crate::support::{Work, assert_formatted, crud, files};

fn generate(project: &Path, model: &str, fields: &str) -> String {
    crud(project, &["generate", "--model", model, "--fields", fields]).done()
}

fn refused(project: &Path, model: &str, fields: &str) -> String {
    crud(project, &["generate", "--model", model, "--fields", fields]).refused()
}

fn read(project: &Path, file: &str) -> String {
    fs::read_to_string(project.join(file)).expect("the file")
}

#[test]
fn a_resource_is_written_and_registered() {
    let (_work, project) = Work::with_project();
    let said = generate(&project, "Category", "name:str!");
    assert_eq!(said, "Category generated in src/resources/category.rs, served at /categories.\n");
    let fields = "name,price:float,stock:int=0,description:text?,category:ref(Category),sku:str!,created_at:datetime";
    let arguments = ["generate", "--model", "Product", "--fields", fields, "--filter", "name,category", "--sort"];
    let said = crud(&project, &arguments).done();
    assert_eq!(said, "Product generated in src/resources/product.rs, served at /products.\n");
    assert_eq!(
        read(&project, "src/resources/product.rs"),
        "//! Products.

use crud_runtime::prelude::*;

use super::category::Category;

/// A product.
#[derive(Debug, Clone, Resource)]
#[crud(filter(name, category_id), sort(name, category_id), pagination)]
pub struct Product {
    pub id: i64,
    pub name: String,
    pub price: f64,
    #[crud(default = 0)]
    pub stock: i64,
    pub description: Option<String>,
    #[crud(references(Category))]
    pub category_id: i64,
    #[crud(unique)]
    pub sku: String,
    #[crud(created_at)]
    pub created_at: DateTime<Utc>,
}
"
    );
    let registry = read(&project, "src/resources/mod.rs");
    let modules = "// <crud:modules>\npub mod category;\npub mod product;\n// </crud:modules>\n";
    assert!(registry.contains(modules), "{registry}");
    let resources = "        // <crud:resources>
        .resource::<category::Category>()
        .resource::<product::Product>()
        // </crud:resources>\n";
    assert!(registry.contains(resources), "{registry}");
    let tests = read(&project, "tests/resources/product.rs");
    assert!(tests.contains("\"category_id\": api.any(category::PREFIX, &category::body(api))[\"id\"],\n"), "{tests}");
    assert!(read(&project, "tests/api.rs").contains("    mod category;\n    mod product;\n"));
    assert_formatted(&project);
}

#[test]
fn every_type_and_option_is_formatted() {
    let (_work, project) = Work::with_project();
    generate(&project, "Box", "type:str,kind:enum(BIG|small-one)=BIG,box_state:enum(in_stock|out_of_stock|low_stock)?");
    let fields = "t:text=\"a, b\",i:int?=1234567,f:float=-2,b:bool=true,a1:bool,a2:bool,a3:bool,when:datetime,day:date,\
                  u:uuid!,d:decimal=12.50,j:json?,y:bytes,box:ref(Box),next:ref(Everything)?,updated_at:datetime,\
                  a_name_that_is_rather_long:int,another_name_that_is_rather_long:int";
    let arguments = [
        "generate",
        "--model",
        "Everything",
        "--fields",
        fields,
        "--soft-delete",
        "--audit",
        "--batch",
        "--sort",
        "--filter",
        "t,i,f,b,box,a_name_that_is_rather_long,another_name_that_is_rather_long",
    ];
    crud(&project, &arguments).done();
    let text = read(&project, "src/resources/everything.rs");
    for line in [
        "    soft_delete,\n    batch,\n    audit\n)]",
        "    #[crud(default = \"a, b\")]\n    pub t: String,",
        "    #[crud(default = 1_234_567)]\n    pub i: Option<i64>,",
        "    #[crud(default = -2.0)]\n    pub f: f64,",
        "    #[crud(default(Decimal::new(1250, 2)))]\n    pub d: Decimal,",
        "    pub j: Option<serde_json::Value>,\n    pub y: Vec<u8>,",
        "    #[crud(references(Everything))]\n    pub next_id: Option<i64>,",
        "    pub deleted_at: Option<DateTime<Utc>>,\n}",
        "use super::r#box::Box;\n",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let text = read(&project, "src/resources/box.rs");
    assert!(
        text.contains("    pub r#type: String,\n    #[crud(default(BoxKind::Big))]\n    pub kind: BoxKind,"),
        "{text}"
    );
    assert!(text.contains("    #[crud(rename = \"small-one\")]\n    SmallOne,"), "{text}");
    assert!(text.contains("#[crud(rename_all = \"snake_case\")]"), "{text}");
    assert_formatted(&project);
}

#[test]
fn long_names_are_formatted() {
    let (_work, project) = Work::with_project();
    let text = "a sentence that is longer than what rustfmt lets stand in the arguments of an attribute";
    let fields = format!("the_first_name_of_the_first_customer:str=\"{text}\",second_value_of_it:int,state:enum(a)");
    generate(&project, "CustomerSubscriptionChange", &fields);
    generate(&project, "CustomerSubscriptionChangeComment", "change:ref(CustomerSubscriptionChange)");
    assert!(read(&project, "src/resources/customer_subscription_change.rs").contains(text));
    assert_formatted(&project);
}

#[test]
fn prefixes_are_plurals() {
    let (_work, project) = Work::with_project();
    for (model, prefix) in
        [("Category", "categories"), ("Box", "boxes"), ("Person", "people"), ("OrderItem", "order_items")]
    {
        let said = generate(&project, model, "name");
        assert!(said.ends_with(&format!(", served at /{prefix}.\n")), "{said}");
    }
    assert_formatted(&project);
}

#[test]
fn generating_the_same_model_again_changes_nothing() {
    let (_work, project) = Work::with_project();
    generate(&project, "Book", "title:str,pages:int");
    let before = files(&project);
    assert_eq!(generate(&project, "Book", "title:str,pages:int"), "Book exists already: nothing changed.\n");
    assert_eq!(files(&project), before);
}

#[test]
fn a_dry_run_shows_the_changes_and_writes_nothing() {
    let (_work, project) = Work::with_project();
    let before = files(&project);
    let arguments = ["generate", "--model", "Book", "--fields", "title", "--dry-run"];
    let diff = crud(&project, &arguments).done();
    assert!(diff.contains("--- /dev/null\n+++ b/src/resources/book.rs\n@@ -0,0 +1,11 @@\n+//! Books.\n"), "{diff}");
    assert!(diff.contains("--- a/src/resources/mod.rs\n+++ b/src/resources/mod.rs\n"), "{diff}");
    assert!(diff.contains("\n // <crud:modules>\n+pub mod book;\n // </crud:modules>\n"), "{diff}");
    assert_eq!(files(&project), before);
    generate(&project, "Book", "title");
    assert_eq!(crud(&project, &arguments).done(), "");
}

#[test]
fn changes_of_the_user_stay() {
    let (_work, project) = Work::with_project();
    generate(&project, "Book", "title");
    let registry = read(&project, "src/resources/mod.rs")
        .replace(".resource::<book::Book>()\n", ".resource_with::<book::Book>(|o| o.max_limit(5)) // mine\n")
        .replace("/// Adds", "// mine\n/// Adds");
    fs::write(project.join("src/resources/mod.rs"), &registry).expect("the file");
    fs::write(project.join("tests/resources/book.rs"), "// mine\n").expect("the file");
    generate(&project, "Book", "title");
    assert_eq!(read(&project, "src/resources/mod.rs"), registry);
    generate(&project, "Author", "name");
    let added = read(&project, "src/resources/mod.rs");
    let without = |line: &str| line.contains("author");
    let left: Vec<_> = added.lines().filter(|line| !without(line)).collect();
    assert_eq!(left, registry.lines().collect::<Vec<_>>());
    assert_eq!(read(&project, "tests/resources/book.rs"), "// mine\n");

    let before = files(&project);
    let said = refused(&project, "Book", "title,pages:int");
    assert_eq!(
        said,
        "`src/resources/book.rs` exists with other contents: `--model Book --add <FIELDS>` adds fields, or edit it"
    );
    assert_eq!(files(&project), before);
}

#[test]
fn a_missing_mark_is_reported_and_nothing_is_written() {
    let (_work, project) = Work::with_project();
    let registry = read(&project, "src/resources/mod.rs").replace("// </crud:modules>", "");
    fs::write(project.join("src/resources/mod.rs"), registry).expect("the file");
    let before = files(&project);
    let said = refused(&project, "Book", "title");
    let expected = "cannot add `pub mod book;` to `src/resources/mod.rs`: the mark `// </crud:modules>` is missing";
    assert_eq!(said, expected);
    assert_eq!(files(&project), before);
    fs::remove_file(project.join("src/resources/mod.rs")).expect("the file");
    assert!(refused(&project, "Book", "title").starts_with("`src/resources/mod.rs` is missing"));
}

#[test]
fn without_a_mark_no_tests_are_generated() {
    let (_work, project) = Work::with_project();
    generate(&project, "Author", "name");
    fs::remove_file(project.join("tests/resources/author.rs")).expect("the file");
    let said = generate(&project, "Book", "title,author:ref(Author)");
    let expected = "No test was generated for it: `tests/resources/author.rs`, whose records it needs, is missing.\n";
    assert!(said.ends_with(expected), "{said}");
    assert!(!project.join("tests/resources/book.rs").exists());
    fs::remove_file(project.join("tests/api.rs")).expect("the file");
    let said = generate(&project, "Shelf", "name");
    assert!(said.ends_with("No test was generated for it: `tests/api.rs` is missing.\n"), "{said}");
    assert!(project.join("src/resources/shelf.rs").is_file());
}

#[test]
fn the_project_is_found_from_a_directory_within() {
    let (_work, project) = Work::with_project();
    generate(&project.join("src/resources"), "Book", "title");
    assert!(project.join("src/resources/book.rs").is_file());
}

#[test]
fn mistakes_are_reported_and_nothing_is_written() {
    let (_work, project) = Work::with_project();
    generate(&project, "Author", "name");
    let before = files(&project);
    for (model, fields, expected) in [
        ("book", "title", "`book` is not a valid model name: expected `Book`"),
        ("Book", "title:strr", "field `title:strr`: there is no type `strr`: did you mean `str`?"),
        ("Book", "", "a field is missing in ``: expected fields such as `title:str,pages:int`"),
        ("Book", "a:int=x", "field `a`: `x` is not an integer"),
        (
            "Book",
            "a:int=x,b:i16=40000,c",
            "field `a`: `x` is not an integer; field `b`: `40000` is outside of the range of `i16`",
        ),
        ("Book", "a:float=inf", "field `a`: `inf` is not a number that JSON can hold"),
        ("Book", "a:bool=yes", "field `a`: `yes` is neither `true` nor `false`"),
        (
            "Book",
            "a:enum(new|sold)=slod",
            "field `a`: the default `slod` is not a value of the enum: did you mean `sold`?",
        ),
        (
            "Book",
            "fields:enum(a)",
            "field `fields`: its type would be `BookFields`, which is the name of another type: choose another name",
        ),
        (
            "Date",
            "time:enum(a)",
            "field `time`: its type would be `DateTime`, which is the name of another type: choose another name",
        ),
        ("Book", "by:ref(Auther)", "there is no model `Auther` in `src/resources/mod.rs`: did you mean `Author`?"),
        ("Book", "by:ref(Person)", "there is no model `Person` in `src/resources/mod.rs`: generate it first"),
        (
            "Book",
            "next:ref(Book)",
            "field `next_id`: Book refers to itself, so that the first one could not be created: make the field nullable with `?`",
        ),
        (
            "Metric",
            "name",
            "`Metric` would be served at `/metrics`, which is a route of the service: choose another name",
        ),
        ("Authors", "name", "`Author` is already served at `/authors`: choose another name"),
    ] {
        assert_eq!(refused(&project, model, fields), expected);
    }
    let said = refused(&project, "Book", "at:datetime=now");
    assert!(said.starts_with("field `at`: a default of this type is an expression"), "{said}");
    let options = |options: &[&str]| {
        crud(&project, &[&["generate", "--model", "Book", "--fields", "title,limit:int,cover:bytes"], options].concat())
            .refused()
    };
    assert_eq!(options(&["--sort", "titel"]), "`--sort`: `Book` has no field `titel`: did you mean `title`?");
    assert!(options(&["--filter", "cover"]).starts_with("`--filter`: values of `cover` cannot be compared"));
    assert!(options(&["--sort"]).starts_with("`--sort` without names takes those of `--filter`, which is missing"));
    assert_eq!(options(&["--filter", "title,title"]), "`--filter` names `title` twice");
    assert!(options(&["--filter"]).starts_with("field `limit`: a filter of this name would hide"));
    assert_eq!(files(&project), before);
    let said = crud(&project, &["generate", "--fields", "title"]).refused();
    assert_eq!(said, "`--model` is missing, and there is no terminal to ask on");
}

#[test]
fn fields_are_added_to_a_model_that_exists() {
    let (_work, project) = Work::with_project();
    generate(&project, "Author", "name");
    generate(&project, "Shop", "name");
    generate(&project, "Book", "title,author:ref(Author)");
    let mine = read(&project, "src/resources/book.rs").replace("/// A book.", "/// Mine.");
    fs::write(project.join("src/resources/book.rs"), &mine).expect("the file");
    let fields = "pages:int,state:enum(new|used)=new,shop:ref(Shop)?";
    let add = ["generate", "--model", "Book", "--add", fields];
    let diff = crud(&project, &[&add[..], &["--dry-run"]].concat()).done();
    assert!(diff.contains("\n+    pub pages: i64,\n"), "{diff}");
    let said = crud(&project, &add).done();
    assert_eq!(
        said,
        "Book: `pages`, `state`, `shop_id` added in src/resources/book.rs.\n\
         `pages`: existing records need a value, by `#[crud(column(backfill(…)))]`, and so do the bodies in \
         tests/resources/book.rs.\n\
         `crud migrate diff` writes the change of a database that has records.\n"
    );
    let text = read(&project, "src/resources/book.rs");
    for part in [
        "use super::author::Author;\nuse super::shop::Shop;\n",
        "/// Mine.",
        "    pub author_id: i64,\n    pub pages: i64,\n    #[crud(default(BookState::New))]\n    pub state: BookState,\n",
        "    #[crud(references(Shop))]\n    pub shop_id: Option<i64>,\n}\n\n/// The state of a book.\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_formatted(&project);
    let before = files(&project);
    let refused = |arguments: &[&str]| crud(&project, &[&["generate", "--model"], arguments].concat()).refused();
    let said = refused(&["Book", "--add", "pages:int"]);
    assert_eq!(said, "cannot add to `src/resources/book.rs`: `Book` has the field `pages` already");
    let said = refused(&["Loan", "--add", "pages:int"]);
    assert_eq!(said, "`src/resources/loan.rs` is missing: `--fields` creates the model");
    assert!(refused(&["Book", "--add", "x:ref(Publisher)"]).starts_with("there is no model `Publisher`"));
    assert_eq!(files(&project), before);
}
