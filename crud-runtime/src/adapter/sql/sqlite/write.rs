//! Writes: one writer at a time.

use super::connections::Connections;
use super::dialect::Sqlite;
use crate::adapter::sql::change;
use crate::adapter::{AdapterError, Outcome, Write, WriteSink, WriteWhere};
use crate::descriptor::Descriptor;

/// See [`Adapter::write`](crate::adapter::Adapter::write).
pub(super) async fn write(
    connections: &Connections,
    resource: &'static Descriptor,
    write: Write<'_>,
    sink: &mut dyn WriteSink,
) -> Result<Vec<Outcome>, AdapterError> {
    if write.work.is_empty() {
        return Ok(Vec::new());
    }
    let mut writer = connections.writer().await?;
    let changed = change::run::<Sqlite>(&mut writer, resource, &write).await;
    writer.settle_if(changed.is_ok());
    let changed = changed?;
    drop(writer);
    changed.hand_on(resource, sink)
}

/// See [`Adapter::write_where`](crate::adapter::Adapter::write_where).
pub(super) async fn write_where(
    connections: &Connections,
    resource: &'static Descriptor,
    write: WriteWhere<'_>,
) -> Result<u64, AdapterError> {
    let mut writer = connections.writer().await?;
    let count = change::run_where::<Sqlite>(&mut writer, resource, write).await;
    writer.settle_if(count.is_ok());
    count
}
