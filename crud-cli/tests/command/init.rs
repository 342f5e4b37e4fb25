//! `crud init`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Work, assert_formatted, crud, files};

const FILES: [&str; 13] = [
    ".cargo/config.toml",
    ".dockerignore",
    ".env.example",
    ".gitignore",
    "AGENTS.md",
    "Cargo.toml",
    "Dockerfile",
    "README.md",
    "crud.toml",
    "docs/README.md",
    "src/main.rs",
    "src/resources/mod.rs",
    "tests/api.rs",
];

/// The placeholders of templates, which no file may contain.
const GAPS: [&str; 8] =
    ["{{name}}", "{{title}}", "{{runtime}}", "{{docker", "{{database", "{{if", "{{else}}", "{{end}}"];

#[test]
fn a_project_is_created_and_its_path_is_printed() {
    let work = Work::new();
    let said = work.crud(&["init", "--name", "my_shop", "--path", "."]).done();
    let next = "Next:\n  cd my_shop\n  crud generate --model Book --fields \"title:str,pages:int\"\n  cargo run\n";
    assert_eq!(said, format!("Project my_shop created at {}.\n{next}", work.path("my_shop").display()));
    let files = files(&work.path("my_shop"));
    assert_eq!(files.keys().collect::<Vec<_>>(), FILES);
    for (name, text) in &files {
        for gap in GAPS {
            assert!(!text.contains(gap), "{name} has the gap {gap}: {text}");
        }
        for word in ["JWT_SECRET_KEY", "run_with_auth", "argon2", "token"] {
            assert!(!text.contains(word), "{name} speaks of authentication: {text}");
        }
    }
    assert!(files["src/resources/mod.rs"].contains("My Shop API"));
    assert!(files["src/main.rs"].contains("on the address (`bind`) of `crud.toml`"));
    assert!(files["crud.toml"].contains("database_url = \"sqlite://my_shop.db\"\nbind = \"0.0.0.0:8000\""));
    assert!(files["Cargo.toml"].contains("\n[workspace]\n"));
    assert_formatted(&work.path("my_shop"));
}

#[test]
fn the_names_of_project_and_model_may_come_first() {
    let work = Work::new();
    assert!(work.crud(&["init", "my_shop"]).done().starts_with("Project my_shop created at "));
    let said = crud(&work.path("my_shop"), &["generate", "Product", "--fields", "name:str"]).done();
    assert_eq!(said, "Product generated in src/resources/product.rs, served at /products.\n");
    let twice = work.crud(&["init", "a", "--name", "b"]).misused();
    assert!(twice.contains("the argument '[NAME]' cannot be used with '--name <NAME>'"), "{twice}");
    let both = crud(&work.path("my_shop"), &["generate", "Product", "--from-database"]).misused();
    assert!(both.contains("cannot be used with"), "{both}");
}

#[test]
fn with_authentication_the_needed_secret_is_printed() {
    let work = Work::new();
    let said = work.crud(&["init", "--name", "my_shop", "--auth"]).done();
    let secret = "\n  echo \"JWT_SECRET_KEY=$(openssl rand -base64 48)\" >> .env\n  cargo run\n";
    assert!(said.ends_with(secret), "{said}");
    let said = work.crud(&["init", "--name", "open", "--path", "my projects", "--auth", "no"]).done();
    assert!(said.contains("\n  cd 'my projects/open'\n") && said.ends_with("\n  cargo run\n"), "{said}");
    assert!(!fs::read_to_string(work.path("my projects/open/src/main.rs")).expect("the file").contains("Auth"));
    let files = files(&work.path("my_shop"));
    assert_eq!(files.keys().collect::<Vec<_>>(), [&FILES[..], &["tests/prove.rs"]].concat());
    for (name, text) in &files {
        for gap in GAPS {
            assert!(!text.contains(gap), "{name} has the gap {gap}: {text}");
        }
    }
    let (_, of_tests) = files["Cargo.toml"].split_once("[dev-dependencies]\n").expect("crates of tests");
    assert!(of_tests.contains("\ncrud-prove = { "), "the proof's crate is of tests alone");
    let main = &files["src/main.rs"];
    assert!(main.contains("    crud_runtime::config::run_with_auth(service, Auth::builder()).await\n"), "{main}");
    assert!(!main.contains("config::run("), "{main}");
    assert!(main.contains("        .plugin(crud_admin::Admin::new())\n"), "it has the admin page: {main}");
    assert!(files[".env.example"].contains("\nJWT_SECRET_KEY=\n"), "it has a place for the secret, and no secret");
    for name in [".env.example", "README.md", "Dockerfile", "tests/api.rs"] {
        assert!(files[name].contains("JWT_SECRET_KEY") && files[name].contains("ADMIN_PASSWORD"), "{name}");
    }
    assert!(!files["crud.toml"].contains("SECRET"), "secrets are not for the file");
    assert_formatted(&work.path("my_shop"));
}

#[test]
fn missing_parent_directories_are_created() {
    let work = Work::new();
    work.crud(&["init", "--name", "demo", "--path", "a/b"]).done();
    assert!(work.path("a/b/demo/Cargo.toml").is_file());
}

