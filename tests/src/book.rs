//! The examples of the README and of the book's pages compile.

/// Makes each page the documentation of an item, whose examples `cargo test` compiles.
macro_rules! pages {
    ($($name:ident: $path:literal,)+) => { $(
        #[doc = include_str!(concat!("../../", $path))]
        struct $name;
    )+ };
}

pages! {
    Readme: "README.md",
    Introduction: "docs/src/introduction.md",
    Access: "docs/src/guide/access.md",
    Accounts: "docs/src/guide/accounts.md",
    AdminPage: "docs/src/guide/admin-page.md",
    Aggregates: "docs/src/guide/aggregates.md",
    ComputedFields: "docs/src/guide/computed-fields.md",
    Cors: "docs/src/guide/cors.md",
    DatabaseRights: "docs/src/guide/database-rights.md",
    Events: "docs/src/guide/events.md",
    ExistingApplication: "docs/src/guide/existing-application.md",
    Export: "docs/src/guide/export.md",
    Files: "docs/src/guide/files.md",
    Import: "docs/src/guide/import.md",
    Hooks: "docs/src/guide/hooks.md",
    Indexes: "docs/src/guide/indexes.md",
    Jobs: "docs/src/guide/jobs.md",
    Keys: "docs/src/guide/keys.md",
    Mcp: "docs/src/guide/mcp.md",
    Migrations: "docs/src/guide/migrations.md",
    Plugins: "docs/src/guide/plugins.md",
    Overlaps: "docs/src/guide/overlaps.md",
    TimeZones: "docs/src/guide/time-zones.md",
    Prove: "docs/src/guide/prove.md",
    Relations: "docs/src/guide/relations.md",
    Rolling: "docs/src/guide/rolling.md",
    Routes: "docs/src/guide/routes.md",
    Search: "docs/src/guide/search.md",
    Sharding: "docs/src/guide/sharding.md",
    Store: "docs/src/guide/store.md",
    Tenants: "docs/src/guide/tenants.md",
    Testing: "docs/src/guide/testing.md",
    Transactions: "docs/src/guide/transactions.md",
    Transitions: "docs/src/guide/transitions.md",
    Webhooks: "docs/src/guide/webhooks.md",
    Upsert: "docs/src/guide/upsert.md",
    Versions: "docs/src/guide/versions.md",
    Views: "docs/src/guide/views.md",
    Adapter: "docs/src/reference/adapter.md",
    AuditLog: "docs/src/reference/audit-log.md",
    Authentication: "docs/src/reference/authentication.md",
    Batches: "docs/src/reference/batches.md",
    Databases: "docs/src/reference/databases.md",
    Idempotency: "docs/src/reference/idempotency.md",
    Options: "docs/src/reference/options.md",
    Sqlite: "docs/src/reference/sqlite.md",
}
