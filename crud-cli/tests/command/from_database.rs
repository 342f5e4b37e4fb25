//! `crud generate --from-database`. The project's program, which reads the database, is a script that prints a description.
//!
//! The descriptions are those of `tests/existing`, which `tests/tests/databases/existing` compares with what databases say. The resources
//! are in the directories beside them; `CRUD_TEST_UPDATE=1` writes them anew.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crud_shared::catalogue::{Catalogue, Column, ColumnType, ForeignKey, Kind, LeftOut, Table};

use crate::support::{Said, Work, assert_formatted, command, crud, files, said};

/// A project whose program prints descriptions.
struct Existing {
    work: Work,
    project: PathBuf,
}

impl Existing {
    fn new() -> Self {
        let (work, project) = Work::with_project();
        Self { work, project }
    }

    /// Runs the command on a database that is described so.
    fn generate(&self, description: &str, arguments: &[&str]) -> Said {
        let (cargo, printed) = (self.work.path("cargo"), self.work.path("printed"));
        fs::write(&printed, format!("A line of the program.\n{description}\n")).expect("a file");
        let asked = self.work.path("asked");
        let script =
            format!("#!/bin/sh\necho \"$DATABASE_URL $*\" > '{}'\ncat '{}'\n", asked.display(), printed.display());
        fs::write(&cargo, script).expect("a program");
        fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).expect("a program that runs");
        let mut generate = command(&self.project);
        generate.arg("generate").args(arguments).env("CARGO", cargo);
        said(&mut generate)
    }

    fn of(&self, catalogue: &Catalogue) -> String {
        self.generate(&serde_json::to_string(catalogue).expect("JSON"), &["--from-database", "postgres://localhost/a"])
            .done()
    }

    /// Arguments that the program was run with.
    fn asked(&self) -> String {
        fs::read_to_string(self.work.path("asked")).expect("the file")
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.project.join(file)).expect("the file")
    }

    fn edit(&self, file: &str, from: &str, to: &str) {
        let text = self.read(file);
        assert!(text.contains(from), "{from} in {text}");
        fs::write(self.project.join(file), text.replace(from, to)).expect("the file");
    }
}

fn column(name: &str, base: &str) -> Column {
    let ty = ColumnType { declared: base.to_owned(), base: base.to_owned(), ..ColumnType::default() };
    Column { name: name.to_owned(), ty, not_null: true, ..Column::default() }
}

fn key(name: &str) -> Column {
    Column { assigned: true, ..column(name, "int4") }
}

fn table(name: &str, columns: Vec<Column>) -> Table {
    let key = columns.iter().filter(|column| column.assigned).map(|column| column.name.clone()).collect();
    Table { name: name.to_owned(), writable: true, columns, key, ..Table::default() }
}

fn postgres(tables: Vec<Table>) -> Catalogue {
    Catalogue { database: "postgres".to_owned(), tables, ..Catalogue::default() }
}

fn to(column: &str, table: &str) -> ForeignKey {
    ForeignKey {
        columns: vec![column.to_owned()],
        table: table.to_owned(),
        references: vec!["id".to_owned()],
        on_delete: "NO ACTION".to_owned(),
        ..ForeignKey::default()
    }
}

/// The line on the address of a project without logins.
const CLOSED: &str = "  `crud.toml`: the service listens on 127.0.0.1:8000, as everyone who reaches it may do everything: `crud \
                      add auth` adds logins, and `crud config --set bind 0.0.0.0:8000` opens it to every network\n";

/// The resources of a described database are those of its directory.
fn golden(database: &str) {
    let existing = Existing::new();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/existing");
    let description = fs::read_to_string(directory.join(format!("{database}.json"))).expect("the description");
    let description = description.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = existing.generate(&description, &["--from-database"]).done();
    assert_formatted(&existing.project);
    let mut found = files(&existing.project.join("src/resources"));
    found.insert("report.txt".to_owned(), said);
    let golden = directory.join(database);
    if env::var_os("CRUD_TEST_UPDATE").is_some() {
        fs::remove_dir_all(&golden).ok();
        fs::create_dir_all(&golden).expect("the directory");
        for (name, text) in &found {
            fs::write(golden.join(name), text).expect("the file");
        }
    }
    let expected = files(&golden);
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (name, text) in &found {
        assert_eq!(text, &expected[name], "{database}/{name}");
    }
}

