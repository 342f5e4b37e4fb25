//! Random releases of a program: structs as data, and what the next release makes of them.

use proptest::prelude::*;

/// Type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Bool,
    I32,
    I64,
    F64,
    Decimal,
    /// A text of at most so many characters, if there is a bound.
    Text(Option<usize>),
    /// One of two texts, or of three.
    Enum(Variants),
    /// To the table before.
    Reference,
}

/// Number of an enum's variants. Records have the first two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variants {
    Two,
    Three,
}

impl Type {
    /// Whether values of records, which differ, can be unique.
    pub(crate) const fn can_be_unique(self) -> bool {
        matches!(self, Self::I32 | Self::I64 | Self::Text(Some(_)))
    }
}

/// A field, as its attributes would say.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // Each is an independent attribute.
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) ty: Type,
    pub(crate) nullable: bool,
    pub(crate) unique: bool,
    /// Whether a unique text is so in any letter case.
    pub(crate) any_case: bool,
    pub(crate) filter: bool,
    pub(crate) sort: bool,
    pub(crate) default: bool,
    pub(crate) backfill: bool,
    pub(crate) minimum: bool,
    pub(crate) renamed_from: Option<&'static str>,
    pub(crate) cascade: bool,
}

/// Fields of a struct that are indexed or unique together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Group {
    /// The first field, and the distance to the second, as far as the struct has so many.
    first: usize,
    distance: usize,
    /// Whether a unique text of it is so in any letter case.
    pub(crate) any_case: bool,
}

impl Group {
    /// The two fields of a struct with so many.
    pub(crate) fn fields(self, count: usize) -> Option<[usize; 2]> {
        let fields = [self.first % count.max(1), (self.first + self.distance) % count.max(1)];
        (fields[0] != fields[1]).then_some(fields)
    }
}

/// A struct.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // Each is an independent attribute.
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) renamed_from: Option<&'static str>,
    pub(crate) fields: Vec<Field>,
    pub(crate) indexes: Vec<Group>,
    pub(crate) uniques: Vec<Group>,
    /// Whether its texts are searched.
    pub(crate) search: bool,
    /// Whether its records have a tenant.
    pub(crate) tenant: bool,
    /// Whether its key is of two columns.
    pub(crate) composite: bool,
}

impl Table {
    /// The groups of fields that are unique together.
    pub(crate) fn unique_groups(&self) -> Vec<(Group, [usize; 2])> {
        let fits = |field: usize| {
            let ty = self.fields[field].ty;
            ty.can_be_unique() || ty == Type::Reference
        };
        distinct(&self.uniques, self.fields.len(), |fields| fields.into_iter().all(fits))
    }

    /// The groups of fields that have an index.
    pub(crate) fn index_groups(&self) -> Vec<(Group, [usize; 2])> {
        let fits = |field: usize| !matches!(self.fields[field].ty, Type::Bool | Type::F64);
        distinct(&self.indexes, self.fields.len(), |fields| fields.into_iter().all(fits))
    }
}

/// The groups whose fields fit, each set of them once.
fn distinct(groups: &[Group], count: usize, fits: impl Fn([usize; 2]) -> bool) -> Vec<(Group, [usize; 2])> {
    let mut found: Vec<(Group, [usize; 2])> = Vec::new();
    for group in groups {
        let Some(fields) = group.fields(count).filter(|fields| fits(*fields)) else { continue };
        let is_same = |(_, other): &(Group, [usize; 2])| fields.iter().all(|field| other.contains(field));
        if !found.iter().any(is_same) {
            found.push((*group, fields));
        }
    }
    found
}

/// The structs of a program, and whether a view of the first is among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Release {
    pub(crate) tables: Vec<Table>,
    pub(crate) view: bool,
}

const NAMES: [&str; 5] = ["alpha", "beta", "gamma", "delta", "epsilon"];
const OTHER_NAMES: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];
const TABLES: [&str; 2] = ["parents", "children"];
const OTHER_TABLES: [&str; 2] = ["elders", "kids"];

