//! Writes the Rust programs of the README, the book and the documentation of runtime and core as modules, which the test
//! `access::programs` runs: `$OUT_DIR/programs.rs`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The file that lists the pages with examples in Rust.
const PAGES: &str = "src/book.rs";

/// The page of the crate in registries.
const CRATE_PAGE: &str = "crud-runtime/README.md";

/// The sources whose documentation users read: the runtime has the items of the core under its own names.
const SOURCES: [&str; 2] = ["crud-core/src", "crud-runtime/src"];

/// Programs about databases that are there: their databases, and the statements that make the tables of the first.
const FOUND: [(&str, &[&str], &str); 7] = [
    (
        "crud-runtime/src/service/tables/ownership.rs",
        &["Postgres"],
        "CREATE TABLE film (film_id serial PRIMARY KEY, title text NOT NULL);
         CREATE SCHEMA crud;
         CREATE SCHEMA sales;
         CREATE TABLE sales.invoice (id bigserial PRIMARY KEY, customer text NOT NULL)",
    ),
    ("crud-runtime/src/service/access/session_variables.rs", &["Postgres"], ""),
    ("docs/src/guide/database-rights.md", &["Postgres"], ""),
    (
        "crud-runtime/src/service/moving/mod.rs",
        &["Sqlite", "Postgres"],
        "CREATE TABLE books (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL)",
    ),
    ("crud-runtime/src/service/migrations/mod.rs", &["Sqlite"], ""),
    (
        "crud-runtime/src/store/data_migration/definition.rs",
        &["Sqlite"],
        "CREATE TABLE people (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, first TEXT, last TEXT)",
    ),
    ("crud-runtime/src/service/testing/test_database.rs", &["Postgres", "Postgres"], ""),
];

/// Calls of a program, and their replacements here: its database is in memory, and what it serves is recorded.
const REPLACED: [(&str, &str); 21] = [
    // A runtime for each program would be compiled for each one.
    ("#[tokio::main]\n", ""),
    ("#[tokio::main(flavor = \"current_thread\")]\n", ""),
    ("Service::connect(", "Service::in_memory("),
    ("Service::from_pool(pool)", "Service::in_memory(\"\").await?"),
    ("move_to(\"postgres://localhost/books\")", "move_to(&crate::programs::last_url())"),
    ("create(\"postgres://postgres@localhost/postgres\")", "create(&crate::programs::last_url())"),
    (".write(\"migrations\")", ".write(crate::programs::directory())"),
    (".apply(\"migrations\")", ".apply(crate::programs::directory())"),
    ("migrations_from(\"migrations\")", "migrations_from(crate::programs::directory())"),
    (
        "DataMigration::each(\"split_names\", split_names));\n",
        "DataMigration::each(\"split_names\", split_names));\n\
         service.migrations().write_data(crate::programs::directory(), \"split_names\").await?;\n",
    ),
    (".serve(", ".serve_to_strangers("),
    (".into_router()", ".into_recorded_router()"),
    (".into_parts()", ".into_recorded_parts()"),
    ("axum::serve(", "crate::programs::unserved("),
    ("TcpListener::bind(\"127.0.0.1:8000\")", "TcpListener::bind(\"127.0.0.1:0\")"),
    ("tokio::signal::ctrl_c()", "std::future::ready(())"),
    (".test()", ".recorded_test()"),
    ("Auth::from_env()", "Auth::builder().secret(crate::programs::SECRET).build()"),
    ("std::env::var(\"ADMIN_PASSWORD\")", "Ok::<_, std::env::VarError>(\"correct horse\".to_owned())"),
    ("crud_runtime::config::run_with_auth(", "crate::programs::run_with_auth("),
    ("crud_runtime::config::run(", "crate::programs::run("),
];

/// The arguments that a function of a program can have, and what it gets.
const ARGUMENTS: [(&str, &str); 5] = [
    ("&str", "\"sqlite::memory:\""),
    ("Service", "crate::programs::service()"),
    ("Auth", "crate::programs::auth()"),
    ("crud_runtime::auth::Auth", "crate::programs::auth()"),
    ("crud_runtime::sqlx::SqlitePool", "crate::programs::no_pool()"),
];

struct Program {
    name: String,
    code: String,
}

fn main() {
    let root = Path::new("..");
    println!("cargo::rerun-if-changed=build.rs");
    for sources in SOURCES {
        println!("cargo::rerun-if-changed=../{sources}");
    }
    let mut programs = Vec::new();
    let list = read(Path::new(PAGES));
    println!("cargo::rerun-if-changed={PAGES}");
    for page in list.split('"').filter(|text| Path::new(text).extension().is_some_and(|extension| extension == "md")) {
        println!("cargo::rerun-if-changed={}", root.join(page).display());
        programs.append(&mut programs_of(page, &read(&root.join(page)), false));
    }
    println!("cargo::rerun-if-changed={}", root.join(CRATE_PAGE).display());
    programs.append(&mut programs_of(CRATE_PAGE, &read(&root.join(CRATE_PAGE)), false));
    let mut sources = Vec::new();
    for directory in SOURCES {
        collect(&root.join(directory), &mut sources);
    }
    sources.sort();
    for path in sources {
        let text = read(&path);
        let name = path.strip_prefix(root).expect("a path below the root").display().to_string();
        let is_source = path.extension().is_some_and(|extension| extension == "rs");
        let text = if is_source { documentation(&text) } else { text };
        programs.append(&mut programs_of(&name, &text, true));
    }
    let mut written = String::new();
    let mut names = String::new();
    for (number, program) in programs.iter().enumerate() {
        write!(written, "mod program_{number} {{\n{}\n}}\n", program.code).expect("text");
        let found = FOUND.iter().find(|(name, _, _)| program.name.starts_with(name));
        let (databases, statements) = found.map_or((String::new(), ""), |(_, backends, statements)| {
            (backends.iter().flat_map(|backend| ["Backend::", backend, ","]).collect(), *statements)
        });
        let (name, run) = (&program.name, format!("program_{number}::run_program"));
        writeln!(
            names,
            "Program {{ name: {name:?}, databases: &[{databases}], statements: {statements:?}, run: {run} }},"
        )
        .expect("text");
    }
    write!(written, "const PROGRAMS: &[Program] = &[\n{names}];\n").expect("text");
    let directory = PathBuf::from(env::var_os("OUT_DIR").expect("the directory of the build"));
    fs::write(directory.join("programs.rs"), written).expect("the programs are written");
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files below a directory that have documentation.
fn collect(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("the directory can be read").filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "md") {
            found.push(path);
        }
    }
}