#[test]
fn resources_of_postgresql_are_written() {
    golden("postgres");
}

#[test]
fn resources_of_sqlite_are_written() {
    golden("sqlite");
}

#[test]
fn resources_of_mariadb_are_written() {
    golden("mysql");
}

#[test]
fn a_table_becomes_a_resource() {
    let existing = Existing::new();
    let film = Table {
        foreign_keys: vec![to("language_id", "language")],
        ..table("film", vec![key("id"), column("title", "text"), column("language_id", "int4")])
    };
    let said = existing.of(&postgres(vec![film, table("language", vec![key("id"), column("name", "text")])]));
    assert_eq!(
        said,
        "Film: the table `film`, in src/resources/film.rs, served at /films\n\
         Language: the table `language`, in src/resources/language.rs, served at /languages\n\
         Look at:\n"
            .to_owned()
            + CLOSED
    );
    assert_eq!(
        existing.read("src/resources/film.rs"),
        "//! Films.

use crud_runtime::prelude::*;

use super::language::Language;

/// A film.
#[derive(Debug, Clone, Resource)]
#[crud(table(\"film\", unmanaged), filter, sort, pagination(cursor))]
pub struct Film {
    pub id: i32,
    pub title: String,
    #[crud(references(Language, expand))]
    pub language_id: i32,
}
"
    );
    let language = existing.read("src/resources/language.rs");
    assert!(language.contains("has_many(films(Film::language_id))"), "{language}");
    let registry = existing.read("src/resources/mod.rs");
    assert!(registry.contains("pub mod film;\npub mod language;\n"), "{registry}");
    assert!(registry.contains(".resource::<film::Film>()\n        .resource::<language::Language>()\n"), "{registry}");
    assert_formatted(&existing.project);
}

#[test]
fn the_program_is_asked_for_the_database_of_the_url() {
    let existing = Existing::new();
    let text = serde_json::to_string(&postgres(vec![table("a", vec![key("id")])])).expect("JSON");
    let url = "postgres://me:secret@localhost/shop";
    existing.generate(&text, &["--from-database", url, "--schema", "s", "--table", "a"]).done();
    assert_eq!(existing.asked(), format!("{url} run --quiet -- describe --schema s --table a\n"));
    existing.generate(&text, &["--from-database"]).done();
    assert_eq!(existing.asked(), " run --quiet -- describe\n", "the configured one");
    let said = existing.generate(&text, &["--from-database", "--table", "b"]).refused();
    assert_eq!(said, "the database has no table or view `b`");
    let said = existing.generate("nothing", &["--from-database"]).refused();
    assert!(said.starts_with("the project's program printed no description of its database"), "{said}");
}

#[test]
fn options_of_a_new_model_are_not_those_of_a_database() {
    let work = Work::new();
    for arguments in [
        &["generate", "--from-database", "--model", "A"][..],
        &["generate", "--from-database", "--fields", "a"],
        &["generate", "--schema", "s"],
        &["generate", "--table", "t"],
    ] {
        work.crud(arguments).misused();
    }
}

#[test]
fn the_report_says_what_is_left_out_and_why() {
    let existing = Existing::new();
    let far = ForeignKey { schema: Some("archive".to_owned()), ..to("old_id", "old") };
    let film = Table {
        foreign_keys: vec![far],
        ..table("film", vec![key("id"), column("old_id", "int4"), column("Title", "text"), column("title", "text")])
    };
    let line = Column { generated: true, ..column("line", "text") };
    let mut catalogue = postgres(vec![film, table("log", vec![line])]);
    let part =
        LeftOut { table: "film_1".to_owned(), reason: "a partition of `film`, which has its records".to_owned() };
    catalogue.left_out.push(part);
    let said = existing.of(&catalogue);
    let report = said.split_once("Left out:\n").expect("a report").1;
    assert_eq!(
        report.replace(CLOSED, ""),
        "  `film_1`: a partition of `film`, which has its records\n  \
           `film.title`: its name differs from `Title` in letter case alone\n\
         Look at:\n  \
           `log`: it has no key, so its records are listed, and not read or changed one by one\n  \
           `film`: the foreign key of `old_id` to `archive.old` is not a reference: that table has no resource\n"
    );
    let log = existing.read("src/resources/log.rs");
    assert!(
        log.contains("table(\"log\", unmanaged, no_key), filter, sort, pagination)]")
            && log.contains("{\n    pub line: String,\n}"),
        "{log}"
    );
}

