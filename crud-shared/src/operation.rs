//! The words of operations, as `operations` and `access` name them: one for each access rule.

/// An operation, or the operations on many records that share a word with it.
#[derive(Debug, PartialEq, Eq)]
pub struct Word {
    /// The word.
    pub name: &'static str,
    /// The variants of the runtime's `Operation`.
    pub variants: &'static [&'static str],
    /// The attribute of the struct that the operation needs, if it needs one.
    pub needs: Option<&'static str>,
}

/// The words, in the order of messages.
pub static WORDS: [Word; 10] = [
    Word { name: "list", variants: &["List"], needs: None },
    Word { name: "get", variants: &["Get"], needs: None },
    Word { name: "create", variants: &["Create"], needs: None },
    Word { name: "update", variants: &["Update"], needs: None },
    Word { name: "delete", variants: &["Delete"], needs: None },
    Word { name: "restore", variants: &["Restore", "RestoreMany"], needs: Some("soft_delete") },
    Word { name: "purge", variants: &["Purge", "PurgeMany"], needs: Some("soft_delete") },
    Word { name: "batch", variants: &["BatchCreate", "BatchUpdate", "BatchDelete"], needs: Some("batch") },
    Word { name: "history", variants: &["History"], needs: Some("audit") },
    Word { name: "aggregate", variants: &["Aggregate"], needs: Some("aggregate") },
];

/// The path segment of aggregates. Where a resource has aggregates, no text key can have this value.
pub const AGGREGATE: &str = "aggregate";

/// The path segments that stand in place of a key, in every resource: no text key can have such a value.
pub const SEGMENTS: [&str; 6] = ["batch", "restore", "deleted", "search", "export", "import"];
