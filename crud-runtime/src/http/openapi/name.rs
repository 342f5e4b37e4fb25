//! Names without collisions: of schemas and of operations.

use std::collections::HashSet;

use axum::http::Method;

use super::relation;
use super::wording::sentence;
use crate::http::operation;
use crate::http::operation::aggregate;
use crate::store::mounted::options::ResourceOptions;

/// The ends of the names of a resource's schemas, after that of its record.
const SUFFIXES: [&str; 13] = [
    "",
    "Create",
    "Patch",
    "List",
    "Where",
    "Search",
    "BatchItem",
    "BatchCreate",
    "BatchUpdate",
    "BatchDelete",
    "BatchCreated",
    "BatchUpdated",
    "BatchDeleted",
];

/// The names of a resource in the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Names {
    /// The schema of a record; the resource's other schemas are named after it.
    record: String,
    /// The suffix of operation ids on several records, such as `Products`.
    plural: String,
    /// The suffix of operation ids on one record, such as `Product`.
    singular: String,
    /// The ends of the names of the schemas, after that of the record.
    suffixes: Vec<String>,
    /// The ids of the generated operations, as [`Names::operation_id`] takes them.
    routes: Vec<String>,
}

impl Names {
    /// The schema of a record.
    pub(crate) fn record(&self) -> String {
        self.record.clone()
    }

    /// The schema with this one of the [`SUFFIXES`].
    pub(crate) fn schema(&self, suffix: &'static str) -> String {
        format!("{}{suffix}", self.record)
    }

    /// The schema of a condition on the record of a relation, such as `ProductCategoryWhere`.
    pub(crate) fn relation_condition(&self, relation: &str) -> String {
        self.record.clone() + &condition_suffix(relation)
    }

    /// The id of an operation, such as `listProducts` of `list{many}`.
    pub(crate) fn operation_id(&self, id: &str) -> String {
        id.replace("{one}", &self.singular).replace("{many}", &self.plural)
    }

    /// The id of a route of the program below the resource's, such as `takePart` of `POST /parts/{id}/take` and
    /// `getPartLabel` of `GET /parts/{id}/label`; `None` where a generated operation has it.
    pub(crate) fn action_operation_id(&self, method: &Method, path: &str, is_item: bool) -> Option<String> {
        let noun = if is_item { &self.singular } else { &self.plural };
        let action = pascal(path);
        let id = match *method {
            Method::POST if !action.is_empty() => camel(&action) + noun,
            _ => format!("{}{noun}{action}", method.as_str().to_lowercase()),
        };
        Some(id).filter(|id| !self.operation_ids().contains(id))
    }

    fn schemas(&self) -> Vec<String> {
        self.suffixes.iter().map(|suffix| format!("{}{suffix}", self.record)).collect()
    }

    /// Names of operations by another stem, if there is one.
    fn with_operations(self, stem: Option<&str>) -> Self {
        match stem {
            Some(stem) => Self { plural: stem.to_owned(), singular: stem.to_owned(), ..self },
            None => self,
        }
    }

    fn operation_ids(&self) -> Vec<String> {
        self.routes.iter().map(|id| self.operation_id(id)).collect()
    }
}

/// The end of the name of the schema of a condition on the record of a relation.
fn condition_suffix(relation: &str) -> String {
    pascal(relation) + "Where"
}

/// The id of the route of a transition, such as `publish{one}`.
pub(crate) fn transition_id(transition: &str) -> String {
    camel(&pascal(transition)) + "{one}"
}

/// The ids of the routes of linked records, such as `getIssueLabels`: to read the set, to replace it, to add to it, and to
/// remove one from it.
pub(crate) fn link_ids(links: &str) -> [String; 4] {
    let noun = pascal(links);
    ["get", "replace", "add", "remove"].map(|verb| format!("{verb}{{one}}{noun}"))
}

