//! Relations between resources: from foreign keys, and from the names of columns.

use crud_shared::catalogue::{ForeignKey, Kind};
use crud_shared::list::CONNECTIVES;

use super::naming;
use super::report::Report;
use super::resource::{Child, Field, Reference, ResourceFile, is_same};
use crate::names;

/// The greatest number of lists of `has_many` that one struct has.
pub(super) const MAX_CHILDREN: usize = 100;

/// The resource that a field refers to.
struct Target {
    field: usize,
    /// The fields that together refer to a composite key; `field` is the last of them.
    by: Vec<usize>,
    resource: usize,
    unconstrained: bool,
    on_delete: Option<&'static str>,
}

/// Adds the relations between resources.
pub(super) fn add(files: &mut [ResourceFile<'_>], report: &mut Report) {
    let found: Vec<Vec<Target>> = (0..files.len()).map(|index| targets(files, index, report)).collect();
    for (index, targets) in found.iter().enumerate() {
        for target in targets {
            refer(files, index, target);
        }
    }
    // A key can be a reference itself: each round follows such keys by one step.
    for _ in 0..files.len() {
        if !follow_keys(files, &found) {
            break;
        }
    }
    for (index, targets) in found.iter().enumerate() {
        for target in targets {
            add_child(files, index, target, report);
        }
    }
    for file in files {
        if let Some(limit) = file.children_limit() {
            let remark = format!(
                "`has_many` has {} lists, each of which shows {limit} records: remove those that clients do not need, and raise \
                 the `limit` of the others",
                file.children.len()
            );
            report.remark(&file.table.name, &remark);
        }
    }
}

fn targets(files: &[ResourceFile<'_>], index: usize, report: &mut Report) -> Vec<Target> {
    let file = &files[index];
    let mut found: Vec<Target> = Vec::new();
    let mut has_constraint: Vec<&str> = Vec::new();
    let mut keys: Vec<&ForeignKey> = file.table.foreign_keys.iter().collect();
    // A field has one reference: the foreign keys of one column come first.
    keys.sort_by_key(|key| key.columns.len());
    for key in keys {
        match of_foreign_key(files, file, key) {
            // An expanded record would disclose the secret.
            Ok(target) if file.fields[target.field].is_secret() => {}
            Ok(target) if found.iter().any(|other| other.field == target.field) => {
                if !target.by.is_empty() {
                    let (columns, last) = (key.columns.join("`, `"), &file.fields[target.field].name);
                    let reason = format!("`{last}`, the last of its fields, has one already");
                    let begin = format!("the foreign key of `{columns}` to `{}` is not a reference", key.table);
                    report.remark(&file.table.name, &format!("{begin}: {reason}"));
                }
            }
            Ok(target) => found.push(target),
            Err(reason) => report.remark(&file.table.name, &reason),
        }
        has_constraint.extend(key.columns.iter().map(String::as_str));
    }
    for (position, field) in file.fields.iter().enumerate() {
        if has_constraint.contains(&&*field.column.name) || field.is_secret() {
            continue;
        }
        if let Some(resource) = by_name(files, index, field) {
            let place = format!("{}.{}", file.table.name, field.column.name);
            let name = &files[resource].name.name;
            report.remark(&place, &format!("by its name, it refers to {name}; there is no foreign key"));
            found.push(Target { field: position, by: Vec::new(), resource, unconstrained: true, on_delete: None });
        }
    }
    found
}

/// The reference of a foreign key.
///
/// # Errors
/// Reason why there is none.
fn of_foreign_key(files: &[ResourceFile<'_>], file: &ResourceFile<'_>, key: &ForeignKey) -> Result<Target, String> {
    let columns = key.columns.join("`, `");
    let other = key.schema.as_ref().map_or_else(|| key.table.clone(), |schema| format!("{schema}.{}", key.table));
    let begin = format!("the foreign key of `{columns}` to `{other}` is not a reference");
    let found = files.iter().position(|target| key.schema.is_none() && is_same(&target.table.name, &key.table));
    let Some(resource) = found else { return Err(format!("{begin}: that table has no resource")) };
    let target = &files[resource];
    // A foreign key that names no columns there refers to the primary key.
    let referenced = if key.references.is_empty() { &target.table.key } else { &key.references };
    let mut fields = Vec::with_capacity(target.key.len());
    for part in &target.key {
        let part = &target.fields[*part];
        let Some(position) = referenced.iter().position(|name| is_same(name, &part.column.name)) else { break };
        let is_column =
            |field: &Field<'_>| key.columns.get(position).is_some_and(|own| is_same(&field.column.name, own));
        let Some(field) = file.fields.iter().position(is_column) else {
            return Err(format!("{begin}: a column has no field"));
        };
        if !fits(&file.fields[field], part) {
            return Err(format!("{begin}: the types differ"));
        }
        fields.push(field);
    }
    let Some(&field) = fields.last().filter(|_| fields.len() == target.key.len() && fields.len() == key.columns.len())
    else {
        return Err(format!("{begin}: `{}` is not the key there", referenced.join("`, `")));
    };
    let on_delete = match key.on_delete.as_str() {
        "CASCADE" => Some("cascade"),
        "SET NULL" if fields.iter().all(|field| file.fields[*field].nullable) => Some("set_null"),
        _ => None,
    };
    let by = if fields.len() > 1 { fields } else { Vec::new() };
    Ok(Target { field, by, resource, unconstrained: file.table.kind == Kind::View, on_delete })
}

/// The one resource that a column without a foreign key names: `customer_id`, of the table whose singular is
/// `customer`. The name of a key is no evidence: a table that extends another has the same key.
fn by_name(files: &[ResourceFile<'_>], index: usize, field: &Field<'_>) -> Option<usize> {
    let file = &files[index];
    let noun = field.name.strip_suffix("_id").filter(|noun| !noun.is_empty())?;
    // With a column such as `owner_type`, `owner_id` is the key of records of several tables.
    let of_any = format!("{noun}_type");
    if (field.is_key && file.key.len() == 1) || file.fields.iter().any(|other| other.name == of_any) {
        return None;
    }
    let is_named = |(position, target): &(usize, &ResourceFile<'_>)| {
        let [key] = target.key[..] else { return false };
        let key = &target.fields[key];
        *position != index
            && target.table.kind == Kind::Table
            && naming::singular(&target.table.name) == noun
            && fits(field, key)
    };
    let mut named = files.iter().enumerate().filter(is_named).map(|(position, _)| position);
    let found = named.next()?;
    named.next().is_none().then_some(found)
}

/// Whether a field can hold a key: integers can, of any width.
fn fits(field: &Field<'_>, key: &Field<'_>) -> bool {
    let is_enum = field.enumeration.is_some() || key.enumeration.is_some();
    !is_enum && (field.ty.rust == key.ty.rust || field.ty.is_integer() && key.ty.is_integer())
}

/// Makes a field refer to the resource.
fn refer(files: &mut [ResourceFile<'_>], index: usize, target: &Target) {
    let (name, module) = (files[target.resource].name.name.clone(), files[target.resource].module.clone());
    let relation = relation(&files[index], target, &name);
    let file = &mut files[index];
    if file.module != module {
        file.imports.entry(module).or_default().insert(name.clone());
    }
    let by = target.by.iter().map(|field| file.fields[*field].name.clone()).collect();
    // Records without a key are only listed: the database alone changes them.
    let has_key = !file.key.is_empty();
    let field = &mut file.fields[target.field];
    let on_delete = target.on_delete.filter(|_| !target.unconstrained && has_key);
    field.reference = Some(Reference { target: name, unconstrained: target.unconstrained, on_delete, relation, by });
}

/// Gives each reference the type of the key that it holds; returns whether a type has changed. A key can be a reference
/// itself.
fn follow_keys(files: &mut [ResourceFile<'_>], found: &[Vec<Target>]) -> bool {
    let mut changed = false;
    for (index, targets) in found.iter().enumerate() {
        for target in targets {
            let other = &files[target.resource];
            let keys: Vec<String> = other.key.iter().map(|key| other.fields[*key].ty.rust.clone()).collect();
            let fields = if target.by.is_empty() { std::slice::from_ref(&target.field) } else { &*target.by };
            for (field, key) in fields.iter().zip(keys) {
                let own = &mut files[index].fields[*field].ty.rust;
                if *own != key {
                    *own = key;
                    changed = true;
                }
            }
        }
    }
    changed
}

/// The name of the other record in requests; `None` where it is the field's name without `_id`, and free.
fn relation(file: &ResourceFile<'_>, target: &Target, other: &str) -> Option<String> {
    let field = &file.fields[target.field].name;
    // A field that is one of several may be named after another record.
    let natural = field.strip_suffix("_id").filter(|natural| !natural.is_empty() && target.by.is_empty());
    if natural.is_some_and(|natural| !is_taken(file, natural)) {
        return None;
    }
    let other = names::snake(other);
    let wanted = match natural {
        Some(natural) => format!("{natural}_record"),
        None if other == *field => format!("{field}_record"),
        None if is_taken(file, &other) => format!("{field}_{other}"),
        None => other,
    };
    Some(naming::free(&wanted, |name| is_taken(file, name)))
}

/// Whether a field, a relation or a connective of conditions has the name.
fn is_taken(file: &ResourceFile<'_>, name: &str) -> bool {
    CONNECTIVES.contains(&name)
        || file.children.iter().any(|child| child.name == name)
        || file.fields.iter().any(|field| field.name == name || relation_name(field).as_deref() == Some(name))
}

/// The name in requests of the record that a field refers to.
fn relation_name(field: &Field<'_>) -> Option<String> {
    let reference = field.reference.as_ref()?;
    let natural = || field.name.strip_suffix("_id").unwrap_or(&field.name).to_owned();
    Some(reference.relation.clone().unwrap_or_else(natural))
}

/// Adds a resource to the `has_many` of the resource that it refers to.
fn add_child(files: &mut [ResourceFile<'_>], index: usize, target: &Target, report: &mut Report) {
    let child = &files[index];
    // Records of such a list are in the order of their key.
    if child.key.is_empty() {
        return;
    }
    let (resource, module) = (child.name.name.clone(), child.module.clone());
    let field = &child.fields[target.field];
    let (field_name, relation) = (field.name.clone(), relation_name(field).unwrap_or_default());
    let plural = names::plural(&resource);
    let several = child.fields.iter().filter(|other| {
        let to = |field: &Field<'_>| field.reference.as_ref().map(|reference| reference.target.clone());
        to(other) == to(field)
    });
    let is_natural = several.count() == 1 || relation == names::snake(&files[target.resource].name.name);
    let wanted = if is_natural { plural } else { format!("{plural}_by_{relation}") };
    let parent = &mut files[target.resource];
    if parent.children.len() >= MAX_CHILDREN {
        report.remark(
            &parent.table.name,
            &format!("`has_many` leaves out {resource}.{field_name}: it has {MAX_CHILDREN} others"),
        );
        return;
    }
    let name = naming::free(&wanted, |name| is_taken(parent, name));
    if parent.module != module {
        parent.imports.entry(module).or_default().insert(resource.clone());
    }
    parent.children.push(Child { name, resource, field: field_name });
}
