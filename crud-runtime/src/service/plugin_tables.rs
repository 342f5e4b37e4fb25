//! The tables and paths of plugins: their owners, and the check that no two owners have the same one.

use super::builder::Service;
use crate::model::descriptor::Descriptor;
use crate::storage::error::{Error, Result};
use crate::store::mounted::options::ResourceOptions;

/// A table, and the plugin that has registered it.
pub(super) type OwnedTable = (&'static str, &'static str);

impl Service {
    /// Whether plugins have tables.
    pub(super) fn has_owned_tables(&self) -> bool {
        self.owned_tables().next().is_some()
    }

    /// The tables of plugins whose owners the database records; none where a start writes nothing.
    pub(super) fn tables_to_note(&self) -> Vec<OwnedTable> {
        if self.is_unmanaged { Vec::new() } else { self.owned_tables().collect() }
    }

    fn owned_tables(&self) -> impl Iterator<Item = OwnedTable> {
        let owned = self.resources.iter().enumerate().filter(|(_, options)| is_managed_table(options.descriptor));
        owned.filter_map(|(index, options)| Some((options.descriptor.table, self.plugin_of_resource(index)?)))
    }

    /// Checks that the plugins that others require are there, that tables fit their owners, and that no two have one table
    /// or prefix.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first violation.
    pub(super) fn check_plugins(&self) -> Result<()> {
        self.check_requirements()?;
        self.check_settings()?;
        for (index, options) in self.resources.iter().enumerate() {
            let owner = self.plugin_of_resource(index);
            check_table(options, owner)?;
            for (other_index, other) in self.resources[..index].iter().enumerate() {
                check_pair((self.plugin_of_resource(other_index), other), (owner, options))?;
            }
        }
        Ok(())
    }

    fn has_plugin(&self, name: &str) -> bool {
        self.plugins.iter().any(|installed| installed.plugin.name() == name)
    }

    /// Checks that fields of plugins' types have their plugins.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first field that has none.
    pub(super) fn check_fields_of_plugins(&self) -> Result<()> {
        let is_waived = |plugin: &str| self.server.lacking_plugins.iter().any(|other| other == plugin);
        let resources = self.resources.iter().map(|options| options.descriptor);
        let fields = resources.flat_map(|resource| resource.columns.iter().map(|column| (resource.name, column)));
        let mut of_plugins = fields.filter_map(|(resource, column)| Some((resource, column.name, column.plugin?)));
        match of_plugins.find(|&(_, _, plugin)| !self.has_plugin(plugin) && !is_waived(plugin)) {
            None => Ok(()),
            Some((resource, field, plugin)) => Err(Error::Setup(format!(
                "`{resource}::{field}` is a field of the plugin `{plugin}`, which the service does not have: add it by \
                 `.plugin(…)?`"
            ))),
        }
    }

    fn check_requirements(&self) -> Result<()> {
        for installed in &self.plugins {
            if let Some(missing) = installed.plugin.requires().iter().find(|required| !self.has_plugin(required)) {
                return Err(Error::Setup(format!(
                    "the plugin `{}` requires the plugin `{missing}`, which the service does not have: add it by \
                     `.plugin(…)?`",
                    installed.plugin.name()
                )));
            }
        }
        Ok(())
    }
}

/// Checks a table without operations.
fn check_table(options: &ResourceOptions, owner: Option<&'static str>) -> Result<()> {
    let descriptor = options.descriptor;
    if options.is_table && descriptor.is_offered() {
        let name = descriptor.name;
        return Err(Error::Setup(format!(
            "`Service::table::<{name}>()`: {name} offers operations; write `#[crud(internal)]` on it, or call \
             `Service::resource`"
        )));
    }
    let Some(owner) = owner.filter(|_| options.is_table) else { return Ok(()) };
    let prefix = format!("{}_", owner.replace('-', "_"));
    if descriptor.table.starts_with(&prefix) {
        return Ok(());
    }
    Err(Error::Setup(format!(
        "the plugin `{owner}` has the table `{}`: expected a name that begins with `{prefix}`",
        descriptor.table
    )))
}

/// An owner, none for the program, and what it has registered.
type Owned<'o> = (Option<&'static str>, &'o ResourceOptions);

/// Checks that two owners do not have the same table or path.
fn check_pair((one, options): Owned<'_>, (other, others): Owned<'_>) -> Result<()> {
    if one == other {
        return Ok(());
    }
    let is_of_plugins = one.is_some() && other.is_some();
    // The program may have several structs of one table; a table of two plugins, or one without routes, has one owner.
    let is_shared = is_of_plugins || options.is_table || others.is_table;
    let what = if is_shared && has_same_table(options.descriptor, others.descriptor) {
        format!("the table `{}`", options.descriptor.table)
    } else if is_of_plugins && options.prefix == others.prefix {
        format!("the path `{}`", options.prefix)
    } else {
        return Ok(());
    };
    Err(Error::Setup(match (one, other) {
        (Some(one), Some(other)) => format!("the plugins `{one}` and `{other}` both have {what}: remove one of them"),
        (one, other) => {
            let plugin = one.or(other).unwrap_or_default();
            format!("the plugin `{plugin}` and the program both have {what}: give the program's another name")
        }
    }))
}

fn is_managed_table(descriptor: &Descriptor) -> bool {
    descriptor.view.is_none() && descriptor.is_managed()
}

fn has_same_table(one: &Descriptor, other: &Descriptor) -> bool {
    one.view.is_none() && other.view.is_none() && one.table == other.table
}
