//! The values that storage keeps unique.

use crate::model::descriptor::{Descriptor, Uniqueness};

/// Columns whose values are unique together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unique {
    /// The columns, by index: the tenant's first, where records have tenants.
    pub columns: Vec<usize>,
    /// The columns among these whose text is compared without regard to the case of ASCII letters at least.
    pub case_insensitive: Vec<usize>,
    /// The column of the deletion timestamp, when only active records count.
    pub active: Option<usize>,
}

/// Unique constraints of storage, besides the key. Null equals no other null.
///
/// ```
/// use crud_runtime::adapter::uniques;
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// struct Ticket {
///     id: i64,
///     #[crud(tenant)]
///     shop_id: i64,
///     #[crud(unique)]
///     code: String,
///     #[crud(unique(global))]
///     barcode: Option<String>,
///     #[crud(unique(case_insensitive))]
///     contact: String,
/// }
///
/// let uniques = uniques(Ticket::DESCRIPTOR);
/// let columns: Vec<&[usize]> = uniques.iter().map(|unique| &*unique.columns).collect();
/// assert_eq!(columns, [&[1, 2][..], &[3], &[1, 4]]);
/// assert!(uniques[2].ignores_case(4) && !uniques[2].ignores_case(1));
/// ```
pub fn of(resource: &Descriptor) -> Vec<Unique> {
    let single = resource.columns.iter().enumerate().filter(|(column, _)| resource.key() != [*column]);
    let single = single.filter_map(|(column, descriptor)| {
        let columns = [column];
        let folded: &[usize] = if descriptor.case_insensitive { &columns } else { &[] };
        Some(unique(resource, &columns, descriptor.unique?, folded))
    });
    let groups =
        resource.uniques.iter().map(|group| unique(resource, group.columns, group.among, group.case_insensitive));
    single.chain(groups).collect()
}

impl Unique {
    /// Whether the text of a column is compared without regard to letter case.
    pub fn ignores_case(&self, column: usize) -> bool {
        self.case_insensitive.contains(&column)
    }
}

fn unique(resource: &Descriptor, columns: &[usize], among: Uniqueness, case_insensitive: &[usize]) -> Unique {
    let active = resource.soft_delete.filter(|_| among == Uniqueness::Active);
    Unique {
        columns: if among == Uniqueness::Global { columns.to_vec() } else { led_by_tenant(resource, columns) },
        case_insensitive: case_insensitive.to_vec(),
        active: active.map(|soft_delete| soft_delete.deleted_at),
    }
}

/// The columns, after the tenant's where records have tenants.
pub fn led_by_tenant(resource: &Descriptor, columns: &[usize]) -> Vec<usize> {
    let tenant = resource.tenant.map(|tenant| tenant.column).filter(|tenant| !columns.contains(tenant));
    tenant.into_iter().chain(columns.iter().copied()).collect()
}