/// The path of the runtime in a project's `Cargo.toml`.
fn runtime_path(project: &Path) -> PathBuf {
    let manifest = fs::read_to_string(project.join("Cargo.toml")).expect("the manifest");
    let line = manifest.lines().find(|line| line.starts_with("crud-runtime")).expect("the dependency");
    line.split('"').nth(1).expect("a path").into()
}

#[test]
fn the_default_runtime_is_the_one_of_the_source_tree() {
    let (_work, project) = Work::with_project();
    let path = runtime_path(&project);
    assert!(path.is_relative(), "{}", path.display());
    let crate_of = project.join(path).join("Cargo.toml");
    assert!(fs::read_to_string(crate_of).expect("a crate").contains("name = \"crud-runtime\""));
    assert!(fs::read_to_string(project.join("Dockerfile")).expect("it").contains("COPY --from=crud "));
}

#[test]
fn no_file_has_the_path_of_the_project() {
    let work = Work::new();
    let below = work.path("");
    fs::create_dir_all(work.path("crud/crud-runtime")).expect("a directory");
    fs::write(work.path("crud/Cargo.toml"), "[workspace]\n").expect("a workspace");
    fs::write(work.path("crud/crud-runtime/Cargo.toml"), "[package]\nname = \"crud-runtime\"\n").expect("a crate");
    work.crud(&["init", "--name", "demo", "--path", "services", "--runtime", "crud/crud-runtime"]).done();
    let files = files(&work.path("services/demo"));
    for (name, text) in &files {
        assert!(!text.contains(below.to_str().expect("UTF-8")), "{name}: {text}");
    }
    assert_eq!(runtime_path(&work.path("services/demo")), Path::new("../../crud/crud-runtime"));
    // The image has the two directories as they lie here.
    let dockerfile = &files["Dockerfile"];
    for line in [
        "# docker build --build-context crud=../../crud -t demo .",
        "COPY --from=crud --exclude=target --exclude=.git [\".\", \"/build/crud\"]",
        "WORKDIR /build/services/demo",
        "COPY --from=build [\"/build/services/demo/target/release/demo\", \"/usr/local/bin/service\"]",
        "COPY --from=build [\"/build/services/demo/migrations\", \"/srv/migrations\"]",
        "COPY --from=build [\"/build/services/demo/crud.toml\", \"/srv/crud.toml\"]",
    ] {
        assert!(dockerfile.lines().any(|other| other == line), "{line}: {dockerfile}");
    }
    // A project in the workspace's own directory.
    work.crud(&["init", "--name", "demo", "--path", "crud", "--runtime", "crud/crud-runtime"]).done();
    assert_eq!(runtime_path(&work.path("crud/demo")), Path::new("../crud-runtime"));
    let dockerfile = fs::read_to_string(work.path("crud/demo/Dockerfile")).expect("it");
    assert!(dockerfile.contains("[\".\", \"/build\"]\nWORKDIR /build/demo\n"), "{dockerfile}");
}

#[test]
fn another_runtime_can_be_given() {
    let work = Work::new();
    work.crud(&["init", "--name", "a", "--runtime", "0.1"]).done();
    let manifest = fs::read_to_string(work.path("a/Cargo.toml")).expect("the manifest");
    assert!(
        manifest.contains("crud-runtime = { version = \"0.1\", features = [\"config\", \"migrations\"] }"),
        "{manifest}"
    );
    let dockerfile = fs::read_to_string(work.path("a/Dockerfile")).expect("it");
    assert!(!dockerfile.contains("--from=crud") && dockerfile.contains("\nWORKDIR /build\n"), "{dockerfile}");

    fs::create_dir(work.path("my runtime")).expect("a directory");
    fs::write(work.path("my runtime/Cargo.toml"), "[package]\nname = \"crud-runtime\"\n").expect("a crate");
    work.crud(&["init", "--name", "b", "--runtime", "my runtime"]).done();
    assert_eq!(runtime_path(&work.path("b")), Path::new("../my runtime"));
    let dockerfile = fs::read_to_string(work.path("b/Dockerfile")).expect("it");
    assert!(dockerfile.contains("--build-context crud='../my runtime' "), "{dockerfile}");

    let said = work.crud(&["init", "--name", "c", "--runtime", "nowhere"]).refused();
    assert!(said.starts_with("`nowhere` is neither a version nor the path of crud-runtime"), "{said}");
    assert!(!work.path("c").exists());
}

#[test]
fn an_invalid_name_is_refused() {
    let work = Work::new();
    for name in ["", "1st", "my shop", "fn", "tokio", "../up", "a/b"] {
        let said = work.crud(&["init", "--name", name]).refused();
        assert!(said.starts_with(&format!("`{name}` is")), "{said}");
    }
    assert_eq!(files(&work.path("")).len(), 0);
}

#[test]
fn without_a_terminal_a_missing_name_is_an_error() {
    let said = Work::new().crud(&["init"]).refused();
    assert_eq!(said, "`--name` is missing, and there is no terminal to ask on");
}

