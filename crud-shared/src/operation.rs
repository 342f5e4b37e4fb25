//! The words of operations, as `operations` and `access` name them: one for each access rule.

/// An operation, or the operations on many records that share a word with it.
#[derive(Debug, PartialEq, Eq)]
pub struct Word {
    /// The word.
    pub name: &'static str,
    /// The variants of the runtime's `Operation`.
    pub variants: &'static [&'static str],
    /// The attribute of the struct that it needs, if it needs one.
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

/// The segment of the path of aggregates. No key of text can be it, where a resource has them.
pub const AGGREGATE: &str = "aggregate";

/// The segments of paths below every resource's that stand in place of a key: no key of text can be one.
pub const SEGMENTS: [&str; 6] = ["batch", "restore", "deleted", "search", "export", "import"];