fn field(name: &'static str, with_reference: bool) -> impl Strategy<Value = Field> {
    let kinds = proptest::sample::select(vec![
        Type::Bool,
        Type::I32,
        Type::I64,
        Type::F64,
        Type::Decimal,
        Type::Text(None),
        Type::Text(Some(20)),
        Type::Text(Some(20)),
        Type::Enum(Variants::Two),
        Type::Enum(Variants::Three),
        if with_reference { Type::Reference } else { Type::I64 },
    ]);
    (kinds, any::<[bool; 9]>()).prop_map(
        move |(ty, [nullable, unique, any_case, filter, sort, default, backfill, minimum, cascade])| Field {
            name,
            ty,
            nullable,
            unique: unique && ty.can_be_unique(),
            any_case,
            filter,
            sort: sort && ty != Type::Reference,
            // A default or a fill is one value for all records.
            default: default && ty != Type::Reference && !unique,
            backfill: backfill && ty != Type::Reference && !unique,
            minimum: minimum && matches!(ty, Type::I32 | Type::I64 | Type::Decimal),
            renamed_from: None,
            cascade,
        },
    )
}

fn groups() -> impl Strategy<Value = Vec<Group>> {
    let group = (0..5_usize, 1..5_usize, any::<bool>());
    let group = group.prop_map(|(first, distance, any_case)| Group { first, distance, any_case });
    proptest::collection::vec(group, 0..=3)
}

fn table(name: &'static str, with_reference: bool) -> impl Strategy<Value = Table> {
    let fields: Vec<_> = NAMES.iter().map(|name| field(name, with_reference)).collect();
    let rare = proptest::bool::weighted(0.25);
    (fields, 2..=5_usize, groups(), groups(), any::<[bool; 2]>(), rare).prop_map(
        move |(mut fields, length, indexes, uniques, [search, composite], tenant)| {
            fields.truncate(length);
            // Resources that are referenced or searched have keys of one column.
            let composite = composite && with_reference;
            let search = search && !composite;
            Table { name, renamed_from: None, fields, indexes, uniques, search, tenant, composite }
        },
    )
}

fn release() -> impl Strategy<Value = Release> {
    (table(TABLES[0], false), table(TABLES[1], true), any::<bool>()).prop_map(|(first, second, view)| {
        // Records that refer to a tenant's are a tenant's.
        let second = Table { tenant: first.tenant || second.tenant, ..second };
        Release { tables: vec![first, second], view }
    })
}

/// A change of a field.
#[derive(Debug, Clone)]
enum Change {
    Keep,
    Remove,
    /// Gets another name.
    Rename {
        /// Whether it is that of the field behind it, which gets another one too.
        shifts: bool,
        /// Whether a new field gets its name, unless another one shifts to it.
        again: bool,
        /// The other attributes, where they change at once.
        to: Option<Field>,
    },
    /// Takes the attributes of another.
    Become(Field),
}

fn change() -> impl Strategy<Value = Change> {
    let to = proptest::option::of(field("", true));
    let rename = (any::<[bool; 2]>(), to).prop_map(|([shifts, again], to)| Change::Rename { shifts, again, to });
    prop_oneof![
        3 => Just(Change::Keep),
        1 => Just(Change::Remove),
        3 => rename,
        2 => field("", true).prop_map(Change::Become),
    ]
}

/// Changes of a struct: of each field, and whether its table gets another name.
fn changes() -> impl Strategy<Value = (Vec<Change>, bool)> {
    (proptest::collection::vec(change(), NAMES.len()), proptest::bool::weighted(0.15))
}

