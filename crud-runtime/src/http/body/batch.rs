//! The body of a batch: an object with one list, deserialized in one pass that reports every error of every item.

use std::collections::HashMap;

use serde::de::{MapAccess, SeqAccess};

use super::pointer::{Pointer, Segment};
use super::record::RecordSeed;
use super::seed::{ReadJson, Seed, discard};
use super::value::ValueSeed;
use super::{BodyKind, BodyRules, RecordBody, malformed, refuse_reserved_id, take_key};
use crate::model::changes::Changes;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::key::Key;
use crate::model::problem::{Code, FieldError, FieldErrors, Problem};
use crate::model::value::Value;
use crate::store::mounted::resource::MountedResource;

/// The member of a batch that has records, of its answer too.
pub(crate) const ITEMS: &str = "items";

/// The member of a batch that has keys.
pub(crate) const IDS: &str = "ids";

/// The items of a batch in order, each valid or a problem.
pub(crate) type Items<T> = Vec<Result<T, Problem>>;

/// Deserializes `{"items": […]}`: the records of a create, or the changes of an update, each with its key.
///
/// # Errors
/// `malformed_json`; `batch_too_large` when there are more than `max_items`; `validation_failed` when the body is not
/// such an object or has an id twice.
pub(crate) fn items(
    mounted: &MountedResource,
    rules: &BodyRules<'_>,
    bytes: &[u8],
    max_items: usize,
) -> Result<Items<RecordBody>, Problem> {
    let items = read_envelope(bytes, max_items, RecordList::new(mounted, rules))?;
    let resource = mounted.resource();
    reject_duplicate_ids(resource, items, |body| match rules.body_kind {
        BodyKind::Create => {
            let values = resource.key().iter().map(|column| body.changes.get(*column).cloned());
            values.collect::<Option<_>>().map(|values| Key::composite(values).to_string())
        }
        BodyKind::Update => body.whole_key(resource).map(|key| key.to_string()),
    })
}

/// Deserializes `{"ids": […]}`.
///
/// # Errors
/// As [`items`].
pub(crate) fn ids(resource: &'static Descriptor, bytes: &[u8], max_items: usize) -> Result<Items<Key>, Problem> {
    let ids = read_envelope(bytes, max_items, IdList { resource, ids: Vec::new() })?;
    reject_duplicate_ids(resource, ids, |id| Some(id.to_string()))
}

/// Refuses items with equal ids, together with every other invalid item.
fn reject_duplicate_ids<T>(
    resource: &Descriptor,
    items: Items<T>,
    id: impl Fn(&T) -> Option<String>,
) -> Result<Items<T>, Problem> {
    let mut seen: HashMap<String, usize> = HashMap::with_capacity(items.len());
    let mut duplicates = HashMap::new();
    for (index, item) in items.iter().enumerate() {
        let Some(id) = item.as_ref().ok().and_then(&id) else { continue };
        if let Some(first) = seen.insert(id.clone(), index) {
            let detail = format!("must be unique in the batch, but item {first} has {id} too");
            let error = FieldError::field(&resource.key_names(), "duplicate", detail);
            duplicates.insert(index, Problem::validation([error]));
        }
    }
    if duplicates.is_empty() {
        return Ok(items);
    }
    let problem = |(index, item): (usize, Result<T, Problem>)| Some((index, item.err().or(duplicates.remove(&index))?));
    Err(Problem::from_items(items.into_iter().enumerate().filter_map(problem)))
}

/// A list in the body of a batch.
trait List {
    /// The name of its member in the body.
    const MEMBER: &'static str;
    /// The deserialized items.
    type Items;

    /// Reads the next item; `false` at the end.
    fn read<'de, A: SeqAccess<'de>>(&mut self, seq: &mut A) -> Result<bool, A::Error>;

    fn into_items(self) -> Self::Items;
}

fn read_envelope<L: List>(bytes: &[u8], max_items: usize, list: L) -> Result<L::Items, Problem> {
    let mut errors = FieldErrors::default();
    let mut envelope = Envelope { list, max_items, count: None, errors: &mut errors };
    Seed(&mut envelope).read_all(bytes).map_err(|error| malformed(&error))?;
    let Envelope { list, count, .. } = envelope;
    let pointer = format!("/{}", L::MEMBER);
    match count {
        Some(count) if count > max_items => {
            let error =
                FieldError::pointer(pointer, "too_many", format!("must have at most {max_items} items, found {count}"));
            return Err(Problem::with_errors(Code::BatchTooLarge, [error]));
        }
        None if errors.is_empty() => errors.push(FieldError::pointer(pointer, "required", "is required")),
        _ => {}
    }
    errors.into_result(list.into_items())
}

/// The reader of the object around the list.
struct Envelope<'a, L> {
    list: L,
    max_items: usize,
    /// The number of items, once the list has been read.
    count: Option<usize>,
    errors: &'a mut FieldErrors,
}

