//! Owners of tables: the plugins that have registered them.

use std::collections::BTreeMap;

use crate::Resource;
use crate::model::adapter_error::AdapterError;
use crate::query::Select;
use crate::storage::adapter::Adapter;
use crate::storage::error::Result;
use crate::store::app::App;
use crate::store::each_row::each_row;

/// The plugin of a table, in the table `crud_owners`: a program without the plugin can read there whose table it was.
#[derive(Debug, Clone, PartialEq, Eq, Resource)]
#[crud(table("crud_owners", new), prefix = "/_service/owners")]
pub(crate) struct TableOwner {
    /// The name of the table.
    #[crud(length(max = 255))]
    id: String,
    /// The name of the plugin.
    owner: String,
}

impl TableOwner {
    /// The owners of tables, as far as they are known.
    ///
    /// # Errors
    /// When the database fails, or lacks the table.
    pub(crate) async fn all(adapter: &dyn Adapter) -> Result<BTreeMap<String, String>, AdapterError> {
        let mut owners = BTreeMap::new();
        let mut sink = each_row(|row| {
            let Self { id, owner } = Self::from_row(row)?;
            owners.insert(id, owner);
            Ok(())
        });
        adapter.list(Self::DESCRIPTOR, &Select::<Self>::all().into_list_query(), &mut sink).await?;
        Ok(owners)
    }

    /// Records the owners of tables, where they are not known yet.
    ///
    /// # Errors
    /// When the database fails.
    pub(crate) async fn note(app: &App, tables: &[(&'static str, &'static str)]) -> Result<()> {
        let store = app.own_store::<Self>();
        let known = store.list(Select::all()).await?;
        for (table, owner) in tables {
            let (id, owner) = ((*table).to_owned(), (*owner).to_owned());
            match known.iter().find(|known| known.id == *table) {
                Some(known) if known.owner == owner => {}
                Some(_) => drop(store.update(id, TableOwnerPatch::default().owner(owner)).await?),
                None => drop(store.create_if_absent(NewTableOwner { id, owner }).await?),
            }
        }
        Ok(())
    }
}
