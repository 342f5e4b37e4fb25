//! The texts of the migration from a database to the structs.

use super::directory::Directory;
use super::text::{self, Files, Prior};
use crate::model::descriptor::Descriptor;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::{Migrations, StepKind};

/// The files that are missing: that of the tables as they are, where a directory without files needs it, and that of the
/// change; none where nothing differs. `sizes`: the numbers of records of the tables, where storage is an empty database in
/// the place of another one.
pub(super) async fn files(
    directory: &Directory,
    storage: &dyn Migrations,
    tables: &[&'static Descriptor],
    sizes: Option<&[(&'static str, u64)]>,
) -> Result<Vec<Files>, MigrateError> {
    let mut script = match sizes {
        Some(sizes) => storage.script_for_sizes(tables, sizes).await?,
        None => storage.script(tables).await?,
    };
    script.steps.retain(|step| step.kind != StepKind::Proposal || !directory.contains(&step.up));
    if script.steps.is_empty() {
        return Ok(Vec::new());
    }
    let created = script.steps.iter().filter(|step| step.kind == StepKind::Create).count();
    let present = match (directory.is_empty(), created == tables.len()) {
        (true, false) => storage.present(tables).await?,
        _ => Vec::new(),
    };
    let prior = match (directory.is_empty(), created == tables.len(), present.is_empty()) {
        (true, true, _) => Prior::Nothing,
        (true, false, true) => Prior::Tables,
        _ => Prior::Migrations,
    };
    let baseline = (!present.is_empty()).then(|| text::baseline(&present));
    Ok(baseline.into_iter().chain(text::write(&script, prior)).collect())
}

/// The statements of the up files that are missing. `sizes`: as of [`files`].
pub(super) async fn statements(
    directory: &Directory,
    storage: &dyn Migrations,
    tables: &[&'static Descriptor],
    sizes: Option<&[(&'static str, u64)]>,
) -> Result<Option<String>, MigrateError> {
    let files = files(directory, storage, tables, sizes).await?;
    let ups: Vec<String> = files.into_iter().map(|file| file.up).collect();
    Ok(if ups.is_empty() { None } else { Some(ups.join("\n")) })
}