/// Declares the names of schemas that resources share.
macro_rules! shared {
    ($($name:ident $text:literal,)+) => {
        $(pub(crate) const $name: &str = $text;)+

        /// The names of schemas that resources share.
        const SHARED: &[&str] = &[$($name),+];
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

/// Names that no resource can have.
#[derive(Debug)]
pub(crate) struct Reserved {
    /// The names of schemas.
    schemas: Vec<String>,
    /// The ids of operations.
    operations: Vec<String>,
}

impl Reserved {
    /// The names that resources share, and those of these schemas and operations.
    pub(crate) fn new(schemas: impl IntoIterator<Item = String>, operations: impl IntoIterator<Item = String>) -> Self {
        Self {
            schemas: SHARED.iter().map(|name| (*name).to_owned()).chain(schemas).collect(),
            operations: [LIST_AUDIT_LOG.to_owned()].into_iter().chain(operations).collect(),
        }
    }
}

/// Assigns names to each resource, in order.
///
/// Colliding names are qualified for both resources: schemas by module path, operations by prefix. So names do not depend on
/// the order of the resources.
pub(crate) fn assign(resources: &[ResourceOptions], reserved: &Reserved) -> Vec<Names> {
    let preferred: Vec<Names> = resources.iter().map(preferred).collect();
    let records = Stems {
        reserved: &reserved.schemas,
        // A resource that is mounted twice shares its schemas.
        is_shared: &|a, b| std::ptr::eq(resources[a].descriptor, resources[b].descriptor),
        names: &|index, stem| {
            let record = stem.unwrap_or(&preferred[index].record).to_owned();
            Names { record, ..preferred[index].clone() }.schemas()
        },
        qualified: &|index| {
            let descriptor = resources[index].descriptor;
            component_key(&format!("{}.{}", descriptor.module.replace("::", "."), descriptor.name))
        },
    };
    let operations = Stems {
        reserved: &reserved.operations,
        // Prefixes are unique, also where two of them mount the same resource.
        is_shared: &|a, b| a == b,
        names: &|index, stem| preferred[index].clone().with_operations(stem).operation_ids(),
        qualified: &|index| pascal(&resources[index].prefix),
    };
    let stems = records.assign(resources.len()).into_iter().zip(operations.assign(resources.len()));
    let names = preferred.iter().zip(stems).map(|(preferred, (record, operations))| {
        let names = preferred.clone().with_operations(operations.as_deref());
        Names { record: record.unwrap_or(names.record), ..names }
    });
    names.collect()
}

fn preferred(options: &ResourceOptions) -> Names {
    let descriptor = options.descriptor;
    let last = options.prefix.rsplit('/').find(|segment| !segment.is_empty()).unwrap_or(descriptor.name);
    let own = SUFFIXES.into_iter().chain(descriptor.aggregate.map(|_| aggregate::GROUP)).map(str::to_owned);
    let conditions = relation::conditions(descriptor).flat_map(|relation| {
        let inside = relation.inside.into_iter().map(|inside| inside.name);
        std::iter::once(relation.name).chain(inside).map(|name| condition_suffix(&name)).collect::<Vec<_>>()
    });
    let routes = operation::routes().iter().map(|route| route.id.clone().into_owned());
    let transitions = descriptor.transitions().map(|(_, transition)| transition_id(transition.name));
    let links = descriptor.many_to_many.iter().flat_map(|links| link_ids(links.name));
    Names {
        record: component_key(descriptor.name),
        plural: pascal(last),
        singular: pascal(descriptor.name),
        suffixes: own.chain(conditions).collect(),
        routes: routes.chain(transitions).chain(links).collect(),
    }
}

/// Stems of names, by the indexes of resources.
struct Stems<'a> {
    reserved: &'a [String],
    /// Whether two resources have one stem.
    is_shared: &'a dyn Fn(usize, usize) -> bool,
    /// The names that a resource has by a stem; without one, by its own.
    names: &'a dyn Fn(usize, Option<&str>) -> Vec<String>,
    /// The stem of a resource whose own collides.
    qualified: &'a dyn Fn(usize) -> String,
}

impl Stems<'_> {
    /// The stem of each resource, where one of its names by its own stem is reserved or another resource's.
    fn assign(&self, resources: usize) -> Vec<Option<String>> {
        let own: Vec<Vec<String>> = (0..resources).map(|index| (self.names)(index, None)).collect();
        let collides = |index: usize| {
            let others: Vec<&[String]> =
                (0..resources).filter(|other| !(self.is_shared)(index, *other)).map(|other| &*own[other]).collect();
            own[index]
                .iter()
                .any(|name| self.reserved.contains(name) || others.iter().any(|names| names.contains(name)))
        };
        let collides: Vec<bool> = (0..resources).map(collides).collect();
        let mut taken: HashSet<String> = self.reserved.iter().cloned().collect();
        taken.extend((0..resources).filter(|index| !collides[*index]).flat_map(|index| own[index].clone()));
        let mut stems: Vec<Option<String>> = Vec::with_capacity(resources);
        for (index, collides) in collides.into_iter().enumerate() {
            let stem = match (0..index).find(|earlier| (self.is_shared)(*earlier, index)) {
                Some(earlier) => stems[earlier].clone(),
                None if !collides => None,
                None => Some(numbered(&(self.qualified)(index), &mut taken, |stem| (self.names)(index, Some(stem)))),
            };
            stems.push(stem);
        }
        stems
    }
}

/// The stem, numbered if needed, all of whose names are free; reserves those names.
fn numbered(stem: &str, taken: &mut HashSet<String>, names: impl Fn(&str) -> Vec<String>) -> String {
    let mut candidate = stem.to_owned();
    let mut number = 1;
    while names(&candidate).iter().any(|name| taken.contains(name)) {
        number += 1;
        candidate = format!("{stem}{number}");
    }
    taken.extend(names(&candidate));
    candidate
}

