//! The texts of the migration from a database to the structs.

use super::directory::Directory;
use super::text::{self, Files, Prior};
use crate::model::descriptor::Descriptor;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::{Migrations, Step, StepKind};

/// Begin of the name of an index of words.
const SEARCH: &str = "search_";

/// The files that are missing: that of the tables as they are, where a directory without files needs it, and that of the
/// change; none where nothing differs. `sizes`: the numbers of records of the tables, where storage is an empty database in
/// the place of another one.
pub(super) async fn files(
    directory: &Directory,
    storage: &dyn Migrations,
    tables: &[&'static Descriptor],
    sizes: Option<&[(&'static str, u64)]>,
) -> Result<Vec<Files>, MigrateError> {
    let mut script = storage.script(tables, sizes).await?;
    for step in script.steps.iter_mut().filter(|step| step.kind == StepKind::Unneeded) {
        drop_own(step, directory);
    }
    script.steps.retain(|step| step.kind != StepKind::Proposal || !directory.contains(&step.up));
    if script.steps.is_empty() {
        return Ok(Vec::new());
    }
    let is_new = script.steps.iter().filter(|step| step.kind == StepKind::Create).count() == tables.len();
    let present = if directory.is_empty() && !is_new { storage.present(tables).await? } else { Vec::new() };
    let prior = match (directory.is_empty(), is_new, present.is_empty()) {
        (true, true, _) => Prior::Nothing,
        (true, false, true) => Prior::Tables,
        _ => Prior::Migrations,
    };
    let baseline = (!present.is_empty()).then(|| text::baseline(&present));
    Ok(baseline.into_iter().chain(text::write(&script, prior)).collect())
}

/// Makes the drop of an index of words a change where a file of the directory has made the index, and a proposal elsewhere:
/// another program may search by it.
fn drop_own(step: &mut Step, directory: &Directory) {
    let mut words = step.up.split(|character: char| !(character.is_alphanumeric() || character == '_'));
    let name = words.find(|word| word.starts_with(SEARCH)).unwrap_or_default();
    // SQLite's triggers are named after it.
    let name = ["_insert", "_update", "_delete"].iter().find_map(|event| name.strip_suffix(event)).unwrap_or(name);
    if !name.is_empty() && directory.has_made(name) {
        step.kind = StepKind::Alter;
        return;
    }
    let comment = |text: &str| text.lines().map(|line| format!("-- {line}")).collect::<Vec<_>>().join("\n");
    let note = format!("-- `{name}` serves no search of the structs. Once no other program searches by it, drop it:");
    let back = format!("-- Where `{name}` is not there any more, this creates it again:");
    step.up = format!("{note}\n{}", comment(&step.up));
    step.down = format!("{back}\n{}", comment(&step.down));
    step.kind = StepKind::Proposal;
}

/// The statements of up files, if there are any.
pub(super) fn statements(files: Vec<Files>) -> Option<String> {
    let ups: Vec<String> = files.into_iter().map(|file| file.up).collect();
    (!ups.is_empty()).then(|| ups.join("\n"))
}