#[test]
fn a_directory_that_is_not_empty_is_refused() {
    let work = Work::new();
    fs::create_dir(work.path("demo")).expect("a directory");
    work.crud(&["init", "--name", "demo"]).done();
    let before = files(&work.path("demo"));
    let said = work.crud(&["init", "--name", "demo"]).refused();
    assert!(said.contains("demo` is not empty: `--force` adds"), "{said}");
    assert_eq!(files(&work.path("demo")), before);
    fs::write(work.path("file"), "").expect("a file");
    assert!(work.crud(&["init", "--name", "file"]).refused().ends_with("file` exists and is not a directory"));
}

#[test]
fn force_keeps_existing_files() {
    let work = Work::new();
    fs::create_dir_all(work.path("demo/src")).expect("a directory");
    fs::write(work.path("demo/src/main.rs"), "mine").expect("a file");
    fs::write(work.path("demo/notes"), "mine too").expect("a file");
    let said = work.crud(&["init", "--name", "demo", "--force"]).done();
    assert!(said.contains("\nKept as it was: src/main.rs\n"), "{said}");
    let files = files(&work.path("demo"));
    assert_eq!((files["src/main.rs"].as_str(), files["notes"].as_str()), ("mine", "mine too"));
    assert_eq!(files.len(), FILES.len() + 1);
}

#[test]
fn a_failed_write_leaves_nothing_behind() {
    let work = Work::new();
    fs::write(work.path("file"), "").expect("a file");
    let said = work.crud(&["init", "--name", "demo", "--path", "file"]).refused();
    assert!(said.starts_with("cannot write `") && said.contains("file/demo/Cargo.toml`"), "{said}");
    // The project's directory can be written, but not every file in it.
    fs::create_dir(work.path("half")).expect("a directory");
    fs::write(work.path("half/tests"), "in the way").expect("a file");
    work.crud(&["init", "--name", "half", "--force"]).refused();
    assert_eq!(files(&work.path("half")).keys().collect::<Vec<_>>(), ["tests"]);
    assert!(!work.path("half/src").exists());
}

#[test]
fn a_project_runs_on_the_given_database() {
    let work = Work::new();
    for (database, url, secret_url) in [
        ("postgres", "postgres://localhost:5432/demo", "postgres://demo:password@localhost:5432/demo"),
        ("mysql", "mysql://localhost:3306/demo", "mysql://demo:password@localhost:3306/demo"),
        ("mongodb", "mongodb://localhost:27017/demo", "mongodb://demo:password@localhost:27017/demo"),
    ] {
        let said = work.crud(&["init", "--name", "demo", "--path", database, "--database", database]).done();
        assert!(said.contains(", as its README.md describes. Its tests need no server.\nNext:\n"), "{said}");
        let project = work.path(&format!("{database}/demo"));
        let files = files(&project);
        assert_eq!(files.keys().collect::<Vec<_>>(), FILES);
        for (name, text) in &files {
            for gap in GAPS {
                assert!(!text.contains(gap), "{name} has the gap {gap}: {text}");
            }
        }
        let migrations = if database == "mongodb" { "" } else { "\"migrations\", " };
        let features = format!("features = [\"config\", {migrations}\"{database}\"] }}\n");
        assert_eq!(files["README.md"].contains("crud migrate"), database != "mongodb");
        assert!(files["Cargo.toml"].contains(&features), "{}", files["Cargo.toml"]);
        assert!(files["crud.toml"].contains(&format!("database_url = \"{url}\"\n")));
        assert!(files[".env.example"].contains(&format!("\nDATABASE_URL={secret_url}\n")));
        assert!(files["README.md"].contains(secret_url));
        assert!(files["tests/api.rs"].contains("\"sqlite::memory:\""), "the tests need no server");
        assert!(files["Dockerfile"].contains("-e DATABASE_URL demo\n") && !files["Dockerfile"].contains("/data"));
        assert_formatted(&project);
        crud(&project, &["config", "--set", "max_limit", "5"]).done();
        crud(&project, &["config", "--reset"]).done();
        assert_eq!(fs::read_to_string(project.join("crud.toml")).expect("the file"), files["crud.toml"]);
    }
    work.crud(&["init", "--name", "demo", "--database", "oracle"]).misused();
    assert!(!work.path("demo").exists());
}

#[test]
fn a_project_is_a_repository_of_git() {
    let has_git = std::process::Command::new("git").arg("--version").output().is_ok();
    let work = Work::new();
    work.crud(&["init", "--name", "demo"]).done();
    assert_eq!(work.path("demo/.git").is_dir(), has_git);
    work.crud(&["init", "--name", "plain", "--no-git"]).done();
    assert!(!work.path("plain/.git").exists());
    // A directory inside a repository gets no second one.
    fs::create_dir_all(work.path("whole/.git")).expect("a directory");
    work.crud(&["init", "--name", "part", "--path", "whole"]).done();
    assert!(!work.path("whole/part/.git").exists());
}
