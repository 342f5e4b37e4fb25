//! Names of schemas and operations. Those of a resource depend on its own struct and mount alone, so that no other resource
//! renames them.

use crud_shared::plural;

use super::relation;
use super::relation::{RelationCondition, documented_columns, expand_paths, has_filters, has_search, sort_names};
use super::wording::sentence;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::value::Kind;
use crate::store::mounted::options::ResourceOptions;

/// A check whether a resource has a schema.
type Has = fn(&ResourceOptions) -> bool;

/// The suffixes of the names of a resource's schemas, after the record's name, each with a check whether the resource
/// has the schema.
const SCHEMAS: [(&str, Has); 17] = [
    ("", |_| true),
    ("Create", |of| of.descriptor.offers(Operation::Create)),
    ("Patch", |of| of.descriptor.offers(Operation::Update)),
    ("Transition", |of| of.descriptor.offers(Operation::Update) && of.descriptor.transitions().next().is_some()),
    ("List", |of| of.descriptor.offers(Operation::List) && of.pagination.is_some()),
    ("Where", |of| of.descriptor.offers(Operation::List) && has_filters(of.descriptor)),
    ("Search", |of| has_search(of.descriptor)),
    (SORT_KEY, |of| of.descriptor.offers(Operation::List) && !sort_names(of.descriptor).is_empty()),
    (EXPAND_PATH, |of| !expand_paths(of.descriptor).is_empty()),
    ("BatchItem", |of| of.descriptor.offers(Operation::BatchUpdate)),
    ("BatchCreate", |of| of.descriptor.offers(Operation::BatchCreate)),
    ("BatchUpdate", |of| of.descriptor.offers(Operation::BatchUpdate)),
    ("BatchDelete", |of| of.descriptor.offers(Operation::BatchDelete)),
    ("BatchCreated", |of| of.descriptor.offers(Operation::BatchCreate)),
    ("BatchUpdated", |of| of.descriptor.offers(Operation::BatchUpdate)),
    ("BatchDeleted", |of| of.descriptor.offers(Operation::BatchDelete)),
    (GROUP, |of| of.descriptor.offers(Operation::Aggregate)),
];

/// The suffix of the name of a sort key.
pub(crate) const SORT_KEY: &str = "Sort";

/// The suffix of the name of a path that `expand` takes.
pub(crate) const EXPAND_PATH: &str = "Expand";

/// The suffix of the name of a group of aggregates.
pub(crate) const GROUP: &str = "Aggregate";

/// The suffix of the name of a condition on listed records. Resources that refer to the records share that schema.
const FILTER: &str = "Filter";

/// The names of a resource in the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Names {
    /// The schema of a record; the resource's other schemas are named after it.
    record: String,
    /// The suffix of operation ids on several records, such as `Products`.
    pub(crate) plural: String,
    /// The suffix of operation ids on one record, such as `Product`.
    pub(crate) singular: String,
}

impl Names {
    /// The names of a resource: after `api_name`, or else after the struct. For a noun that is its own plural, such as
    /// `Equipment`, they still tell one record from several.
    pub(crate) fn new(options: &ResourceOptions) -> Self {
        let name = options.api_name.as_deref().unwrap_or(options.descriptor.name);
        let (singular, plural) = (pascal(name), pascal(&plural::of_type(name)));
        let plural = if plural == singular { format!("{singular}Records") } else { plural };
        Self { record: component_key(name), plural, singular }
    }

    /// The names of a resource by its struct, as the service mounts it.
    pub(crate) fn of_resource(descriptor: &'static Descriptor, resources: &[ResourceOptions]) -> Self {
        let mounted = resources.iter().find(|options| std::ptr::eq(options.descriptor, descriptor));
        mounted.map_or_else(|| Self::new(&ResourceOptions::new(descriptor)), Self::new)
    }

    /// The schema of a record.
    pub(crate) fn record(&self) -> String {
        self.record.clone()
    }

    /// The schema with this suffix, one of [`SCHEMAS`].
    pub(crate) fn schema(&self, suffix: &'static str) -> String {
        format!("{}{suffix}", self.record)
    }

    /// The schema of a condition on a relation's records. All lists of such records share one, such as `BookingFilter`;
    /// a reference has its own, such as `ProductWhereCategory`. With a suffix of [`SCHEMAS`], the relation `equipment`
    /// of `Space` could collide with a resource `SpaceEquipment`.
    pub(crate) fn relation_condition(&self, relation: &RelationCondition, resources: &[ResourceOptions]) -> String {
        if relation.is_list {
            return Self::of_resource(relation.target, resources).schema(FILTER);
        }
        format!("{}Where{}", self.record, pascal(relation.name))
    }

    /// The schema of the values of an enum field, such as `ProductStatus`.
    pub(crate) fn enumeration(&self, field: &str) -> String {
        self.record.clone() + &pascal(field)
    }

    /// The id of an operation, such as `listProducts` from `list{many}`.
    pub(crate) fn operation_id(&self, id: &str) -> String {
        id.replace("{one}", &self.singular).replace("{many}", &self.plural)
    }

    /// The names of a resource's schemas, without those of enum fields.
    pub(crate) fn own_schemas(&self, options: &ResourceOptions) -> Vec<String> {
        let own = SCHEMAS.into_iter().filter(|(_, has)| has(options));
        own.map(|(suffix, _)| self.schema(suffix)).collect()
    }

