//! A project with authentication.

use serde_json::{Value, json};

use crate::project::{Project, run};
use crate::server::Server;

const NAME: &str = "generated_members";
const SECRET: &str = "a secret of at least thirty-two bytes";
const BIND: (&str, &str) = ("BIND", "127.0.0.1:0");

#[test]
fn a_generated_project_with_authentication_keeps_what_is_promised() {
    let project = Project::generate(NAME, &["--auth"], &[("Member", "name:str,joined:date?", &["--audit"])]);
    if !project.is_compiled() {
        return;
    }
    it_passes_its_tests(&project);
    its_rules_are_proven(&project);
    it_answers_the_command_without_a_secret(&project);
    it_does_not_start_without_one(&project);
    its_first_user_logs_in(&project);
    it_explains_who_reaches_a_record(&project);
    its_users_are_managed(&project);
    it_is_opened_by_its_file_alone(&project);
    its_tests_pass_with_roles_and_tenants(&project);
}

fn it_passes_its_tests(project: &Project) {
    let said = project.cargo(&["test"]).done();
    for test in [
        "resources::member::a_member_is_created_read_updated_and_deleted",
        "it_knows_who_asks",
        "it_has_nothing_for_strangers",
    ] {
        assert!(said.contains(&format!("test {test} ... ok")), "{test}\n{said}");
    }
    assert!(said.contains("test result: ok. 8 passed; 0 failed"), "{said}");
    assert!(said.contains("test every_answer_is_what_the_rules_say ... ok"), "{said}");
}

fn its_rules_are_proven(project: &Project) {
    let said = project.crud(&["prove", "--quick"]).done();
    assert!(said.starts_with("Every answer is what the rules say: "), "{said}");
    let table = project.crud(&["prove", "--table"]).done();
    let row = "| nobody | 401 | 401 | 401 | 401 | 401 | 401 |\n";
    assert!(table.starts_with("# Who may do what\n") && table.contains("## Member, `/members`\n"), "{table}");
    assert!(table.contains(row) && table.contains("| all | all | all | yes | all | all |\n"), "{table}");
}

fn it_answers_the_command_without_a_secret(project: &Project) {
    let document: Value = serde_json::from_str(&project.crud(&["openapi"]).done()).expect("JSON");
    assert!(document["paths"]["/auth/login"]["post"].is_object(), "{document}");
    assert!(document["paths"]["/members"]["post"]["responses"]["401"].is_object(), "{document}");
    let routes = project.crud(&["routes"]).done();
    assert_eq!(line(&routes, "METHOD", "PATH")[2..], ["ACCESS", "STATED", "BY"]);
    assert_eq!(line(&routes, "POST", "/members")[2..], ["authenticated", "default"]);
    assert_eq!(line(&routes, "GET", "/audit-logs")[2..], ["role(\"admin\")", "default"]);
    assert_eq!(line(&routes, "POST", "/auth/login")[2..], ["public", "default"]);
    let reached = project.crud(&["routes", "--as", "editor"]).done();
    assert_eq!(line(&reached, "METHOD", "PATH")[2..], ["ACCESS", "REACHED"]);
    assert_eq!(line(&reached, "POST", "/members")[2..], ["authenticated", "yes"]);
    assert_eq!(line(&reached, "GET", "/audit-logs")[2..], ["role(\"admin\")", "no"]);
    let said = project.crud(&["check"]).done();
    let expected =
        "The service would start with a secret in JWT_SECRET_KEY, and would first create what the database lacks:\n";
    assert!(said.starts_with(expected) && said.contains("CREATE TABLE `auth_users`"), "{said}");
    let said = run(project.program().arg("check").env("JWT_SECRET_KEY", SECRET)).done();
    assert!(said.starts_with("The service would start, and would first create what the database lacks:\n"), "{said}");
}

/// The words of a route's line.
fn line<'t>(table: &'t str, method: &str, path: &str) -> Vec<&'t str> {
    let mut lines = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    lines.find(|words| words.starts_with(&[method, path])).unwrap_or_else(|| panic!("{path}: {table}"))
}

fn it_does_not_start_without_one(project: &Project) {
    let refused =
        |variables: &[(&str, &str)]| run(project.program().envs([BIND]).envs(variables.iter().copied())).refused();
    let said = refused(&[("JWT_SECRET_KEY", "")]);
    assert!(said.contains("set JWT_SECRET_KEY to what `openssl rand -base64 48` prints"), "{said}");
    let said = refused(&[("JWT_SECRET_KEY", "short")]);
    assert!(said.contains("must have at least 32 bytes"), "{said}");
    assert!(!project.root.join(format!("{NAME}.db")).exists(), "it is refused before anything is created");
    let said = refused(&[("JWT_SECRET_KEY", SECRET), ("ADMIN_PASSWORD", "short")]);
    assert_eq!(said, "Error: ADMIN_PASSWORD must have at least 8 characters\n");
}

