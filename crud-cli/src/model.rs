//! [`Model`]: the model to generate, checked as a whole.

use anyhow::{Context, Result, bail};
use crud_shared::list::PARAMETERS;
use crud_shared::spelling;

use crate::cli::Features;
use crate::field::{Field, Type, all_right};
use crate::{names, render};

#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) name: String,
    pub(crate) fields: Vec<Field>,
    pub(crate) features: Features,
    pub(crate) filter: Option<Selection>,
    pub(crate) sort: Option<Selection>,
}

/// The fields that an option names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Selection {
    All,
    Some(Vec<String>),
}

impl Model {
    /// Fields alone, for a model that exists.
    pub(crate) fn of_fields(name: String, fields: Vec<Field>) -> Self {
        Self { name, fields, features: Features::default(), filter: None, sort: None }
    }

    /// Checks the parts against each other.
    pub(crate) fn check(&self) -> Result<()> {
        let plural = names::plural(&self.name);
        if names::RESERVED.contains(&plural.as_str()) {
            bail!(
                "`{}` would be served at `/{plural}`, which is a route of the service: choose another name",
                self.name
            );
        }
        let wrong = self.fields.iter().filter_map(|field| {
            let checked = self.check_field(field).and_then(|()| render::check_default(self, field));
            checked.with_context(|| format!("field `{}`", field.name)).err()
        });
        all_right(&wrong.map(|error| format!("{error:#}")).collect::<Vec<_>>())
    }

    fn check_field(&self, field: &Field) -> Result<()> {
        if self.features.soft_delete && ["deleted_at", "is_deleted"].contains(&field.name.as_str()) {
            bail!("soft delete adds this field: remove it");
        }
        if field.target() == Some(&self.name) && field.is_required() {
            bail!(
                "{0} refers to itself, so that the first one could not be created: make the field nullable with `?`",
                self.name
            );
        }
        if let Type::Enum(_) = field.ty {
            let ty = self.enum_name(field);
            let derived = ["Fields", "Patch"].iter().any(|end| ty == format!("{}{end}", self.name));
            if derived || names::is_used_type(&ty) || self.targets().contains(&ty.as_str()) {
                bail!("its type would be `{ty}`, which is the name of another type: choose another name");
            }
        }
        let filters = match &self.filter {
            None => false,
            Some(Selection::All) => field.is_comparable(),
            Some(Selection::Some(names)) => names.contains(&field.name),
        };
        if filters && PARAMETERS.contains(&field.name.as_str()) {
            bail!("a filter of this name would hide the list parameter: choose another name");
        }
        Ok(())
    }

    /// The type of an enum's field: `Product` and `status` → `ProductStatus`.
    pub(crate) fn enum_name(&self, field: &Field) -> String {
        self.name.clone() + &names::camel(&field.name)
    }

    /// The other models that the model refers to, each once, in the order of their modules.
    pub(crate) fn targets(&self) -> Vec<&str> {
        let mut targets: Vec<&str> =
            self.fields.iter().filter_map(Field::target).filter(|target| *target != self.name).collect();
        targets.sort_by_key(|target| names::snake(target));
        targets.dedup();
        targets
    }

    /// The fields that `--filter` or `--sort` names; a reference can be named without its `_id`.
    pub(crate) fn select(&self, option: &str, names: &[String]) -> Result<Selection> {
        let mut selected = Vec::new();
        for name in names.iter().map(|name| name.trim()).filter(|name| !name.is_empty()) {
            let name = self.find(name).with_context(|| format!("`{option}`"))?;
            if selected.contains(&name) {
                bail!("`{option}` names `{name}` twice");
            }
            selected.push(name);
        }
        Ok(if selected.is_empty() { Selection::All } else { Selection::Some(selected) })
    }

    fn find(&self, name: &str) -> Result<String> {
        let names = || ["id"].into_iter().chain(self.fields.iter().map(|field| field.name.as_str()));
        let reference = format!("{name}_id");
        let Some(found) = names().find(|other| *other == name).or_else(|| names().find(|other| *other == reference))
        else {
            let names: Vec<&str> = names().collect();
            bail!("`{}` has no field `{name}`: {}", self.name, spelling::hint(name, names));
        };
        if self.fields.iter().any(|field| field.name == found && !field.is_comparable()) {
            bail!("values of `{found}` cannot be compared, so a list cannot filter or sort by it");
        }
        Ok(found.to_owned())
    }
}