#[test]
fn running_again_changes_nothing() {
    let existing = Existing::new();
    let ty = ColumnType {
        declared: "mood".to_owned(),
        base: "enum".to_owned(),
        labels: vec!["calm".to_owned()],
        ..ColumnType::default()
    };
    let mood = Column { name: "mood".to_owned(), ty, not_null: true, ..Column::default() };
    let catalogue = postgres(vec![
        table("film", vec![key("id"), mood]),
        table("Order", vec![key("id"), column("Zip Code", "text")]),
    ]);
    existing.of(&catalogue);
    let before = files(&existing.project);
    assert_eq!(existing.of(&catalogue), "Every table and view has its resource already: nothing changed.\n");
    assert_eq!(files(&existing.project), before);
}

#[test]
fn what_is_new_is_added_and_what_is_there_stays() {
    let existing = Existing::new();
    let film = |more: Vec<Column>| {
        let columns = [vec![key("id"), column("title", "text")], more].concat();
        Table { foreign_keys: vec![to("language_id", "language")], ..table("film", columns) }
    };
    existing.of(&postgres(vec![film(Vec::new())]));
    existing.edit("src/resources/film.rs", "/// A film.", "/// Mine.");
    existing.edit("src/resources/film.rs", "pub struct Film {", "pub struct Movie {");
    existing.edit(
        "src/resources/film.rs",
        "    pub title: String,",
        "    #[crud(column = \"title\")]\n    pub name: String,",
    );
    let registered = ".resource_with::<film::Movie>(|options| options.max_limit(5))";
    existing.edit("src/resources/mod.rs", ".resource::<film::Film>()", registered);
    let nullable = |column: Column| Column { not_null: false, ..column };
    let more = vec![nullable(column("language_id", "int4")), nullable(column("limit", "int4"))];
    let said = existing.of(&postgres(vec![film(more), table("language", vec![key("id")])]));
    assert!(said.contains("Movie: new fields in src/resources/film.rs\n"), "{said}");
    assert_eq!(
        existing.read("src/resources/film.rs"),
        "//! Films.

use crud_runtime::prelude::*;

use super::language::Language;

/// Mine.
#[derive(Debug, Clone, Resource)]
#[crud(table(\"film\", unmanaged), filter, sort, pagination(cursor))]
pub struct Movie {
    pub id: i32,
    #[crud(column = \"title\")]
    pub name: String,
    #[crud(references(Language, expand))]
    pub language_id: Option<i32>,
    #[crud(rename = \"limit_value\")]
    pub limit: Option<i32>,
}
"
    );
    let registry = existing.read("src/resources/mod.rs");
    assert!(registry.contains(registered) && registry.contains(".resource::<language::Language>()"), "{registry}");
    let language = existing.read("src/resources/language.rs");
    assert!(language.contains("use super::film::Movie;") && language.contains("(Movie::language_id)"), "{language}");
    let without = existing.of(&postgres(vec![table("film", vec![key("id")]), table("language", vec![key("id")])]));
    assert!(without.contains("`film`: the field `name` of Movie has no column `title` any more"), "{without}");
    assert_formatted(&existing.project);
}

#[test]
fn a_dry_run_writes_nothing() {
    let existing = Existing::new();
    let before = files(&existing.project);
    let text = serde_json::to_string(&postgres(vec![table("film", vec![key("id")])])).expect("JSON");
    let said = existing.generate(&text, &["--from-database", "--dry-run"]).done();
    assert!(said.contains("+++ b/src/resources/film.rs") && said.contains("+pub mod film;"), "{said}");
    assert_eq!(files(&existing.project), before);
}

