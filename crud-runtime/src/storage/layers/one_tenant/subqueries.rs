//! Subqueries by tenant: a condition on related records queries only the shard of the listed records.
//!
//! ```sql
//! SELECT … FROM issues WHERE team_id = 1 AND assignee_id IN (SELECT id FROM members WHERE user_id = 7)
//! SELECT … FROM issues WHERE team_id = 1 AND assignee_id IN (SELECT id FROM members WHERE user_id = 7 AND team_id = 1)
//! ```

use std::borrow::Cow;

use super::places::{ShardedTables, TablePlacement};
use crate::model::descriptor::Descriptor;
use crate::model::value::{Kind, Value};
use crate::query::{AggregateQuery, Comparison, InSubquery, ListQuery, Predicate};

impl ShardedTables {
    /// The list, with the tenant of its records added to its subqueries.
    pub(super) fn of_tenant_in_list<'q>(
        &self,
        resource: &'static Descriptor,
        query: &'q ListQuery,
    ) -> Cow<'q, ListQuery> {
        with_filter(query, self.of_tenant_in(resource, &query.filter), |query| &mut query.filter)
    }

    /// The aggregate, with the tenant of its records added to its subqueries.
    pub(super) fn of_tenant_in_aggregate<'q>(
        &self,
        resource: &'static Descriptor,
        query: &'q AggregateQuery,
    ) -> Cow<'q, AggregateQuery> {
        with_filter(query, self.of_tenant_in(resource, &query.filter), |query| &mut query.filter)
    }

    /// The condition, with the tenants that it names added to its subqueries: related records have the same tenant.
    pub(super) fn of_tenant_in<'p>(&self, resource: &'static Descriptor, filter: &'p Predicate) -> Cow<'p, Predicate> {
        if !has_subquery(filter) {
            return Cow::Borrowed(filter);
        }
        match self.tenants(resource, filter) {
            Some(tenants) => Cow::Owned(self.with_tenants(filter, &tenants)),
            None => Cow::Borrowed(filter),
        }
    }

    /// The tenants to whose records a condition is limited, if it names them.
    fn tenants(&self, resource: &'static Descriptor, filter: &Predicate) -> Option<Tenants> {
        let column = self.column_of_tenant(resource)?;
        let kind = resource.columns[column].kind;
        named(filter, column).map(|values| Tenants { column, is_root: resource.tenant.is_none(), kind, values })
    }

    fn column_of_tenant(&self, resource: &'static Descriptor) -> Option<usize> {
        match self.place(resource) {
            TablePlacement::Tenant(column) => Some(column),
            TablePlacement::Root => Some(resource.id),
            TablePlacement::Own(_) | TablePlacement::Outside => None,
        }
    }

    fn with_tenants(&self, filter: &Predicate, tenants: &Tenants) -> Predicate {
        let each = |terms: &[Predicate]| terms.iter().map(|term| self.with_tenants(term, tenants)).collect();
        match filter {
            Predicate::And(terms) => Predicate::And(each(terms)),
            Predicate::Or(terms) => Predicate::Or(each(terms)),
            Predicate::Not(term) => Predicate::Not(Box::new(self.with_tenants(term, tenants))),
            Predicate::InSubquery(select) => Predicate::InSubquery(Box::new(self.of_tenants(select, tenants))),
            other => other.clone(),
        }
    }

    fn of_tenants(&self, select: &InSubquery, tenants: &Tenants) -> InSubquery {
        let InSubquery { columns, resource, filter } = select.clone();
        let column = self.column_of_tenant(resource).filter(|column| tenants.are_of(select, *column));
        let filter = match column {
            Some(column) if named(&filter, column).is_none() => filter.and(tenants.predicate(column)),
            _ => filter,
        };
        let filter = self.of_tenant_in(resource, &filter).into_owned();
        InSubquery { columns, resource, filter }
    }
}

/// A query with a filter; the query is copied only if the filter changed.
fn with_filter<'q, Q: Clone>(
    query: &'q Q,
    filter: Cow<'_, Predicate>,
    place: fn(&mut Q) -> &mut Predicate,
) -> Cow<'q, Q> {
    let Cow::Owned(filter) = filter else { return Cow::Borrowed(query) };
    let mut query = query.clone();
    *place(&mut query) = filter;
    Cow::Owned(query)
}

/// The tenants of records.
struct Tenants {
    /// The column that has the tenants.
    column: usize,
    /// Whether the records are the tenants.
    is_root: bool,
    kind: Kind,
    values: Vec<Value>,
}

impl Tenants {
    /// Whether the related records of a subquery have the same tenants in `column`. By a column other than its key, a
    /// tenant may relate to another tenant.
    fn are_of(&self, select: &InSubquery, column: usize) -> bool {
        let InSubquery { columns, resource, .. } = select;
        let is_of_tenant = !self.is_root && resource.tenant.is_some();
        resource.columns[column].kind == self.kind && (is_of_tenant || columns.contains(&(self.column, column)))
    }

