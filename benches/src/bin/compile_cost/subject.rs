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
}

impl Subject {
    /// Every subject, in the order of the table.
    pub(crate) const ALL: [Self; 3] = [Self::Plain, Self::Serde, Self::Ours];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Serde => "serde",
            Self::Ours => "crud-runtime",
        }
    }

    /// The packages whose versions the report states, the subject's own first.
    pub(crate) const fn packages(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &[],
            Self::Serde => &["serde"],
            Self::Ours => &["crud-runtime"],
        }
    }

    /// The title of its row.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Plain => "the structs alone",
            Self::Serde => "serde's derives only",
            Self::Ours => "**`#[derive(Resource)]`**",
        }
    }

    pub(crate) fn parse(name: &str) -> anyhow::Result<Self> {
        let found = Self::ALL.into_iter().find(|subject| subject.name() == name);
        found.ok_or_else(|| anyhow::anyhow!("unknown subject `{name}`; see --help"))
    }
}
