//! `crud destroy`: undoes `crud generate`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use crud_shared::spelling;

use crate::changes::Changes;
use crate::cli;
use crate::output::{self, STRONG};
use crate::project::Project;
use crate::registry::{RESOURCES, TESTS, registered, resource_file, tests_of};
use crate::{marks, names, prompt};

pub(crate) fn run(options: &cli::Destroy) -> Result<()> {
    let project = Project::find()?;
    let mut changes = Changes::new(&project.root);
    let registry =
        changes.read(RESOURCES)?.with_context(|| format!("`{RESOURCES}` is missing: `crud init` creates it"))?;
    let model = find(&options.model, &registered(&registry))?;
    let file = resource_file(&model);
    if changes.read(&file)?.is_none() {
        bail!("`{file}` is missing: remove the lines of `{model}` from `{RESOURCES}` yourself");
    }
    check_unused(&project, &model)?;
    changes.remove(&file)?;
    changes.write(RESOURCES, unregister(&registry, &model)?)?;
    if let Some(tests) = changes.read(TESTS)? {
        let line = format!("mod {};", names::module(&model));
        changes.write(TESTS, marks::remove(&tests, "modules", &line).with_context(|| format!("in `{TESTS}`"))?)?;
    }
    changes.remove(tests_of(&model))?;
    if options.dry_run {
        return output::print(&changes.diff());
    }
    let question = format!("This removes {file}, its tests and its routes. Remove {model}? (yes, no)");
    if !options.yes && !prompt::required_answer("--yes", &question)? {
        bail!("nothing is removed");
    }
    let summary = changes.summary();
    changes.apply()?;
    let table = names::plural(&model);
    output::print(&format!(
        "{summary}{STRONG}{model}{STRONG:#} is removed. Its table `{table}` stays, with its records: once nothing needs it, \
         `crud migrate add drop_{table}` writes a file for `DROP TABLE {table};`.\n"
    ))
}

/// The model of this name, which may be written like the struct, its file or its path.
fn find(name: &str, models: &[&str]) -> Result<String> {
    let is = |model: &&&str| {
        **model == name || names::snake(model) == name || names::plural(model) == name.trim_start_matches('/')
    };
    match models.iter().find(is) {
        Some(model) => Ok((*model).to_owned()),
        None if models.is_empty() => bail!("there is no model `{name}`: `{RESOURCES}` has none"),
        None => bail!("there is no model `{name}` in `{RESOURCES}`: {}", spelling::hint(name, models.iter().copied())),
    }
}

/// The registry without a resource and its module.
fn unregister(registry: &str, model: &str) -> Result<String> {
    let module = names::module(model);
    let path = format!("{module}::{model}");
    let text = marks::remove(registry, "resources", &format!(".resource::<{path}>()"))
        .and_then(|text| marks::remove(&text, "modules", &format!("pub mod {module};")))
        .with_context(|| format!("in `{RESOURCES}`"))?;
    match text.lines().find(|line| line.contains(&format!("{module}::"))) {
        Some(line) => bail!("`{RESOURCES}` has a line of your own about `{model}`: remove it first: `{}`", line.trim()),
        None => Ok(text),
    }
}

/// Refuses to remove a model that other sources of the project name.
fn check_unused(project: &Project, model: &str) -> Result<()> {
    let own = project.root.join(resource_file(model));
    let registry = project.root.join(RESOURCES);
    let mut sources = Vec::new();
    collect(&project.root.join("src"), &mut sources)?;
    let (path, reference) = (format!("{}::{model}", names::module(model)), format!("references({model}"));
    for source in sources.iter().filter(|source| **source != own && **source != registry) {
        let text = fs::read_to_string(source).with_context(|| format!("cannot read `{}`", source.display()))?;
        if names_word(&text, &path) || names_word(&text, &reference) {
            let file = source.strip_prefix(&project.root).unwrap_or(source).display();
            bail!("`{file}` uses `{model}`: change that first");
        }
    }
    Ok(())
}

/// Whether a text has a word that is not a part of a longer one.
fn names_word(text: &str, word: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(start, _)| !text[..start].ends_with(is_letter) && !text[start + word.len()..].starts_with(is_letter))
}

/// The files of Rust below a directory.
fn collect(directory: &Path, found: &mut Vec<std::path::PathBuf>) -> Result<()> {
    let entries = fs::read_dir(directory).with_context(|| format!("cannot read `{}`", directory.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_found_by_its_struct_its_file_and_its_path() {
        let models = ["OrderItem", "Category"];
        for name in ["OrderItem", "order_item", "order_items", "/order_items"] {
            assert_eq!(find(name, &models).expect("a model"), "OrderItem");
        }
        let error = find("Categori", &models).expect_err("another name").to_string();
        assert!(error.ends_with("did you mean `Category`?"), "{error}");
        assert!(find("Book", &[]).expect_err("no model").to_string().ends_with("has none"));
    }

    #[test]
    fn a_longer_name_is_another_word() {
        assert!(names_word("references(Book, expand)", "references(Book"));
        assert!(!names_word("references(Bookshelf)", "references(Book"));
        assert!(!names_word("my_book::Book", "book::Book"));
    }
}
