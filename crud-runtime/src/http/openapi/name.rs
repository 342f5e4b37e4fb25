//! Names without collisions: of schemas and of operations.

use std::collections::HashSet;

use axum::http::Method;

use super::relation;
use super::wording::sentence;
use crate::model::descriptor::Operation;
use crate::store::resource_options::ResourceOptions;

/// The names of a resource in the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Names {
    /// The schema of a record; the resource's other schemas are named after it.
    record: String,
    /// The suffix of operation ids on several records, such as `Products`.
    plural: String,
    /// The suffix of operation ids on one record, such as `Product`.
    singular: String,
    /// The names of the resource's transitions.
    transitions: Vec<&'static str>,
    /// The ids of the generated operations.
    routes: Vec<String>,
    /// The names of the records that it refers to, or that refer to it, where conditions can be on them.
    relations: Vec<&'static str>,
}

impl Names {
    /// The schema of a record.
    pub(crate) fn record(&self) -> String {
        self.record.clone()
    }

    /// The schema of a create.
    pub(crate) fn create(&self) -> String {
        format!("{}Create", self.record)
    }

    /// The schema of a patch.
    pub(crate) fn patch(&self) -> String {
        format!("{}Patch", self.record)
    }

    /// The schema of a page.
    pub(crate) fn list(&self) -> String {
        format!("{}List", self.record)
    }

    /// The schema of a condition.
    pub(crate) fn condition(&self) -> String {
        format!("{}Where", self.record)
    }

    /// The schema of a condition on the record of a relation, such as `ProductCategoryWhere`.
    pub(crate) fn relation_condition(&self, relation: &str) -> String {
        format!("{}{}Where", self.record, pascal(relation))
    }

    /// The schema of a search.
    pub(crate) fn search(&self) -> String {
        format!("{}Search", self.record)
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
            Method::POST => camel(&action) + noun,
            _ => format!("{}{noun}{action}", method.as_str().to_lowercase()),
        };
        Some(id).filter(|id| !self.routes.contains(id))
    }

    /// The schema of an item of a batch that updates.
    pub(crate) fn batch_item(&self) -> String {
        format!("{}BatchItem", self.record)
    }

    /// The schema of a batch.
    pub(crate) fn batch(&self, operation: Operation) -> String {
        format!("{}Batch{}", self.record, batch_verb(operation))
    }

    /// The schema of a batch's result.
    pub(crate) fn batch_result(&self, operation: Operation) -> String {
        format!("{}Batch{}d", self.record, batch_verb(operation))
    }

    fn schemas(&self) -> Vec<String> {
        let batches = [Operation::BatchCreate, Operation::BatchUpdate, Operation::BatchDelete];
        let batches = batches.into_iter().flat_map(|operation| [self.batch(operation), self.batch_result(operation)]);
        [self.record(), self.create(), self.patch(), self.list(), self.condition(), self.search(), self.batch_item()]
            .into_iter()
            .chain(batches)
            .chain(self.relations.iter().map(|relation| self.relation_condition(relation)))
            .collect()
    }

    /// The ids of operations: those of the routes that all resources have, and of transitions.
    fn operation_ids(&self, routes: &[&str]) -> Vec<String> {
        let transitions = self.transitions.iter().map(|transition| self.operation_id(&transition_id(transition)));
        routes.iter().map(|id| self.operation_id(id)).chain(transitions).collect()
    }
}

/// The id of the route of a transition, such as `publish{one}`.
pub(crate) fn transition_id(transition: &str) -> String {
    camel(&pascal(transition)) + "{one}"
}

const fn batch_verb(operation: Operation) -> &'static str {
    match operation {
        Operation::BatchCreate => "Create",
        Operation::BatchUpdate => "Update",
        _ => "Delete",
    }
}

/// The names of the document that are no resource's.
#[derive(Debug)]
pub(crate) struct Reserved {
    pub(crate) schemas: Vec<&'static str>,
    pub(crate) operations: Vec<&'static str>,
    /// The ids of the routes that all resources have, as [`Names::operation_id`] takes them.
    pub(crate) routes: Vec<&'static str>,
}

/// Assigns names to each resource, in order.
///
/// None is reserved. Colliding names are qualified for both resources: schemas by module path, operations by prefix. So names do not
/// depend on the order of the resources.
pub(crate) fn assign(resources: &[ResourceOptions], reserved: &Reserved) -> Vec<Names> {
    let preferred: Vec<Names> = resources.iter().map(preferred).collect();
    let records = assign_records(resources, &preferred, &reserved.schemas);
    let operations = assign_operations(resources, &preferred, reserved);
    let names = preferred.into_iter().zip(records).zip(operations);
    let names = names.map(|((preferred, record), (plural, singular))| {
        let names = Names { record, plural, singular, ..preferred };
        Names { routes: names.operation_ids(&reserved.routes), ..names }
    });
    names.collect()
}

fn preferred(options: &ResourceOptions) -> Names {
    let name = options.descriptor.name;
    let last = options.prefix.rsplit('/').find(|segment| !segment.is_empty()).unwrap_or(name);
    let transitions = options.descriptor.transitions().map(|(_, transition)| transition.name).collect();
    let relations = relation::conditions(options.descriptor).map(|(name, _)| name).collect();
    let (record, plural, singular) = (component_key(name), pascal(last), pascal(name));
    Names { record, plural, singular, transitions, routes: Vec::new(), relations }
}