    /// The names of the conditions on a resource's relations, each with the resource whose struct determines the name.
    pub(crate) fn conditions(
        &self,
        options: &ResourceOptions,
        resources: &[ResourceOptions],
    ) -> Vec<(String, &'static Descriptor)> {
        let descriptor = options.descriptor;
        let mut names = Vec::new();
        for condition in relation::conditions(descriptor).filter(|_| has_search(descriptor)) {
            let decides = if condition.is_list { condition.target } else { descriptor };
            names.push((self.relation_condition(&condition, resources), decides));
            let inner = Self::of_resource(condition.target, resources);
            let inside = condition.inside.iter().map(|inside| inner.relation_condition(inside, resources));
            names.extend(inside.map(|name| (name, condition.target)));
        }
        names
    }

    /// The names of a resource's schemas.
    pub(crate) fn schemas(&self, options: &ResourceOptions) -> Vec<String> {
        let mut names = self.own_schemas(options);
        let fields = documented_columns(options.descriptor).filter(|column| matches!(column.kind, Kind::Enum(_)));
        for name in fields.map(|column| self.enumeration(column.json)) {
            // A field whose name is taken keeps its values inline: the other schema is the resource's too.
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

/// The id of the route of a transition, such as `publish{one}`.
pub(crate) fn transition_id(transition: &str) -> String {
    camel(&pascal(transition)) + "{one}"
}

/// The ids of the routes of linked records, such as `getLabelsOfIssue`: to read the set, to replace it, to add to it,
/// and to remove one from it. `getIssueLabels` could be an operation of a resource `IssueLabels`.
pub(crate) fn link_ids(links: &str) -> [String; 4] {
    let noun = pascal(links);
    ["get", "replace", "add", "remove"].map(|verb| format!("{verb}{noun}Of{{one}}"))
}

/// Declares the names of schemas that resources share.
macro_rules! shared {
    ($($name:ident $text:literal,)+) => {
        $(pub(crate) const $name: &str = $text;)+

        /// The names of schemas that resources share.
        pub(crate) const SHARED: &[&str] = &[$($name),+];
    };
}

shared! {
    PROBLEM "Problem",
    PROBLEM_PLACE "ProblemPlace",
    BATCH_ERROR "BatchError",
    IMPORT_RESULT "ImportResult",
    IMPORT_ERROR "ImportError",
    RESTORED_COUNT "RestoredCount",
    PURGED_COUNT "PurgedCount",
    AUDIT_LOG "AuditLog",
    AUDIT_LOG_PAGE "AuditLogList",
}

/// The id of the operation that lists the audit log.
pub(crate) const LIST_AUDIT_LOG: &str = "listAuditLogs";

/// The name with only the characters that a component key may have; Rust allows more.
fn component_key(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '_' }).collect()
}

/// The name with a lower-case first letter.
pub(crate) fn camel(pascal: &str) -> String {
    let mut letters = pascal.chars();
    letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect()
}

/// `order-items` and `order_items` as `OrderItems`.
pub(crate) fn pascal(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::descriptor::{ColumnDescriptor, Role};

    static ID: &[ColumnDescriptor] = &[ColumnDescriptor::new::<i64>("id", "id", "\"id\":", "id").role(Role::Id)];
    static PRODUCT: Descriptor = Descriptor::new("Product", "shop::catalogue", "/products", "products", ID, 0);

    #[test]
    fn names_are_those_of_the_struct_wherever_it_is_mounted() {
        let names = Names::new(&ResourceOptions::new(&PRODUCT).prefix("/v1/goods"));
        assert_eq!((names.record(), names.schema("Patch")), ("Product".to_owned(), "ProductPatch".to_owned()));
        assert_eq!(names.operation_id("list{many}"), "listProducts");
        assert_eq!(names.operation_id("get{one}"), "getProduct");
    }

    #[test]
    fn stated_name_is_that_of_schemas_and_operations() {
        let names = Names::new(&ResourceOptions::new(&PRODUCT).api_name("StockCategory"));
        assert_eq!(names.schema("List"), "StockCategoryList");
        assert_eq!(names.operation_id("list{many}"), "listStockCategories");
        assert_eq!(names.operation_id("get{one}"), "getStockCategory");
        let names = Names::new(&ResourceOptions::new(&PRODUCT).api_name("Equipment"));
        assert_eq!(
            ["restore{one}", "restore{many}"].map(|id| names.operation_id(id)),
            ["restoreEquipment", "restoreEquipmentRecords"]
        );
    }

    #[test]
    fn names_of_relations_are_no_other_resources() {
        let names = Names::new(&ResourceOptions::new(&PRODUCT));
        let relation = |is_list| RelationCondition {
            name: "part",
            target: &PRODUCT,
            is_list,
            columns: Vec::new(),
            inside: Vec::new(),
        };
        assert_eq!(names.relation_condition(&relation(false), &[]), "ProductWherePart");
        assert_eq!(names.relation_condition(&relation(true), &[]), "ProductFilter");
        let [read, replace, ..] = link_ids("labels").map(|id| names.operation_id(&id));
        assert_eq!([read, replace], ["getLabelsOfProduct", "replaceLabelsOfProduct"]);
    }
}