#[test]
fn many_children_share_the_rows_of_a_page() {
    let existing = Existing::new();
    let child = |number: usize| Table {
        foreign_keys: vec![to("a_rather_long_parent_id", "parent")],
        ..table(&format!("a_child_with_a_name_{number}"), vec![key("id"), column("a_rather_long_parent_id", "int4")])
    };
    let tables = (0..9).map(child).chain([table("parent", vec![key("id")])]).collect();
    let said = existing.of(&postgres(tables));
    let parent = existing.read("src/resources/parent.rs");
    assert_eq!(parent.matches(", limit = 11)").count(), 9, "{parent}");
    let remark = "  `parent`: `has_many` has 9 lists, each of which shows 11 records: remove those that clients do not need, and \
                  raise the `limit` of the others\n";
    assert!(said.contains(remark), "{said}");
    assert_formatted(&existing.project);
}

#[test]
fn a_relation_has_a_free_name() {
    let existing = Existing::new();
    let film = Table {
        foreign_keys: vec![to("city_id", "city"), to("boss", "person"), to("editor_id", "person")],
        ..table(
            "film",
            vec![
                key("id"),
                column("city", "text"),
                column("city_id", "int4"),
                column("boss", "int4"),
                column("editor_id", "int4"),
            ],
        )
    };
    let tables = vec![table("city", vec![key("id")]), film, table("person", vec![key("id"), column("films", "text")])];
    existing.of(&postgres(tables));
    let film = existing.read("src/resources/film.rs");
    for line in [
        "#[crud(references(City, expand, relation(city_record)))]\n    pub city_id",
        "#[crud(references(Person, expand, relation(person)))]\n    pub boss",
        "#[crud(references(Person, expand))]\n    pub editor_id",
    ] {
        assert!(film.contains(line), "{line}: {film}");
    }
    let person = existing.read("src/resources/person.rs");
    assert!(person.contains("has_many(films_2(Film::boss), films_by_editor(Film::editor_id))"), "{person}");
}

#[test]
fn a_view_and_a_name_without_a_foreign_key_are_references_too() {
    let existing = Existing::new();
    let view = Table { kind: Kind::View, writable: false, ..table("lent", vec![column("book_id", "int4")]) };
    let remark = table("remark", vec![key("id"), column("book_id", "int4"), column("book_type", "text")]);
    let said = existing.of(&postgres(vec![table("book", vec![key("id")]), view, remark]));
    assert!(said.contains("`lent.book_id`: by its name, it refers to Book; there is no foreign key"), "{said}");
    let lent = existing.read("src/resources/lent.rs");
    assert!(lent.contains("#[crud(references(Book, unconstrained, expand))]\n    pub book_id: i32"), "{lent}");
    assert!(!existing.read("src/resources/remark.rs").contains("references"), "it may be of any type");
}

#[test]
fn the_name_of_a_key_and_one_of_two_tables_are_no_references() {
    let existing = Existing::new();
    let extra = Table {
        foreign_keys: vec![to("place_id", "moz_places")],
        ..table("moz_places_extra", vec![Column { assigned: true, ..column("place_id", "int4") }])
    };
    let bookmark = table("moz_bookmarks", vec![key("id"), column("place_id", "int4"), column("user_id", "int4")]);
    let tables = ["moz_places", "user", "users"].map(|name| table(name, vec![key("id")]));
    let said = existing.of(&postgres([vec![extra, bookmark], tables.into()].concat()));
    assert!(!said.contains("by its name"), "{said}");
    let bookmark = existing.read("src/resources/moz_bookmark.rs");
    assert!(!bookmark.contains("references"), "{bookmark}");
    let extra = existing.read("src/resources/moz_places_extra.rs");
    assert!(extra.contains("references(MozPlace, expand"), "{extra}");
}

