//! Views and triggers of MariaDB and MySQL that no struct has, where a column that they read is renamed.

use crud_runtime::prelude::*;
use crud_tests::{Backend, on_each_sql_server};

use crate::support::Directory;

mod old {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "contacts", filter(phone), sort(phone))]
    pub(super) struct Contact {
        id: i64,
        #[crud(length(max = 40))]
        phone: String,
    }
}

mod new {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "contacts", filter(telephone), sort(telephone))]
    pub(super) struct Contact {
        id: i64,
        #[crud(column(renamed_from = "phone"), length(max = 40))]
        telephone: String,
    }
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(table = "notes")]
struct Note {
    id: i64,
    text: String,
}

const OBJECTS: [&str; 8] = [
    "CREATE VIEW numbers AS SELECT phone AS number FROM contacts WHERE phone <> 'it\\'s'",
    "CREATE SQL SECURITY INVOKER VIEW plain AS SELECT c.id, c.phone FROM contacts c WHERE c.phone <> '' \
     WITH CASCADED CHECK OPTION",
    // It reads a view that has the name of the column.
    "CREATE VIEW above AS SELECT p.phone, c.phone AS again FROM plain p JOIN contacts c ON c.id = p.id",
    "CREATE VIEW others AS SELECT text AS phone FROM notes",
    "CREATE TRIGGER noted AFTER INSERT ON notes FOR EACH ROW UPDATE contacts SET phone = NEW.text",
    "CREATE TRIGGER trimmed BEFORE UPDATE ON contacts FOR EACH ROW SET NEW.phone = TRIM(NEW.phone)",
    "CREATE TRIGGER other BEFORE INSERT ON notes FOR EACH ROW SET NEW.text = TRIM(NEW.text)",
    "INSERT INTO contacts (phone) VALUES ('+49 1')",
];

#[test]
fn views_and_triggers_of_mariadb_follow_a_renamed_column_and_back() {
    on_each_sql_server(async |database| {
        if database.backend() != Backend::MySql {
            return;
        }
        let old = async || database.service().await.resource::<old::Contact>().resource::<Note>();
        let new = async || database.service().await.resource::<new::Contact>().resource::<Note>();
        let directory = Directory::new();
        directory.write_migration(&old().await).await;
        directory.apply(&old().await).await;
        for statement in OBJECTS {
            database.execute(statement).await;
        }
        let read = async || {
            let views = [
                "SELECT number FROM numbers",
                "SELECT phone FROM plain",
                "SELECT phone FROM above WHERE again = phone",
            ];
            database.texts_of_each(&views).await.concat()
        };
        assert_eq!(read().await, ["+49 1"; 3]);
        let written = directory.write_migration(&new().await).await;
        let up = written.up();
        let (_, comments) = up.split_once("-- The trigger `noted` names").expect("a comment on the trigger");
        assert!(comments.contains("-- The trigger `trimmed` names"), "{up}");
        assert!(!up.contains("`others`") && !up.contains("`other`"), "{up}");
        let recreate: String =
            comments.lines().filter_map(|line| line.strip_prefix("-- ")).fold(String::new(), |text, line| {
                if line.starts_with("DROP TRIGGER") || line.starts_with("CREATE TRIGGER") {
                    text + line + "\n"
                } else {
                    text
                }
            });
        directory.apply(&new().await).await;
        assert_eq!(read().await, ["+49 1"; 3]);
        assert!(!database.try_execute("UPDATE plain SET phone = ''").await, "the view has lost its CHECK OPTION");
        let security = "SELECT SECURITY_TYPE FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'plain'";
        assert_eq!(database.texts(security).await, ["INVOKER"]);
        assert!(!database.try_execute("INSERT INTO notes (text) VALUES ('+49 2')").await, "a trigger names no column");
        for statement in recreate.lines() {
            database.execute(statement).await;
        }
        database.execute("INSERT INTO notes (text) VALUES (' +49 2 ')").await;
        assert_eq!(read().await, ["+49 2"; 3]);

        directory.revert(&new().await).await;
        assert_eq!(read().await, ["+49 2"; 3]);
        assert_eq!(database.texts("SELECT phone FROM others").await, ["+49 2"]);
    });
}