fn its_first_user_logs_in(project: &Project) {
    let mut server = Server::start(project, &[BIND, ("JWT_SECRET_KEY", SECRET)]);
    assert_eq!(server.logged(), ["INFO listening on ADDRESS"], "the start without a valid password created the tables");
    let password = password_of(&server).expect("a password is printed").to_owned();
    assert_eq!((password.len(), server.post("/members", &json!({ "name": "Ada" })).0), (32, 401));
    let login = json!({ "username": "admin", "password": password });
    let (status, tokens) = server.post("/auth/login", &login);
    assert_eq!(status, 200, "{tokens}");
    server.token = tokens["access_token"].as_str().map(str::to_owned);
    assert_eq!(server.post("/members", &json!({ "name": "Ada" })).0, 201);
    drop(server);
    // The password of the first start stays, whatever the environment has later.
    let server = Server::start(project, &[BIND, ("JWT_SECRET_KEY", SECRET), ("ADMIN_PASSWORD", "another horse")]);
    assert_eq!(password_of(&server), None);
    assert_eq!(server.post("/auth/login", &login).0, 200);
    drop(server);
    let server = Server::start(project, &[BIND, ("JWT_SECRET_KEY", SECRET)]);
    assert_eq!(password_of(&server), None);
}

fn it_explains_who_reaches_a_record(project: &Project) {
    let explained = |arguments: &[&str]| project.crud(&[&["explain", "members", "1"][..], arguments].concat());
    let said = explained(&["--as", "editor,author", "--claim", "sub=7"]).done();
    assert!(said.ends_with("reads: every record\nMember 1: visible\n"), "{said}");
    let said = explained(&[]).done();
    let expected = "Member 1: hidden by access: get\nMember 1: not to be changed, by access: update\n";
    assert!(said.ends_with(expected), "{said}");
    let said = explained(&["--claim", "sub"]).refused();
    assert!(said.contains("expected `--claim name=value`, found `sub`"), "{said}");
}

fn its_users_are_managed(project: &Project) {
    assert_eq!(project.crud(&["user", "list"]).done(), "admin  admin\n");
    let added = project.crud(&["user", "add", "ada", "--roles", "editor,author"]).done();
    let password = added.strip_prefix("ada is a user now, with the password ").expect("a password");
    let password = password.strip_suffix(", which is not shown again.\n").expect("a password").to_owned();
    assert!(project.crud(&["user", "add", "ada"]).refused().contains("there is a user with this name"));
    assert_eq!(project.crud(&["user", "list"]).done(), "ada  editor,author\nadmin  admin\n");
    let server = Server::start(project, &[BIND, ("JWT_SECRET_KEY", SECRET)]);
    let login = |password: &str| server.post("/auth/login", &json!({ "username": "ada", "password": password })).0;
    assert_eq!(login(&password), 200);
    // While the service runs.
    project.crud(&["user", "disable", "ada"]).done();
    assert_eq!(login(&password), 401);
    project.crud(&["user", "enable", "ada"]).done();
    assert_eq!(login(&password), 200);
    let said = run(project.program().args(["user", "passwd", "ada"]).env("USER_PASSWORD", "another horse")).done();
    assert!(said.starts_with("ada has a new password. "), "{said}");
    assert_eq!((login(&password), login("another horse")), (401, 200));
    let said = run(project.program().args(["user", "passwd", "ada"]).env("USER_PASSWORD", "short")).refused();
    assert!(said.contains("password: must have at least 8 characters"), "{said}");
    assert!(project.crud(&["user", "roles", "bob", ""]).refused().contains("there is no user bob"));
}

fn it_is_opened_by_its_file_alone(project: &Project) {
    let server = Server::start(project, &[BIND, ("JWT_SECRET_KEY", SECRET), ("AUTH", "false")]);
    assert_eq!(server.get("/members").0, 401, "no variable opens a service");
    drop(server);
    project.crud(&["config", "--set", "auth", "false"]).done();
    let server = Server::start(project, &[BIND]);
    let is_warning = |line: &&String| line.contains("WARN") && line.contains("open to everyone by `without_auth`");
    assert_eq!(server.said.iter().filter(is_warning).count(), 1, "{:?}", server.said);
    assert_eq!((server.get("/members").0, server.post("/auth/login", &json!({})).0), (200, 404));
    assert!(project.crud(&["routes"]).done().contains("everyone  without_auth"));
    assert!(project.crud(&["explain", "members", "1"]).done().ends_with("\nMember 1: visible\n"));
    assert!(project.crud(&["user", "list"]).done().contains("admin"), "the users are still there");
    project.crud(&["config", "--set", "auth", "true"]).done();
    assert_eq!(Server::start(project, &[BIND, ("JWT_SECRET_KEY", SECRET)]).get("/members").0, 401);
}

/// The tests of the whole project pass in one that has grown. The tests of a resource have its fields.
fn its_tests_pass_with_roles_and_tenants(project: &Project) {
    project.edit(
        "src/resources/mod.rs",
        ".title(",
        ".access(|access| access.role(crud_runtime::access::Role::new(\"admin\").implies(\"editor\")))\n        .title(",
    );
    project.edit(
        "src/resources/member.rs",
        "    pub name: String,",
        "    pub name: String,\n    #[crud(tenant)]\n    pub club_id: i64,",
    );
    project.edit("src/main.rs", "Auth::builder()", "Auth::builder().tenant_claim(\"club\")");
    let said = project.cargo(&["test", "--test", "api", "it_"]).done();
    assert!(said.contains("test result: ok. 5 passed; 0 failed"), "{said}");
}

/// The password that the program printed.
fn password_of(server: &Server) -> Option<&str> {
    let line = server.said.iter().find_map(|line| line.strip_prefix("The first user is `admin`, with the password "));
    line?.strip_suffix("; it is not shown again.")
}
