//! Size of the document of a service with many resources, every field of which filters and sorts.

use crud_runtime::ResourceOptions;
use crud_runtime::adapter::Capabilities;
use crud_runtime::descriptor::Descriptor;
use crud_runtime::openapi::{Document, Info};
use crud_runtime::prelude::*;

/// A branch, to which accounts refer.
#[derive(Debug, Clone, Resource)]
#[crud(filter, sort, pagination(cursor))]
struct Branch {
    id: i64,
    name: String,
}

/// An account, as one of many tables of another program.
#[derive(Debug, Clone, Resource)]
#[crud(filter, sort, pagination(cursor), has_many(entries(Entry::account_id, limit = 10)))]
struct Account {
    id: i64,
    name: String,
    code: String,
    note: Option<String>,
    #[crud(references(Branch, expand))]
    branch_id: i64,
    #[crud(references(Branch, expand))]
    other_branch_id: Option<i64>,
    number: i32,
    rate: f64,
    amount: Decimal,
    active: bool,
    opened: NaiveDate,
    #[crud(created_at)]
    created_at: DateTime<Utc>,
    #[crud(updated_at)]
    updated_at: DateTime<Utc>,
}

/// An entry of an account.
#[derive(Debug, Clone, Resource)]
#[crud(filter, sort, pagination(cursor), table = "size_entries", prefix = "/size-entries")]
struct Entry {
    id: i64,
    #[crud(references(Account, expand))]
    account_id: i64,
    text: String,
    booked_at: DateTime<Utc>,
}

/// This many resources like accounts and entries, with eight fields on average.
fn resources(count: usize) -> Vec<ResourceOptions> {
    let copies = (3..count).map(|number| {
        let of: &Descriptor = if number % 2 == 0 { Account::DESCRIPTOR } else { Entry::DESCRIPTOR };
        let mut copy = of.clone();
        copy.name = format!("{}{number}", of.name).leak();
        copy.prefix = format!("{}{number}", of.prefix).leak();
        copy.table = format!("{}{number}", of.table).leak();
        &*Box::leak(Box::new(copy))
    });
    let own: [&'static Descriptor; 3] = [Branch::DESCRIPTOR, Account::DESCRIPTOR, Entry::DESCRIPTOR];
    own.into_iter().chain(copies).map(ResourceOptions::new).collect()
}

/// The bytes of the document of this many resources.
fn size(count: usize) -> usize {
    let capabilities = Capabilities::new().with_transactions().with_subqueries();
    let document = Document::new(&Info::new("Bank", "1"), &resources(count), None, false, capabilities);
    document.json("").len()
}

#[test]
fn document_grows_by_the_resources_alone() {
    let sizes = [11, 30, 78].map(size);
    println!("document bytes of 11, 30 and 78 resources: {sizes:?}");
    assert!(sizes[2] < 2_050_000, "{sizes:?}");
    assert!(sizes[2] - sizes[1] < (sizes[1] - sizes[0]) * 48 / 19 + 20_000, "{sizes:?}");
}
