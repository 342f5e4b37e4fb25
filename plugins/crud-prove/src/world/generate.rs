//! Inserts the generated records, and reads all records back.

use std::collections::BTreeMap;
use std::time::Duration;

use crud_runtime::adapter::Key;
use crud_runtime::column::Value;
use crud_runtime::descriptor::Descriptor;
use crud_runtime::error::Problem;
use crud_runtime::testing::Test;

use super::draft::{Draft, Variant, typed};
use super::generated::World;
use super::order::referred_first;
use super::person::{Person, STRANGER, claim_columns, people};
use super::record::Record;
use super::served::{Served, position, served};
use crate::rules::json_of;

/// Age of records that are older than time limits of rules.
const LONG_AGO: Duration = Duration::from_hours(24 * 365);

struct Generator<'t> {
    test: &'t Test,
    served: Vec<Served>,
    people: Vec<Person>,
    draft: Draft,
    /// The person of each inserted record, by its resource and key.
    people_of: BTreeMap<(usize, String), usize>,
    without_records: Vec<String>,
}

/// Generates records of every resource, and reads all records back.
///
/// # Errors
/// When the database fails.
pub(crate) async fn generate(test: &Test) -> crud_runtime::Result<World> {
    let served = served(test.model());
    let (people, draft) = (people(test, &served).await, Draft::new(served.len()));
    let (people_of, without_records) = (BTreeMap::new(), Vec::new());
    let mut generator = Generator { test, served, people, draft, people_of, without_records };
    let root = generator.tenants().await;
    for resource in referred_first(&generator.served) {
        if Some(resource) != root {
            generator.fill(resource).await;
        }
    }
    generator.claims();
    generator.read().await
}

impl Generator<'_> {
    /// Sets the tenants of people. Returns the resource whose records are tenants, if there is one.
    async fn tenants(&mut self) -> Option<usize> {
        let column = self.served.iter().find_map(|it| Some((it.descriptor, it.descriptor.tenant?.column)));
        let (descriptor, column) = column?;
        let column = &descriptor.columns[column];
        let referring = self.served.iter().filter_map(|it| {
            let tenant = it.descriptor.tenant?.column;
            position(&self.served, (it.descriptor.columns[tenant].references?.target)())
        });
        let root = referring.into_iter().next();
        let mut tenants = Vec::new();
        for (number, person) in [0, 2].into_iter().enumerate() {
            tenants.push(match root {
                Some(root) => self.insert(root, person, Variant::Own).await.map(|record| {
                    let key = self.served[root].descriptor.key()[0];
                    record[key].clone()
                }),
                None => {
                    let texts =
                        [["1", "2"], ["00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b"]];
                    texts.iter().find_map(|texts| typed(column.kind, texts[number]))
                }
            });
        }
        for (person, tenant) in [0, 0, 1, 0].into_iter().enumerate() {
            self.people[person].tenant.clone_from(&tenants[tenant]);
        }
        if let Some(root) = root {
            let own = &mut self.draft.own[root];
            let first = own[0].clone();
            own[1] = first;
        }
        root
    }

    /// Inserts the records of a resource.
    async fn fill(&mut self, resource: usize) {
        let descriptor = self.served[resource].descriptor;
        for person in 0..STRANGER {
            // The deleted record comes first, so that its unique values are free again for the active one.
            if descriptor.soft_delete.is_some()
                && let Some(record) = self.insert(resource, person, Variant::Own).await
            {
                let key = Key::of(descriptor, &record);
                let deleted = self.test.records(descriptor).soft_delete(&key).await;
                self.draft.own[resource][person] = None;
                self.draft.deleted[resource][person] = deleted.is_ok().then_some(record);
            }
            self.insert(resource, person, Variant::Own).await;
        }
        for person in 0..STRANGER {
            for variant in variants(descriptor) {
                self.insert(resource, person, variant).await;
            }
        }
    }

    /// Inserts a record. If the first person's own record fails, the reason is kept.
    async fn insert(&mut self, resource: usize, person: usize, variant: Variant) -> Option<Vec<Value>> {
        let descriptor = self.served[resource].descriptor;
        let inserted = match self.draft.values(&self.served, &self.people, resource, person, variant) {
            Ok(values) => self.inserted(descriptor, values, variant).await.map_err(|problem| problem.to_string()),
            Err(reason) => Err(reason),
        };
        match inserted {
            Ok(record) => {
                let key = Key::of(descriptor, &record).to_string();
                self.people_of.insert((resource, key), person);
                if variant == Variant::Own {
                    self.draft.own[resource][person] = Some(record.clone());
                }
                Some(record)
            }
            Err(reason) => {
                if variant == Variant::Own && person == 0 {
                    self.without_records.push(format!("{}: {reason}", descriptor.name));
                }
                None
            }
        }
    }

    async fn inserted(
        &self,
        descriptor: &'static Descriptor,
        values: Vec<(usize, Value)>,
        variant: Variant,
    ) -> Result<Vec<Value>, Problem> {
        let now = self.test.clock().now();
        if variant == Variant::Old {
            self.test.clock().set(now - LONG_AGO);
        }
        let inserted = self.test.records(descriptor).insert(values).await;
        self.test.clock().set(now);
        inserted
    }

    /// Sets the claims of people, from the values of their records.
    fn claims(&mut self) {
        for (resource, served) in self.served.iter().enumerate() {
            for (column, claim) in claim_columns(served.descriptor) {
                for person in 0..STRANGER {
                    let Some(record) = &self.draft.own[resource][person] else { continue };
                    let value = json_of(&record[column]);
                    self.people[person].claims.entry(claim.to_owned()).or_insert(value);
                }
            }
        }
    }

    /// Reads all records of the database.
    async fn read(self) -> crud_runtime::Result<World> {
        let mut records = Vec::new();
        for (resource, served) in self.served.iter().enumerate() {
            let descriptor = served.descriptor;
            let found = self.test.records(descriptor).all().await?;
            let record = |values: Vec<Value>| {
                let key = if descriptor.keyless { String::new() } else { Key::of(descriptor, &values).to_string() };
                let person = self.people_of.get(&(resource, key)).copied();
                Record::new(descriptor, values, person)
            };
            records.push(found.into_iter().map(record).collect());
        }
        let Self { served, people, without_records, draft, .. } = self;
        Ok(World { served, records, people, without_records, draft })
    }
}

/// The further variants of a resource's records, besides `Own`.
fn variants(descriptor: &Descriptor) -> impl Iterator<Item = Variant> {
    let is_timed = descriptor.write_scopes.iter().any(|scope| scope.within.is_some());
    let references = descriptor.columns.iter().filter_map(|column| column.references).collect::<Vec<_>>();
    let meets_deleted = references.iter().any(|reference| (reference.target)().soft_delete.is_some());
    [
        is_timed.then_some(Variant::Old),
        meets_deleted.then_some(Variant::Orphan),
        (!references.is_empty()).then_some(Variant::Crossing),
    ]
    .into_iter()
    .flatten()
}