/// The name with only the characters that a component key may have; Rust allows more.
fn component_key(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '_' }).collect()
}

/// The name with a lower-case first letter.
fn camel(pascal: &str) -> String {
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
    use crate::model::descriptor::{ColumnDescriptor, Descriptor, Role};

    static ID: &[ColumnDescriptor] = &[ColumnDescriptor::new::<i64>("id", "id", "\"id\":", "id").role(Role::Id)];
    static PRODUCT: Descriptor = Descriptor::new("Product", "shop::catalogue", "/products", "products", ID, 0);
    static OTHER_PRODUCT: Descriptor = Descriptor::new("Product", "stock", "/stock/products", "stock", ID, 0);
    static PRODUCT_PATCH: Descriptor = Descriptor::new("ProductPatch", "shop", "/patches", "patches", ID, 0);
    static PROBLEM: Descriptor = Descriptor::new("Problem", "tickets", "/problems", "problems", ID, 0);
    static CATEGORY: Descriptor = Descriptor::new("Category", "shop", "/categories", "categories", ID, 0);
    static HEALTH: Descriptor = Descriptor::new("Health", "clinic", "/healths", "healths", ID, 0);

    fn none() -> Reserved {
        Reserved::new([], [])
    }

    fn records(resources: &[&'static Descriptor]) -> Vec<String> {
        let resources: Vec<_> = resources.iter().map(|&descriptor| ResourceOptions::new(descriptor)).collect();
        assign(&resources, &none()).into_iter().map(|names| names.record).collect()
    }

    #[test]
    fn free_names_are_unqualified() {
        assert_eq!(records(&[&PRODUCT, &CATEGORY]), ["Product", "Category"]);
    }

    #[test]
    fn colliding_schema_names_are_module_qualified() {
        assert_eq!(records(&[&PRODUCT, &OTHER_PRODUCT]), ["shop.catalogue.Product", "stock.Product"]);
        assert_eq!(records(&[&PRODUCT, &PRODUCT_PATCH]), ["shop.catalogue.Product", "shop.ProductPatch"]);
    }

    #[test]
    fn names_of_the_document_are_reserved() {
        assert_eq!(records(&[&PROBLEM]), ["tickets.Problem"]);
        let reserved = Reserved::new([], ["getHealth".to_owned()]);
        let health = &assign(&[ResourceOptions::new(&HEALTH)], &reserved)[0];
        assert_eq!(health.operation_id("get{one}"), "getHealths");
    }

    #[test]
    fn names_of_the_services_routes_are_reserved_where_it_has_them() {
        static PROFILE: Descriptor = Descriptor::new("Profile", "people", "/people", "people", ID, 0);
        let profile = [ResourceOptions::new(&PROFILE)];
        let names = |reserved: Reserved| {
            let names = &assign(&profile, &reserved)[0];
            [names.record(), names.operation_id("get{one}")]
        };
        assert_eq!(names(none()), ["Profile", "getProfile"]);
        let reserved = Reserved::new(["Profile".to_owned()], ["getProfile".to_owned()]);
        assert_eq!(names(reserved), ["people.Profile", "getPeople"]);
    }

    #[test]
    fn structs_of_one_module_path_are_numbered() {
        static TWIN: Descriptor = Descriptor::new("Product", "shop::catalogue", "/twins", "twins", ID, 0);
        assert_eq!(records(&[&PRODUCT, &TWIN]), ["shop.catalogue.Product", "shop.catalogue.Product2"]);
    }

    #[test]
    fn a_resource_mounted_twice_has_one_schema_and_two_sets_of_operation_ids() {
        let resources = [
            ResourceOptions::new(&PRODUCT).prefix("/v1/products"),
            ResourceOptions::new(&PRODUCT).prefix("/v2/products"),
        ];
        let names = assign(&resources, &none());
        assert_eq!(names[0].record, "Product");
        assert_eq!(names[1].record, "Product");
        assert_eq!(names[0].operation_id("list{many}"), "listV1Products");
        assert_eq!(names[1].operation_id("create{one}"), "createV2Products");
    }

    #[test]
    fn prefixes_with_equal_identifiers_are_numbered() {
        let resources = [
            ResourceOptions::new(&PRODUCT).prefix("/v1/products"),
            ResourceOptions::new(&PRODUCT).prefix("/v1-products"),
        ];
        let ids: Vec<_> = assign(&resources, &none()).iter().map(|names| names.operation_id("list{many}")).collect();
        assert_eq!(ids, ["listV1Products", "listV1Products2"]);
    }
}