#[test]
fn secrets_are_in_no_answer() {
    let existing = Existing::new();
    let nullable = |column: Column| Column { not_null: false, ..column };
    let of_length =
        |length, column: Column| Column { ty: ColumnType { length: Some(length), ..column.ty.clone() }, ..column };
    let user = table(
        "users",
        vec![
            key("id"),
            column("login", "text"),
            column("pass_crypt", "text"),
            nullable(column("totpSecret", "bytea")),
            nullable(column("reset_token", "uuid")),
            Column { has_default: true, ..column("api_key", "text") },
            nullable(column("hash", "bytea")),
            nullable(of_length(64, column("pw_digest", "bpchar"))),
            nullable(column("pin", "int4")),
            nullable(Column { generated: true, ..column("old_passwords", "text") }),
            nullable(column("token_type", "text")),
            nullable(column("password_changed_at", "timestamptz")),
            nullable(column("secretary", "text")),
            nullable(column("content_hash", "bytea")),
            nullable(column("token_count", "int4")),
        ],
    );
    let token = Table {
        key: vec!["token".to_owned()],
        foreign_keys: vec![to("user_id", "users")],
        ..table("access_tokens", vec![column("token", "varchar"), column("user_id", "int4")])
    };
    let uses = table("grants", vec![key("id"), nullable(column("access_token", "varchar"))]);
    let uses = Table {
        foreign_keys: vec![ForeignKey { references: vec!["token".to_owned()], ..to("access_token", "access_tokens") }],
        ..uses
    };
    let view = Table {
        kind: Kind::View,
        writable: false,
        ..table("user_list", vec![column("login", "text"), column("pass_crypt", "text")])
    };
    let said = existing.of(&postgres(vec![user, token, uses, view]));
    assert_formatted(&existing.project);
    let user = existing.read("src/resources/user.rs");
    for line in [
        "    #[crud(write_only, immutable)]\n    pub pass_crypt: String,",
        "    #[crud(column = \"totpSecret\", hidden)]\n    pub totp_secret: Option<Vec<u8>>,",
        "    #[crud(hidden)]\n    pub reset_token: Option<Uuid>,",
        "    #[crud(hidden, default(database))]\n    pub api_key: String,",
        "    #[crud(hidden)]\n    pub hash: Option<Vec<u8>>,",
        "    #[crud(column(sql_type = \"bpchar\"), hidden, length(max = 64))]\n    pub pw_digest: Option<String>,",
        "    #[crud(hidden)]\n    pub pin: Option<i32>,",
        "    #[crud(hidden, default(database))]\n    pub old_passwords: Option<String>,",
        "    pub pin: Option<i32>,",
        "    pub token_type: Option<String>,\n    pub password_changed_at: Option<DateTime<Utc>>,\n    pub secretary: \
         Option<String>,\n    pub content_hash: Option<Vec<u8>>,\n    pub token_count: Option<i32>,\n}",
    ] {
        assert!(user.contains(line), "{line}: {user}");
    }
    assert!(user.contains("unmanaged), filter, sort,") || user.contains("    filter,\n    sort,"), "{user}");
    let token = existing.read("src/resources/access_token.rs");
    assert!(token.contains("no_key") && !token.contains("pub token"), "{token}");
    assert!(!existing.read("src/resources/user_list_record.rs").contains("pass_crypt"));
    let uses = existing.read("src/resources/grant.rs");
    assert!(uses.contains("    #[crud(hidden)]\n    pub access_token: Option<String>,"), "{uses}");
    for line in [
        "  `access_tokens.token`, `user_list.pass_crypt`: it looks like a secret, and its records are only read\n",
        "  `access_tokens`: its key looks like a secret, so its records are listed, and not read or changed one by one\n",
        "  `users.pass_crypt`: it looks like a secret, so a create sets it, and no request reads or changes it\n",
        "  `users.totpSecret`, `users.reset_token`, `users.api_key`, `users.hash`, `users.pw_digest`, `users.pin`, \
         `users.old_passwords`, `grants.access_token`: it looks like a secret, so it is `hidden`: remove that if clients may \
         read and change it\n",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
}

#[test]
fn a_secret_that_the_project_shows_stays_so() {
    let existing = Existing::new();
    let users = || postgres(vec![table("users", vec![key("id"), column("pass_crypt", "text")])]);
    existing.of(&users());
    existing.edit("src/resources/user.rs", "    #[crud(write_only, immutable)]\n", "");
    assert_eq!(existing.of(&users()), "Every table and view has its resource already: nothing changed.\n");
}

#[test]
fn a_project_without_logins_listens_on_this_machine_until_told_otherwise() {
    let existing = Existing::new();
    let one = || table("film", vec![key("id")]);
    let said = existing.of(&postgres(vec![one()]));
    assert!(said.ends_with(CLOSED), "{said}");
    assert!(existing.read("crud.toml").contains("\nbind = \"127.0.0.1:8000\"\n"));
    assert!(existing.read(".env.example").contains("\nBIND=127.0.0.1:8000\n"));
    existing.edit("crud.toml", "127.0.0.1", "0.0.0.0");
    let said = existing.of(&postgres(vec![one(), table("actor", vec![key("id")])]));
    assert!(!said.contains("crud.toml") && existing.read("crud.toml").contains("0.0.0.0:8000"), "{said}");
}

#[test]
fn a_project_with_logins_keeps_its_address() {
    let existing = Existing::new();
    crud(&existing.project, &["add", "auth"]).done();
    let said = existing.of(&postgres(vec![table("film", vec![key("id")])]));
    assert!(!said.contains("crud.toml") && existing.read("crud.toml").contains("0.0.0.0:8000"), "{said}");
}

#[test]
fn what_no_struct_can_name_is_left_out_and_the_others_are_written() {
    let existing = Existing::new();
    let enumeration = |name: &str, labels: &[&str]| {
        let labels = labels.iter().map(|&label| label.to_owned()).collect();
        Column { ty: ColumnType { labels, ..column(name, "enum").ty }, ..column(name, "enum") }
    };
    let typed = Column {
        ty: ColumnType { declared: "\"my-type\"".to_owned(), ..column("typed", "my-type").ty },
        ..column("typed", "my-type")
    };
    let rounded = ColumnType {
        declared: "numeric(5,-2)".to_owned(),
        precision: Some(5),
        scale: Some(-2),
        ..column("", "numeric").ty
    };
    let rounded = Column { ty: rounded, ..column("rounded", "numeric") };
    let film = table(
        "film",
        vec![
            key("id"),
            enumeration("mood", &["", "calm"]),
            enumeration("never", &[]),
            typed,
            rounded,
            column("", "text"),
        ],
    );
    let seen = Table {
        foreign_keys: vec![ForeignKey { on_delete: "CASCADE".to_owned(), ..to("film_id", "film") }],
        ..table("seen", vec![column("film_id", "int4")])
    };
    let computed = Table {
        key: vec!["square".to_owned()],
        ..table("squared", vec![Column { generated: true, ..column("square", "int4") }])
    };
    let said =
        existing.of(&postgres(vec![table("", vec![key("id")]), table("a.b", vec![key("id")]), film, seen, computed]));
    assert_formatted(&existing.project);
    for line in [
        "  ``: a struct cannot name a table without a name, or with a dot in it\n",
        "  `a.b`: a struct cannot name a table without a name, or with a dot in it\n",
        "  `film.typed`: a field cannot name the type `\"my-type\"`\n",
        "  `film.`: a field cannot name a column without a name\n",
        "  `film.mood`: it is a text: an enum cannot have an empty value, or none\n",
        "  `film.never`: it is a text: an enum cannot have an empty value, or none\n",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    let film = existing.read("src/resources/film.rs");
    for line in [
        "    #[crud(column(sql_type = \"enum\"))]\n    pub mood: String,\n",
        "    #[crud(column(sql_type = \"numeric\"))]\n    pub rounded: String,\n",
    ] {
        assert!(film.contains(line), "{line}: {film}");
    }
    let seen = existing.read("src/resources/seen.rs");
    assert!(seen.contains("#[crud(references(Film, expand))]"), "{seen}");
    assert!(existing.read("src/resources/squared.rs").contains("no_key"));
}

#[test]
fn a_foreign_key_of_several_columns_is_a_reference() {
    let existing = Existing::new();
    let keyed = |name: &str, columns: Vec<Column>, key: &[&str]| {
        let key = key.iter().map(|name| (*name).to_owned()).collect();
        Table { key, ..table(name, columns) }
    };
    let together = |columns: [&str; 2], table: &str| ForeignKey {
        columns: columns.map(str::to_owned).into(),
        references: ["number", "order_id"].map(str::to_owned).into(),
        on_delete: "SET NULL".to_owned(),
        ..to("", table)
    };
    let nullable = |name: &str, base: &str| Column { not_null: false, ..column(name, base) };
    let line = keyed("line", vec![column("order_id", "int8"), column("number", "int4")], &["order_id", "number"]);
    let shipment = Table {
        // In another order than the key's.
        foreign_keys: vec![together(["line_number", "order_id"], "line")],
        ..table("shipment", vec![key("id"), nullable("order_id", "int8"), nullable("line_number", "int4")])
    };
    let returned = Table {
        foreign_keys: vec![together(["line_number", "order_id"], "line"), to("line_number", "reason")],
        ..table("returned", vec![key("id"), column("order_id", "int8"), column("line_number", "int4")])
    };
    let said = existing.of(&postgres(vec![line, shipment, returned, table("reason", vec![key("id")])]));
    assert_formatted(&existing.project);
    let shipment = existing.read("src/resources/shipment.rs");
    let reference = "#[crud(references(
        Line,
        by(order_id, line_number),
        expand,
        relation(line),
        on_delete(set_null)
    ))]
    pub line_number: Option<i32>,";
    assert!(shipment.contains(reference), "{shipment}");
    assert!(shipment.contains("    pub order_id: Option<i64>,"), "{shipment}");
    let line = existing.read("src/resources/line.rs");
    assert!(line.contains("has_many(shipments(Shipment::line_number))"), "{line}");
    let returned = existing.read("src/resources/returned.rs");
    assert!(returned.contains("references(Reason, expand, relation(reason))"), "{returned}");
    let left = "`returned`: the foreign key of `line_number`, `order_id` to `line` is not a reference: `line_number`, the \
                last of its fields, has one already";
    assert!(said.contains(left), "{said}");
}