fn assign_records(resources: &[ResourceOptions], preferred: &[Names], reserved: &[&str]) -> Vec<String> {
    // A resource that is mounted twice shares its schemas.
    let first = |index: usize| {
        let descriptor = resources[index].descriptor;
        resources.iter().position(|other| std::ptr::eq(other.descriptor, descriptor)).unwrap_or(index)
    };
    let candidates: Vec<_> = preferred.iter().map(Names::schemas).collect();
    let distinct = |a: usize, b: usize| first(a) != first(b);
    let collides = collisions(&candidates, reserved, distinct);

    let mut taken: HashSet<String> = reserved.iter().map(|name| (*name).to_owned()).collect();
    let free = (0..candidates.len()).filter(|&index| !collides[index]);
    taken.extend(free.flat_map(|index| candidates[index].clone()));
    let mut records: Vec<String> = Vec::with_capacity(preferred.len());
    for (index, names) in preferred.iter().enumerate() {
        let record = match first(index) {
            earlier if earlier < index => records[earlier].clone(),
            _ if !collides[index] => names.record.clone(),
            _ => {
                let descriptor = resources[index].descriptor;
                let path = format!("{}.{}", descriptor.module.replace("::", "."), descriptor.name);
                numbered(&component_key(&path), &mut taken, |record| {
                    Names { record: record.to_owned(), ..names.clone() }.schemas()
                })
            }
        };
        records.push(record);
    }
    records
}

fn assign_operations(resources: &[ResourceOptions], preferred: &[Names], reserved: &Reserved) -> Vec<(String, String)> {
    let candidates: Vec<_> = preferred.iter().map(|names| names.operation_ids(&reserved.routes)).collect();
    let collides = collisions(&candidates, &reserved.operations, |a, b| a != b);
    let mut taken: HashSet<String> = reserved.operations.iter().map(|name| (*name).to_owned()).collect();
    let free = (0..candidates.len()).filter(|&index| !collides[index]);
    taken.extend(free.flat_map(|index| candidates[index].clone()));
    preferred
        .iter()
        .enumerate()
        .map(|(index, names)| {
            if !collides[index] {
                return (names.plural.clone(), names.singular.clone());
            }
            // Prefixes are unique, also where two of them mount the same resource.
            let stem = numbered(&pascal(&resources[index].prefix), &mut taken, |stem| {
                Names { plural: stem.to_owned(), singular: stem.to_owned(), ..names.clone() }
                    .operation_ids(&reserved.routes)
            });
            (stem.clone(), stem)
        })
        .collect()
}

/// Whether each resource has a candidate that is reserved or a candidate of another resource.
fn collisions(candidates: &[Vec<String>], reserved: &[&str], distinct: impl Fn(usize, usize) -> bool) -> Vec<bool> {
    let is_reserved = |name: &String| reserved.contains(&name.as_str());
    let is_shared = |index: usize, name: &String| {
        candidates.iter().enumerate().any(|(other, names)| distinct(index, other) && names.contains(name))
    };
    candidates
        .iter()
        .enumerate()
        .map(|(index, names)| names.iter().any(|name| is_reserved(name) || is_shared(index, name)))
        .collect()
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
    use super::super::reserved;
    use super::*;
    use crate::model::descriptor::{ColumnDescriptor, Descriptor, Role};

    static ID: &[ColumnDescriptor] = &[ColumnDescriptor::new::<i64>("id", "id", "\"id\":", "id").role(Role::Id)];
    static PRODUCT: Descriptor = Descriptor::new("Product", "shop::catalogue", "/products", "products", ID, 0);
    static OTHER_PRODUCT: Descriptor = Descriptor::new("Product", "stock", "/stock/products", "stock", ID, 0);
    static PRODUCT_PATCH: Descriptor = Descriptor::new("ProductPatch", "shop", "/patches", "patches", ID, 0);
    static PROBLEM: Descriptor = Descriptor::new("Problem", "tickets", "/problems", "problems", ID, 0);
    static CATEGORY: Descriptor = Descriptor::new("Category", "shop", "/categories", "categories", ID, 0);
    static HEALTH: Descriptor = Descriptor::new("Health", "clinic", "/healths", "healths", ID, 0);

    fn records(resources: &[&'static Descriptor]) -> Vec<String> {
        let resources: Vec<_> = resources.iter().map(|&descriptor| ResourceOptions::new(descriptor)).collect();
        assign(&resources, &reserved(false)).into_iter().map(|names| names.record).collect()
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
        let health = &assign(&[ResourceOptions::new(&HEALTH)], &reserved(false))[0];
        assert_eq!(health.operation_id("get{one}"), "getHealths");
    }

    #[test]
    fn names_of_authentication_are_reserved_with_authentication() {
        static PROFILE: Descriptor = Descriptor::new("Profile", "people", "/people", "people", ID, 0);
        let profile = [ResourceOptions::new(&PROFILE)];
        let names = |secured| {
            let names = &assign(&profile, &reserved(secured))[0];
            [names.record(), names.operation_id("get{one}")]
        };
        assert_eq!(names(false), ["Profile", "getProfile"]);
        assert_eq!(names(true), ["people.Profile", "getPeople"]);
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
        let names = assign(&resources, &reserved(false));
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
        let ids: Vec<_> =
            assign(&resources, &reserved(false)).iter().map(|names| names.operation_id("list{many}")).collect();
        assert_eq!(ids, ["listV1Products", "listV1Products2"]);
    }
}
