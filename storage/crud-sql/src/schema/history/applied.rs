//! The applied migrations.

use super::History;
use crate::driver::DatabaseRow;
use crate::model::column::Column as _;
use crate::model::descriptor::ColumnDescriptor;
use crate::model::value::ValueRef;
use crate::schema::migration_driver::MigrationDriver;
use crate::statement::Statement;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::AppliedMigration;

impl<D: MigrationDriver> History<'_, D> {
    /// The applied migrations, in order; none if the table of them is missing. `versions`: those of the files.
    pub(crate) async fn applied(&mut self, versions: &[i64]) -> Result<Vec<AppliedMigration>, MigrateError> {
        let Some(table) = self.present(versions).await? else { return Ok(Vec::new()) };
        let text = format!("SELECT version, checksum, success FROM {table} ORDER BY version");
        let rows = D::all(self.0, Statement::assembled(text)).await.map_err(D::general)?;
        Ok(rows.iter().map(migration::<D>).collect::<Result<_, _>>().map_err(D::general)?)
    }
}

fn migration<D: MigrationDriver>(row: &DatabaseRow<D>) -> Result<AppliedMigration, D::Error> {
    const CHECKSUM: ColumnDescriptor = Vec::<u8>::TYPE.column("checksum", "");
    const SUCCESS: ColumnDescriptor = bool::TYPE.column("success", "");
    let decoded = D::Decoded::default();
    let checksum = match D::value(&CHECKSUM, 1, row, &decoded) {
        Ok(ValueRef::Bytes(checksum)) => checksum.to_vec(),
        // That of no file.
        _ => Vec::new(),
    };
    let complete = matches!(D::value(&SUCCESS, 2, row, &decoded), Ok(ValueRef::Bool(true)));
    Ok(AppliedMigration::new(D::number_in(row, 0)?, checksum, complete))
}
