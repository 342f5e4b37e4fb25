//! [`Rights`]: what the database denies the user that a service connects as.

/// The rights that the user of a service lacks, as far as the database says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rights {
    /// The user, as statements name it.
    pub user: String,
    /// The statements that give the user the rights to read, such as `GRANT SELECT ON "books" TO "shop_app"`.
    pub grants: Vec<String>,
    /// Reason why no connection of the user can change anything.
    pub read_only: Option<String>,
}

impl Rights {
    /// The rights of a user who lacks none.
    pub fn of(user: impl Into<String>) -> Self {
        Self { user: user.into(), ..Self::default() }
    }
}
