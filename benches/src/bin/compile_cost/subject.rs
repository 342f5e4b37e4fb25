//! What is compared.

/// Something that a struct is derived with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    /// The structs with `Debug`, `Clone` and `PartialEq`, which all the others have too.
    Plain,
    /// The same with serde's two derives.
    Serde,
    /// The same with ours, in a service.
    Ours,
    /// The same with `SeaORM`'s and crudcrate's derives, in a router.
    Crudcrate,
    /// The same with entity-derive's, in a router.
    EntityDerive,
}

impl Subject {
    /// Every one, in the order of the table.
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

    /// The packages whose versions the report names, the one that it is about first.
    pub(crate) const fn packages(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &[],
            Self::Serde => &["serde"],
            Self::Ours => &["crud-runtime"],
            Self::Crudcrate => &["crudcrate", "sea-orm"],
            Self::EntityDerive => &["entity-derive", "sqlx"],
        }
    }

    /// What its row stands for.
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
        found.ok_or_else(|| anyhow::anyhow!("no subject `{name}`; --help lists them"))
    }
}
