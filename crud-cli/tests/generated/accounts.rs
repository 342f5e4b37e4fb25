//! A project with accounts: a person signs up, and another is invited.

use serde_json::json;

use crate::project::Project;
use crate::server::Server;

const PASSWORD: &str = "correct horse battery";

/// The token of the next mail with a link to a page, which the program writes to its log.
fn token(server: &Server, page: &str) -> String {
    let line = server.line_with(&format!("/account/{page}#"));
    let (_, token) = line.split_once('#').expect("a fragment");
    token.chars().take_while(char::is_ascii_hexdigit).collect()
}

#[test]
fn people_sign_up_and_are_invited() {
    let project = Project::generate("generated_accounts", &["--accounts"], &[]);
    if !project.is_compiled() {
        return;
    }
    project.cargo(&["build"]).done();
    let database = format!("sqlite://{}", project.root.join("club.db").display());
    let variables = [
        ("DATABASE_URL", database.as_str()),
        ("BIND", "127.0.0.1:0"),
        ("JWT_SECRET_KEY", "a secret of at least thirty-two bytes"),
        ("ADMIN_PASSWORD", PASSWORD),
        ("RUST_LOG", "info"),
    ];
    let mut server = Server::start(&project, &variables);
    assert_eq!(server.post("/auth/register", &json!({ "email": "ann@example.com" })).0, 202);
    let ann = json!({ "token": token(&server, "verify"), "password": PASSWORD });
    assert_eq!(server.post("/auth/verify", &ann).0, 201);
    assert_eq!(server.post("/auth/verify", &ann).0, 422, "the link is used");

    let (status, tokens) = server.post("/auth/login", &json!({ "username": "admin", "password": PASSWORD }));
    assert_eq!(status, 200);
    server.token = tokens["access_token"].as_str().map(str::to_owned);
    let bob = json!({ "email": "bob@example.com", "roles": ["admin"] });
    assert_eq!(server.post("/auth/invitations", &bob).0, 201);
    let accepted = json!({ "token": token(&server, "invitation"), "password": PASSWORD });
    assert_eq!(server.post("/auth/verify", &accepted).0, 201);
    let bob = json!({ "username": "bob@example.com", "password": PASSWORD });
    assert_eq!(server.post("/auth/login", &bob).0, 200);
}