/// A field with other attributes, as far as the records that are there allow.
fn with_attributes(field: &Field, to: &Field) -> Field {
    let ty = match (field.ty, to.ty) {
        (Type::I32, Type::I64) => Type::I64,
        (Type::Text(_), Type::Text(None)) => Type::Text(None),
        (Type::Enum(_), Type::Enum(variants)) => Type::Enum(variants),
        // Any other change of the type is a proposal.
        (from, _) => from,
    };
    let unique = to.unique && field.ty != Type::Reference && ty.can_be_unique();
    Field {
        name: field.name,
        ty,
        unique,
        sort: to.sort && ty != Type::Reference,
        minimum: to.minimum && matches!(ty, Type::I32 | Type::I64 | Type::Decimal),
        // A required field has a value for the records without one.
        backfill: ty != Type::Reference && !unique,
        default: to.default && ty != Type::Reference && !unique,
        nullable: to.nullable || (field.nullable && (unique || ty == Type::Reference)),
        renamed_from: None,
        ..to.clone()
    }
}

/// A field that is new: the records that are there need a value.
fn added(field: &Field) -> Field {
    let nullable = field.nullable || field.unique || field.ty == Type::Reference;
    Field { nullable, backfill: field.backfill || (!nullable && !field.default), ..field.clone() }
}

/// The next release of a table.
fn changed(table: &Table, changes: &[Change], is_renamed: bool, other: &Table, number: usize) -> Table {
    let renames = |index: usize| index < table.fields.len() && matches!(changes[index], Change::Rename { .. });
    let shifts = |index: usize| renames(index + 1) && matches!(changes[index], Change::Rename { shifts: true, .. });
    let (mut fields, mut new) = (Vec::new(), Vec::new());
    for (index, (field, change)) in table.fields.iter().zip(changes).enumerate() {
        match change {
            Change::Keep => fields.push(field.clone()),
            Change::Remove => {}
            Change::Rename { again, to, .. } => {
                let name = if shifts(index) { NAMES[index + 1] } else { OTHER_NAMES[index] };
                let renamed = to.as_ref().map_or_else(|| field.clone(), |to| with_attributes(field, to));
                fields.push(Field { name, renamed_from: Some(field.name), ..renamed });
                if *again && !(index > 0 && renames(index - 1) && shifts(index - 1)) {
                    let again = &other.fields[index % other.fields.len()];
                    new.push(Field { name: field.name, ..added(again) });
                }
            }
            Change::Become(to) => fields.push(with_attributes(field, to)),
        }
    }
    fields.extend(new);
    fields.extend(other.fields.iter().skip(table.fields.len()).map(added));
    let is_there = |field: &Field| {
        let former = field.renamed_from.unwrap_or(field.name);
        field.renamed_from.is_some()
            || (table.fields.iter().any(|old| old.name == former)
                && !fields.iter().any(|other| other.renamed_from == Some(former)))
    };
    let count = fields.len();
    // Fields that are filled in have one pair of values.
    let differs =
        |group: &Group| group.fields(count).is_some_and(|pair| pair.iter().any(|index| is_there(&fields[*index])));
    let uniques = other.uniques.iter().copied().filter(differs).collect();
    let name = if is_renamed { OTHER_TABLES[number] } else { table.name };
    Table {
        name,
        renamed_from: is_renamed.then_some(table.name),
        uniques,
        indexes: other.indexes.clone(),
        search: other.search && !table.composite,
        tenant: table.tenant || other.tenant,
        // Another key is another table.
        composite: table.composite,
        fields,
    }
}

/// Two releases of a program.
pub(crate) fn pair() -> impl Strategy<Value = (Release, Release)> {
    (release(), release(), changes(), changes()).prop_map(|(old, other, first, second)| {
        let tables = old.tables.iter().zip([first, second]).zip(&other.tables).enumerate();
        let tables = tables.map(|(number, ((table, (changes, is_renamed)), other))| {
            changed(table, &changes, is_renamed, other, number)
        });
        let new = Release { tables: tables.collect(), view: other.view };
        (old, new)
    })
}