impl<L: List> ReadJson for &mut Envelope<'_, L> {
    fn refuse(self) {
        self.errors.push(FieldError::pointer("", "type", format!("must be an object with a list `{}`", L::MEMBER)));
    }

    fn object<'de, A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            if name != L::MEMBER {
                map.next_value_seed(discard())?;
                self.errors.push_with(|| {
                    let detail = format!("is not a member of a batch; its only member is `{}`", L::MEMBER);
                    FieldError::field(&name, "unknown_field", detail)
                });
            } else if self.count.is_some() {
                map.next_value_seed(discard())?;
                self.errors.push_with(|| FieldError::field(&name, "duplicate", "must be given only once"));
            } else {
                map.next_value_seed(Seed(ListReader(&mut *self)))?;
            }
        }
        Ok(())
    }
}

/// The reader of the list.
struct ListReader<'a, 'b, L>(&'a mut Envelope<'b, L>);

impl<L: List> ReadJson for ListReader<'_, '_, L> {
    fn refuse(self) {
        self.0.count = Some(0);
        self.0.errors.push(FieldError::field(L::MEMBER, "type", "must be a list"));
    }

    fn array<'de, A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Envelope { list, max_items, count, .. } = self.0;
        let count = count.insert(0);
        while *count < *max_items && list.read(&mut seq)? {
            *count += 1;
        }
        // Items above the maximum are counted and discarded.
        while seq.next_element_seed(discard())?.is_some() {
            *count += 1;
        }
        Ok(())
    }
}

struct RecordList<'a> {
    mounted: &'a MountedResource,
    rules: &'a BodyRules<'a>,
    items: Items<RecordBody>,
    /// Number of nearest-spelling searches that remain for the whole batch.
    searches: usize,
}

impl<'a> RecordList<'a> {
    fn new(mounted: &'a MountedResource, rules: &'a BodyRules<'a>) -> Self {
        Self { mounted, rules, items: Vec::new(), searches: FieldErrors::SEARCHES }
    }
}

impl List for RecordList<'_> {
    const MEMBER: &'static str = ITEMS;
    type Items = Items<RecordBody>;

    fn read<'de, A: SeqAccess<'de>>(&mut self, seq: &mut A) -> Result<bool, A::Error> {
        let (mut changes, mut errors) = (Changes::new(), FieldErrors::with_searches(self.searches));
        let (mounted, rules) = (self.mounted, self.rules);
        let seed = RecordSeed::new(mounted, rules, &mut changes, &mut errors);
        if seq.next_element_seed(Seed(seed))?.is_none() {
            return Ok(false);
        }
        self.searches = errors.searches();
        let resource = self.mounted.resource();
        let key = match self.rules.body_kind {
            BodyKind::Create => {
                refuse_reserved_id(resource, &changes, &mut errors);
                Changes::new()
            }
            BodyKind::Update => {
                let key = take_key(resource, &mut changes);
                if errors.is_empty() {
                    for column in resource.key().iter().filter(|column| key.get(**column).is_none()) {
                        errors.push(FieldError::field(resource.columns[*column].json, "required", "is required"));
                    }
                }
                key
            }
        };
        self.items.push(errors.into_result(RecordBody { changes, key }));
        Ok(true)
    }

    fn into_items(self) -> Items<RecordBody> {
        self.items
    }
}

/// The text of a composite key.
static KEY_TEXT: ColumnDescriptor = ColumnDescriptor::new::<String>("id", "id", "\"id\":", "id");

struct IdList {
    resource: &'static Descriptor,
    ids: Items<Key>,
}

impl List for IdList {
    const MEMBER: &'static str = IDS;
    type Items = Items<Key>;

    fn read<'de, A: SeqAccess<'de>>(&mut self, seq: &mut A) -> Result<bool, A::Error> {
        let mut errors = FieldErrors::default();
        let resource = self.resource;
        // A composite key is the text of its path.
        let column = if resource.key().len() == 1 { resource.id_column() } else { &KEY_TEXT };
        // An id has no members: its pointer is into the body, not into the item.
        let list = Pointer::Field(Self::MEMBER);
        let pointer = Pointer::Inner(&list, Segment::Index(self.ids.len()));
        let seed = ValueSeed { column, pointer, errors: &mut errors, may_keep: false };
        let Some(id) = seq.next_element_seed(seed)? else { return Ok(false) };
        let key = match id {
            Some(Value::Text(text)) if resource.key().len() > 1 => {
                let parsed = Key::parse(resource, &text);
                parsed.map_err(|error| errors.push(pointer.error("type", error.message())))
            }
            id => Ok(id.unwrap_or(Value::Null).into()),
        };
        self.ids.push(errors.into_result(key.unwrap_or_else(|()| Value::Null.into())));
        Ok(true)
    }

    fn into_items(self) -> Items<Key> {
        self.ids
    }
}