    fn predicate(&self, column: usize) -> Predicate {
        match &self.values[..] {
            [value] => Predicate::Compare { column, operator: Comparison::Eq, value: value.clone() },
            values => Predicate::In { column, negated: false, values: values.to_vec() },
        }
    }
}

/// The values that a condition requires of a column.
fn named(filter: &Predicate, of: usize) -> Option<Vec<Value>> {
    match filter {
        Predicate::Compare { column, operator: Comparison::Eq, value } if *column == of => Some(vec![value.clone()]),
        Predicate::In { column, negated: false, values } if *column == of => Some(values.clone()),
        Predicate::And(terms) => terms.iter().find_map(|term| named(term, of)),
        _ => None,
    }
}

fn has_subquery(filter: &Predicate) -> bool {
    match filter {
        Predicate::InSubquery(_) => true,
        Predicate::And(terms) | Predicate::Or(terms) => terms.iter().any(has_subquery),
        Predicate::Not(term) => has_subquery(term),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::model::descriptor::{ColumnDescriptor, OnDelete, Role, Tenant};

    const ID: ColumnDescriptor = ColumnDescriptor::new::<i64>("id", "id", "\"id\":", "id").role(Role::Id);
    const OTHER: ColumnDescriptor = ColumnDescriptor::new::<i64>("other_id", "other_id", "\"other_id\":", "other_id");
    const TEAM: ColumnDescriptor = ColumnDescriptor::new::<i64>("team_id", "team_id", "\"team_id\":", "team_id")
        .references(|| &TEAMS, OnDelete::Restrict);
    static TEAMS: Descriptor = Descriptor::new("Team", "core", "/teams", "teams", &[ID, OTHER], 0);
    static MEMBERS: Descriptor =
        Descriptor::new("Member", "core", "/members", "members", &[ID, TEAM, OTHER], 0).tenant(Tenant::new(1, None));
    static ISSUES: Descriptor =
        Descriptor::new("Issue", "core", "/issues", "issues", &[ID, TEAM, OTHER], 0).tenant(Tenant::new(1, None));

    fn equal(column: usize, value: i64) -> Predicate {
        Predicate::Compare { column, operator: Comparison::Eq, value: Value::Int(value) }
    }

    fn related(column: usize, resource: &'static Descriptor, selected: usize, filter: Predicate) -> Predicate {
        Predicate::InSubquery(Box::new(InSubquery { columns: vec![(column, selected)], resource, filter }))
    }

    fn tables() -> ShardedTables {
        let tables = ShardedTables::default();
        tables.learn(&[&TEAMS, &MEMBERS, &ISSUES], &[]);
        tables
    }

    fn in_tenant(resource: &'static Descriptor, filter: &Predicate) -> Predicate {
        tables().of_tenant_in(resource, filter).into_owned()
    }

    #[test]
    fn related_records_are_of_the_tenant_of_the_records() {
        let issues = |of_members| equal(1, 7).and(related(2, &MEMBERS, 0, of_members));
        assert_eq!(in_tenant(&ISSUES, &issues(equal(2, 3))), issues(equal(2, 3).and(equal(1, 7))));
        let nested = |of_members| equal(1, 7).and(related(2, &ISSUES, 0, of_members));
        let of_issues = |of_members| related(2, &MEMBERS, 0, of_members);
        assert_eq!(
            in_tenant(&ISSUES, &nested(of_issues(equal(2, 3)))),
            nested(of_issues(equal(2, 3).and(equal(1, 7))).and(equal(1, 7)))
        );
    }

    #[test]
    fn members_of_a_tenant_are_those_of_its_key() {
        let teams = |of_members| equal(0, 7).and(related(0, &MEMBERS, 1, of_members));
        assert_eq!(in_tenant(&TEAMS, &teams(equal(2, 3))), teams(equal(2, 3).and(equal(1, 7))));
    }

    #[test]
    fn related_tenants_and_records_of_several_tenants_are_not_restricted() {
        let tables = tables();
        for (resource, filter) in [
            (&TEAMS, equal(0, 7).and(related(1, &TEAMS, 0, equal(1, 3)))),
            (&TEAMS, equal(0, 7).and(related(0, &MEMBERS, 2, equal(2, 3)))),
            (&ISSUES, equal(1, 7).and(related(2, &TEAMS, 0, equal(1, 3)))),
        ] {
            assert_eq!(in_tenant(resource, &filter), filter);
        }
        let of_all = related(2, &MEMBERS, 0, equal(2, 3));
        assert!(matches!(tables.of_tenant_in(&ISSUES, &of_all), Cow::Borrowed(_)));
    }
}