/// The guide's blocks of a language.
fn blocks(language: &str) -> Vec<&'static str> {
    const GUIDE: &str = include_str!("../../../docs/src/guide/existing-database.md");
    let begin = format!("\n```{language}\n");
    let rest = GUIDE.split(begin.as_str()).skip(1);
    rest.map(|rest| rest.split("```").next().unwrap_or_default()).collect()
}

#[test]
fn the_guide_shows_what_is_written_and_printed() {
    let existing = Existing::new();
    let id = || Column { assigned: true, ..column("id", "int8") };
    let number = |name: &str, precision| {
        let digits = ColumnType { precision: Some(precision), scale: Some(2), ..column(name, "numeric").ty };
        Column { ty: digits, ..column(name, "numeric") }
    };
    let state = ColumnType {
        declared: "order_state".to_owned(),
        base: "enum".to_owned(),
        labels: ["new", "paid"].map(str::to_owned).into(),
        ..ColumnType::default()
    };
    let state = Column { ty: state, has_default: true, ..column("state", "enum") };
    let order = Table {
        foreign_keys: vec![to("customer_id", "customer")],
        ..table(
            "order",
            vec![
                id(),
                column("customer_id", "int8"),
                state,
                number("total", 10),
                Column { generated: true, not_null: false, ..number("total_with_tax", 12) },
                Column { not_null: false, ..column("limit", "int4") },
                column("placed_at", "timestamptz"),
            ],
        )
    };
    let line = Table {
        foreign_keys: vec![to("order_id", "order")],
        ..table("order_line", vec![id(), column("order_id", "int8")])
    };
    let turnover = Table {
        kind: Kind::View,
        writable: false,
        ..table("turnover", vec![column("customer_id", "int8"), column("total", "int8")])
    };
    let mut catalogue = postgres(vec![table("customer", vec![id()]), order, line, turnover]);
    let reason = "a partition of `order`, which has its records".to_owned();
    catalogue.left_out.push(LeftOut { table: "order_2025".to_owned(), reason });
    let said = existing.of(&catalogue);
    assert_eq!(blocks("text"), [said]);
    let file = existing.read("src/resources/order.rs");
    for block in blocks("rs") {
        assert!(file.contains(block), "{block}: {file}");
    }
    assert_formatted(&existing.project);
}

#[test]
fn outside_of_a_project_nothing_is_read() {
    let said = Work::new().crud(&["generate", "--from-database", "sqlite://a.db"]).refused();
    assert!(said.starts_with("there is no project here"), "{said}");
    let (_work, project) = Work::with_project();
    assert!(crud(&project, &["generate", "--help"]).done().contains("--from-database"));
}
