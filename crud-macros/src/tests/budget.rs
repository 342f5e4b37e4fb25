//! The budget of an expansion: the lines that the user's compiler reads for each resource.

use super::{expansion, formatted};

/// The reference: eight fields, with every option that the derive takes. The same as the one that
/// `benches/COMPILE_COST.md` measures.
const RESOURCE: &str = "
    /// A product in the catalogue.
    #[crud(
        filter(name, price, status, parent_id),
        sort(name, price, created_at),
        default_sort(desc(created_at)),
        pagination(default_limit = 20, max_limit = 100),
        soft_delete,
        batch,
        audit,
        access(read(public), write(authenticated), delete(role(\"admin\")))
    )]
    pub struct Product {
        /// The key.
        pub id: Uuid,
        /// The name.
        #[crud(length(min = 1, max = 200))]
        pub name: String,
        /// The price of one piece.
        #[crud(range(min = 0))]
        pub price: f64,
        /// The state of the delivery.
        #[crud(default(Status::Draft))]
        pub status: Status,
        /// The category that it belongs to.
        #[crud(references(Product))]
        pub parent_id: Uuid,
        /// When it came into the catalogue.
        #[crud(created_at)]
        pub created_at: DateTime<Utc>,
        /// When it was last changed.
        #[crud(updated_at)]
        pub updated_at: DateTime<Utc>,
        /// When it was deleted, if it was.
        pub deleted_at: Option<DateTime<Utc>>,
    }
";

const ENUM: &str = "pub enum Status { Draft, Active, Retired }";

/// The most lines of both expansions. `benches/COMPILE_COST.md` counts some 141 more for each resource, which are the
/// structs and the expansions of the standard derives, and allows 520.
const BUDGET: usize = 365;

/// The lines of an item's expansion that compilers read, in a module, without blank ones.
fn lines(source: &str) -> usize {
    let item = syn::parse_str(source).expect("an item");
    let expansion = expansion(&item);
    let text = formatted(quote::quote!(mod resource { #expansion }));
    let mut lines = 0;
    // The indentation of the block for rust-analyzer alone, within it.
    let mut hidden = None;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let indentation = line.len() - line.trim_start().len();
        match hidden {
            None if line.trim() == "#[cfg(rust_analyzer)]" => hidden = Some(indentation),
            None => lines += 1,
            Some(start) if indentation == start && line.trim() == "};" => hidden = None,
            Some(_) => {}
        }
    }
    assert_eq!(hidden, None, "the hints for editors do not end");
    lines - "mod resource {\n}".lines().count()
}

#[test]
fn an_expansion_is_within_its_budget() {
    let (resource, enumeration) = (lines(RESOURCE), lines(ENUM));
    assert!(
        resource + enumeration <= BUDGET,
        "{resource} lines of the resource and {enumeration} of the enum are more than {BUDGET}"
    );
}
