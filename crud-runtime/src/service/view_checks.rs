//! The checks of views before a service starts.

use super::builder::Service;
use crate::model::descriptor::{ClaimScope, Descriptor, View};
use crate::storage::error::{Error, Result};

impl Service {
    /// Checks that storage has views, that none discloses records across tenants, owners or scopes, and that nothing refers
    /// to one.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first violation.
    pub(super) fn check_views(&self) -> Result<()> {
        let has_views = self.adapter.capabilities().views;
        for resource in self.tables() {
            for column in resource.columns {
                let target = column.references.map(|reference| (reference.target)());
                if let Some(target) = target.filter(|target| target.view.is_some()) {
                    return Err(Error::Setup(format!(
                        "{}.{} refers to {}, which is a view: refer to a resource with a table",
                        resource.name, column.name, target.name
                    )));
                }
            }
            let Some(view) = resource.view else { continue };
            if !has_views {
                return Err(Error::Setup(format!(
                    "{} is a view, and this storage has none: remove it, or use another database",
                    resource.name
                )));
            }
            for depends in view.depends {
                check_records(resource, depends())?;
            }
            self.check_depends(resource, view)?;
        }
        Ok(())
    }

    /// Refuses a query that mentions a table of which only some principals see each record, and that `depends` leaves out.
    fn check_depends(&self, resource: &Descriptor, view: View) -> Result<()> {
        for other in self.tables().into_iter().filter(|other| other.restricts_records()) {
            let is_known = std::ptr::eq(other, resource) || view.depends.iter().any(|of| std::ptr::eq(of(), other));
            if !is_known
                && [view.sqlite, view.postgres, view.mysql].iter().flatten().any(|sql| has_word(sql, other.table))
            {
                return Err(Error::Setup(format!(
                    "the SQL of {} mentions `{}`, the table of {}, whose records have tenants, owners or scopes: add `{2}` to \
                     `depends(…)`, or give what is not that table another name",
                    resource.name, other.table, other.name
                )));
            }
        }
        Ok(())
    }
}

/// Whether SQL has this name, outside of texts and comments.
fn has_word(sql: &str, name: &str) -> bool {
    let lines = sql.lines().map(|line| line.split("--").next().unwrap_or_default());
    let text = lines.collect::<Vec<_>>().join("\n");
    // Every other part is within quotes.
    let mut outside = text.split('\'').step_by(2);
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    outside.any(|part| part.split(|character| !is_part(character)).any(|word| word.eq_ignore_ascii_case(name)))
}

/// Refuses a view that reads restricted records and has no column that restricts its rows to the same principals.
fn check_records(view: &Descriptor, of: &Descriptor) -> Result<()> {
    let lacks = |what: &str, needs: &str| {
        Err(Error::Setup(format!(
            "{} depends on {}, whose records have {what}: select that column in the view, and {needs}",
            view.name, of.name
        )))
    };
    if of.tenant.is_some() && view.tenant.is_none() {
        return lacks("tenants", "mark its field with `tenant`");
    }
    if of.owner.is_some() && view.owner.is_none() {
        return lacks("owners", "mark its field with `owner`");
    }
    // The column may have another name.
    let has =
        |scope: &ClaimScope| view.scopes.iter().any(|other| other.access == scope.access && other.claim == scope.claim);
    match of.scopes.iter().find(|scope| !has(scope)) {
        Some(scope) => {
            let claim = scope.claim;
            lacks("scopes", &format!("write `scope(…, field = claim(\"{claim}\"))` with the same access on the struct"))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::has_word;

    #[test]
    fn names_are_found_outside_of_texts_and_comments() {
        for sql in
            ["SELECT 1 FROM tickets", "SELECT 1 FROM \"Tickets\" t", "SELECT 1 FROM shop.tickets", "FROM(tickets)"]
        {
            assert!(has_word(sql, "tickets"), "{sql}");
        }
        for sql in ["SELECT 'tickets' AS a FROM b", "SELECT 1 FROM a -- tickets", "SELECT old_tickets FROM a"] {
            assert!(!has_word(sql, "tickets"), "{sql}");
        }
    }
}
