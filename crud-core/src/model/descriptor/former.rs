//! [`Former`]: a name that a resource's struct had.

use super::Descriptor;

/// A former name of a resource's struct, and its table at that time.
///
/// ```
/// use crud_runtime::descriptor::Former;
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(renamed_from = "Order")]
/// struct Purchase {
///     id: i64,
/// }
///
/// assert_eq!(Purchase::DESCRIPTOR.formers, [Former::new("Order", "orders")]);
/// assert_eq!((Purchase::DESCRIPTOR.table, Purchase::DESCRIPTOR.prefix), ("orders", "/orders"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Former {
    /// The name.
    pub name: &'static str,
    /// The table.
    pub table: &'static str,
}

impl Former {
    /// A name and a table.
    pub const fn new(name: &'static str, table: &'static str) -> Self {
        Self { name, table }
    }
}

impl Descriptor {
    /// The name by which storage knows the records: their name in the oldest program that can still use the table.
    /// Programs of both names then read each other's writes, and a return to the older program loses nothing.
    #[doc(hidden)]
    pub fn stored_name(&self) -> &'static str {
        let same_table = self.formers.iter().take_while(|former| former.table == self.table);
        same_table.last().map_or(self.name, |former| former.name)
    }

    /// The names by which storage may know the records, the present one first.
    #[doc(hidden)]
    pub fn names(&self) -> impl Iterator<Item = &'static str> + Clone {
        let (name, formers) = (self.name, self.formers);
        std::iter::once(name).chain(formers.iter().map(|former| former.name).filter(move |former| *former != name))
    }

    /// Whether the resource has or had this name.
    #[doc(hidden)]
    pub fn is_named(&self, name: &str) -> bool {
        self.names().any(|own| own == name)
    }

    /// The former tables of the resource, the latest one first.
    #[doc(hidden)]
    pub fn former_tables(&self) -> impl Iterator<Item = &'static str> {
        let (table, formers) = (self.table, self.formers);
        formers.iter().map(|former| former.table).filter(move |former| *former != table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource(table: &'static str, formers: &'static [Former]) -> Descriptor {
        Descriptor::new("Sale", "shop", "/sales", table, &[], 0).formers(formers)
    }

    #[test]
    fn stored_name_is_the_oldest_one_of_the_table() {
        const PURCHASE: Former = Former::new("Purchase", "orders");
        const ORDER: Former = Former::new("Order", "orders");
        const OLDER: Former = Former::new("Order", "old_orders");
        assert_eq!(resource("sales", &[]).stored_name(), "Sale");
        assert_eq!(resource("orders", &[PURCHASE, ORDER]).stored_name(), "Order");
        assert_eq!(resource("sales", &[PURCHASE, ORDER]).stored_name(), "Sale");
        assert_eq!(resource("orders", &[PURCHASE, OLDER]).stored_name(), "Purchase");
    }

    #[test]
    fn former_names_and_tables_are_listed_without_the_present_ones() {
        const TABLE: Former = Former::new("Sale", "orders");
        const NAME: Former = Former::new("Order", "sales");
        let resource = resource("sales", &[TABLE, NAME]);
        assert_eq!(resource.names().collect::<Vec<_>>(), ["Sale", "Order"]);
        assert_eq!(resource.former_tables().collect::<Vec<_>>(), ["orders"]);
    }
}
