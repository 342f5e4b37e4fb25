//! [`SessionOptions`]: what authentication stores of sessions.

/// Options for the storage of sessions in the database.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SessionOptions {
    /// Whether each refresh returns a new refresh token.
    pub(super) rotate: bool,
    /// Whether tokens can be revoked.
    pub(super) revocable: bool,
}

impl SessionOptions {
    /// Whether sessions are stored at all.
    pub(super) fn are_stored(self) -> bool {
        self.rotate || self.revocable
    }
}
