//! The compared derives.

/// A set of derives on the structs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Only `Debug`, `Clone` and `PartialEq`, which all others have too.
    Plain,
    /// With serde's two derives.
    Serde,
    /// With this crate's derive, in a service.
    Ours,
    /// With `SeaORM`'s and crudcrate's derives, in a router.
    Crudcrate,
    /// With entity-derive's derive, in a router.
    EntityDerive,
}

impl Subject {
    /// Every subject, in the order of the table.
    pub(crate) const ALL: [Self; 5] = [Self::Plain, Self::Serde, Self::Ours, Self::Crudcrate, Self::EntityDerive];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Serde => "serde",
            Self::Ours => "crud-runtime",
            Self::Crudcrate => "crudcrate",
            Self::EntityDerive => "entity-derive",
        }
    }

    /// The packages whose versions the report states, the subject's own first.
    pub(crate) const fn packages(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &[],
            Self::Serde => &["serde"],
            Self::Ours => &["crud-runtime"],
            Self::Crudcrate => &["crudcrate", "sea-orm"],
            Self::EntityDerive => &["entity-derive", "sqlx"],
        }
    }

    /// The title of its row.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Plain => "the structs alone",
            Self::Serde => "serde's derives only",
            Self::Ours => "**`#[derive(Resource)]`**",
            Self::Crudcrate => "`#[derive(EntityToModels)]`",
            Self::EntityDerive => "`#[derive(Entity)]`",
        }
    }

    pub(crate) fn parse(name: &str) -> anyhow::Result<Self> {
        let found = Self::ALL.into_iter().find(|subject| subject.name() == name);
        found.ok_or_else(|| anyhow::anyhow!("unknown subject `{name}`; see --help"))
    }
}
