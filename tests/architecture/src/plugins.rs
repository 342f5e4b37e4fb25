//! Plugins import public items alone, and the runtime names none.

use std::fs;
use std::path::{Path, PathBuf};

use crate::sources::sources;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Folders of the repository's plugins.
fn plugins() -> Vec<PathBuf> {
    let entries =
        fs::read_dir(root().join("plugins")).expect("the plugins").map(|entry| entry.expect("an entry").path());
    entries.filter(|path| path.join("Cargo.toml").exists()).collect()
}

#[test]
fn plugins_import_public_items_alone() {
    let example = root().join("examples/own-plugin");
    for plugin in plugins().into_iter().chain([example]) {
        let files = sources(&plugin.join("src"));
        assert!(!files.is_empty(), "{}", plugin.display());
        for file in files {
            let text = fs::read_to_string(&file).expect("a source");
            let inner = ["__private", "crud_core::", "crud_shared::", "crud_sql::", "crud_macros::", "crud_config::"];
            let found = inner.into_iter().find(|name| text.contains(name));
            assert_eq!(found, None, "{}: only `crud_runtime` is public", file.display());
        }
    }
}

#[test]
fn runtime_names_no_plugin() {
    let name = |path: PathBuf| path.file_name().expect("a name").to_string_lossy().into_owned();
    let names: Vec<String> = plugins().into_iter().map(name).collect();
    assert!(!names.is_empty(), "the plugins were found");
    for folder in ["crud-runtime/src", "crud-core/src", "crud-macros/src", "crud-shared/src", "storage"] {
        for file in sources(&root().join(folder)) {
            let text = fs::read_to_string(&file).expect("a source");
            for name in &names {
                let is_named = text.contains(name.as_str()) || text.contains(&name.replace('-', "_"));
                assert!(!is_named, "{} names the plugin `{name}`", file.display());
            }
        }
    }
}
