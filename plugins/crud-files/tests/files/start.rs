//! Mistakes in the words of a field: errors at start that say what to write.

use crud_files::{File, Files};
use crud_runtime::prelude::*;
use crud_tests::on_sqlite;

/// A field whose types are not stated.
#[derive(Debug, Clone, Resource)]
struct Untyped {
    id: i64,
    photo: Option<File>,
}

/// A resource whose records are not read.
#[derive(Debug, Clone, Resource)]
#[crud(operations(list, create, update))]
struct Unread {
    id: i64,
    #[crud(file(types("image/png")))]
    photo: Option<File>,
}

async fn refusal(service: Service) -> String {
    service.test().await.err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn mistake_in_a_field_is_an_error_that_names_it_and_what_to_write() {
    on_sqlite(async |database| {
        let directory = tempfile::TempDir::new().expect("a directory");
        let service = async || {
            let files = Files::local(directory.path());
            database.service().await.plugin(files).expect("one plugin")
        };
        let untyped = refusal(service().await.resource::<Untyped>()).await;
        assert!(
            untyped.contains("`Untyped::photo` must say the types") && untyped.contains("#[crud(file("),
            "{untyped}"
        );
        let unread = refusal(service().await.resource::<Unread>()).await;
        assert!(unread.contains("`Unread::photo` needs the operation `get`"), "{unread}");
    });
}

#[test]
fn service_with_a_file_and_without_the_plugin_does_not_start_unless_it_says_so() {
    on_sqlite(async |database| {
        let lacking = refusal(database.service().await.resource::<Untyped>()).await;
        let words = "`Untyped::photo` is a field of the plugin `files`, which the service does not have";
        assert!(lacking.contains(words) && lacking.contains(".plugin("), "{lacking}");
        let stated = database.service().await.server(|server| server.without_plugin("files"));
        assert_eq!(refusal(stated.resource::<Untyped>()).await, "");
    });
}