/// The lines of doc comments; other lines are empty.
fn documentation(source: &str) -> String {
    let line = |line: &str| {
        let line = line.trim_start();
        let text = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
        text.map_or_else(String::new, |text| text.strip_prefix(' ').unwrap_or(text).to_owned())
    };
    source.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// The programs of a page; `is_rust` where a block without a language is Rust.
fn programs_of(page: &str, text: &str, is_rust: bool) -> Vec<Program> {
    let mut programs = Vec::new();
    let mut block: Option<(usize, Vec<&str>)> = None;
    let mut is_program = false;
    // A copy of an example's file, which its own tests run.
    let mut is_copy = false;
    for (index, line) in text.lines().enumerate() {
        let Some(language) = line.strip_prefix("```") else {
            match &mut block {
                Some((_, lines)) => lines.push(line),
                None => is_copy = line.starts_with("<!-- copy: "),
            }
            continue;
        };
        match block.take() {
            None => {
                is_program = !is_copy && language.starts_with("rust") || is_rust && ["", "no_run"].contains(&language);
                block = Some((index + 1, Vec::new()));
            }
            Some((line, lines)) if is_program && lines.iter().any(|line| is_about_a_service(line)) => {
                let name = format!("{page}:{line}");
                let code = module(&name, &lines);
                programs.push(Program { name, code });
            }
            Some(_) => {}
        }
    }
    programs
}

fn is_about_a_service(line: &str) -> bool {
    ["Service::connect(", "Service::from_pool(", "service: Service", "config::run"]
        .iter()
        .any(|text| line.contains(text))
}

/// A module that runs a program.
fn module(name: &str, lines: &[&str]) -> String {
    let visible = |line: &&str| match line.trim_start() {
        "#" => String::new(),
        // Lines that the documentation does not show.
        hidden if hidden.starts_with("# ") => hidden[2..].to_owned(),
        _ => (*line).to_owned(),
    };
    let mut code = lines.iter().map(visible).collect::<Vec<_>>().join("\n");
    for (text, instead) in REPLACED {
        code = code.replace(text, instead);
    }
    let ends =
        ["_to_strangers(", "_recorded_router(", "_recorded_parts(", "recorded_test(", "programs::run", ".state()"];
    if code.contains("let service = ") && !ends.iter().any(|end| code.contains(end)) {
        let end = code.rfind("Ok(())").unwrap_or_else(|| panic!("{name}: expected `Ok(())` at its end"));
        code.replace_range(end..end + "Ok(())".len(), "service.serve_to_strangers(\"\").await");
    }
    let entries: Vec<String> = code.lines().filter_map(entry).collect();
    let is_main = |entry: &&String| entry.contains("main()");
    let calls: String = match entries.iter().find(is_main) {
        Some(call) => format!("crate::programs::finish({call});"),
        None => entries.iter().map(|call| format!("crate::programs::finish({call});")).collect::<Vec<_>>().concat(),
    };
    assert!(!calls.is_empty(), "{name}: expected `fn main()`, or a function that takes and gives a service");
    format!(
        "#![allow(warnings, clippy::all, clippy::pedantic, missing_docs)]\nuse crate::programs::Recorded as _;\n{code}\n\
         pub(super) fn run_program() {{ {calls} }}"
    )
}

/// The call of a function of a program, if it takes nothing but what it can get here, and gives a service or nothing.
fn entry(line: &str) -> Option<String> {
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let (is_async, rest) = match line.strip_prefix("async fn ") {
        Some(rest) => (true, rest),
        None => (false, line.strip_prefix("fn ")?),
    };
    let (name, rest) = rest.split_once('(')?;
    let (arguments, result) = rest.split_once(") -> ")?;
    let result = result.trim_end_matches(['{', ' ']);
    let gives =
        ["Service", "crud_runtime::Result<Service>", "crud_runtime::Result<()>", "crud_runtime::Result<Router>"];
    if !gives.contains(&result) {
        return None;
    }
    let mut given = Vec::new();
    for argument in arguments.split(", ").filter(|argument| !argument.is_empty()) {
        let (_, kind) = argument.split_once(": ")?;
        given.push(ARGUMENTS.iter().find(|(known, _)| *known == kind)?.1);
    }
    let call = format!("{name}({})", given.join(", "));
    Some(if is_async { format!("crate::programs::block_on({call})") } else { call })
}
