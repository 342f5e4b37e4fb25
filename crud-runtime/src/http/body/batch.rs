//! The body of a batch: an object with one list, deserialized in one pass that reports every error of every item.

use std::collections::HashMap;

use serde::de::{MapAccess, SeqAccess};

use super::pointer::{Pointer, Segment};
use super::record::RecordSeed;
use super::seed::{ReadJson, Seed, discard};
use super::value::ValueSeed;
use super::{BodyKind, BodyRules, RecordBody, finish, malformed, whole_key};
use crate::model::changes::Changes;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::key::Key;
use crate::model::problem::{Code, FieldError, FieldErrors, Problem};
use crate::model::value::Value;
use crate::store::mounted::resource::MountedResource;

/// The member with the records of a batch, in its answer too.
pub(crate) const ITEMS: &str = "items";

/// The member with the keys of a batch.
pub(crate) const IDS: &str = "ids";

/// Valid items with their indexes in the batch, and the problems of invalid ones by index.
pub(crate) type Items<T> = (Vec<usize>, Vec<T>, Vec<(usize, Problem)>);

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
    let items = read_envelope(bytes, max_items, RecordList { mounted, rules, searches: FieldErrors::SEARCHES })?;
    let resource = mounted.resource();
    partition(resource, items, |body| match rules.body_kind {
        BodyKind::Create => whole_key(resource, &body.changes).map(|key| key.to_string()),
        BodyKind::Update => whole_key(resource, &body.key).map(|key| key.to_string()),
    })
}

/// Deserializes `{"ids": […]}`.
///
/// # Errors
/// Errors of [`items`].
pub(crate) fn ids(resource: &'static Descriptor, bytes: &[u8], max_items: usize) -> Result<Items<Key>, Problem> {
    let ids = read_envelope(bytes, max_items, IdList { resource })?;
    partition(resource, ids, |id| Some(id.to_string()))
}

/// Deserializes `{"ids": […]}`, in which every id has to be valid.
///
/// # Errors
/// Errors of [`ids`]; the problems of invalid ids.
pub(crate) fn valid_ids(resource: &'static Descriptor, bytes: &[u8], max_items: usize) -> Result<Vec<Key>, Problem> {
    let (_, keys, failed) = ids(resource, bytes, max_items)?;
    if failed.is_empty() { Ok(keys) } else { Err(Problem::from_items(failed)) }
}

/// Partitions items into valid and invalid ones; refuses items with equal ids, together with every other invalid item.
fn partition<T>(
    resource: &Descriptor,
    items: Vec<Result<T, Problem>>,
    id: impl Fn(&T) -> Option<String>,
) -> Result<Items<T>, Problem> {
    let (mut indexes, mut valid, mut failed) =
        (Vec::with_capacity(items.len()), Vec::with_capacity(items.len()), Vec::new());
    let (mut seen, mut has_duplicates) = (HashMap::with_capacity(items.len()), false);
    for (index, item) in items.into_iter().enumerate() {
        match item {
            Ok(item) => {
                if let Some(id) = id(&item)
                    && let Some(first) = seen.insert(id.clone(), index)
                {
                    let detail = format!("must be unique in the batch, but item {first} has {id} too");
                    let error = FieldError::field(&resource.key_names(), "duplicate", detail);
                    failed.push((index, Problem::validation([error])));
                    has_duplicates = true;
                }
                indexes.push(index);
                valid.push(item);
            }
            Err(problem) => failed.push((index, problem)),
        }
    }
    if has_duplicates { Err(Problem::from_items(failed)) } else { Ok((indexes, valid, failed)) }
}

/// A list in the body of a batch.
trait List {
    /// The name of the list's member in the body.
    const MEMBER: &'static str;
    /// A deserialized item.
    type Item;

    /// Reads the next item, which has this index; `None` at the end.
    fn read<'de, A: SeqAccess<'de>>(
        &mut self,
        index: usize,
        seq: &mut A,
    ) -> Result<Option<Result<Self::Item, Problem>>, A::Error>;
}

fn read_envelope<L: List>(bytes: &[u8], max_items: usize, list: L) -> Result<Vec<Result<L::Item, Problem>>, Problem> {
    let mut errors = FieldErrors::default();
    let mut envelope = Envelope { list, items: Vec::new(), max_items, count: None, errors: &mut errors };
    Seed(&mut envelope).read_all(bytes).map_err(|error| malformed(&error))?;
    let Envelope { items, count, .. } = envelope;
    let pointer = format!("/{}", L::MEMBER);
    match count {
        Some(count) if count > max_items => {
            let detail = format!("must have at most {max_items} items, found {count}");
            let error = FieldError::pointer(pointer, "too_many", detail).with_params([("max", max_items)]);
            return Err(Problem::with_errors(Code::BatchTooLarge, [error]));
        }
        None if errors.is_empty() => errors.push(FieldError::pointer(pointer, "required", "is required")),
        _ => {}
    }
    errors.into_result(items)
}

/// The reader of the object around the list.
struct Envelope<'a, L: List> {
    list: L,
    items: Vec<Result<L::Item, Problem>>,
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
struct ListReader<'a, 'b, L: List>(&'a mut Envelope<'b, L>);

impl<L: List> ReadJson for ListReader<'_, '_, L> {
    fn refuse(self) {
        self.0.count = Some(0);
        self.0.errors.push(FieldError::field(L::MEMBER, "type", "must be a list"));
    }

    fn array<'de, A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Envelope { list, items, max_items, count, .. } = self.0;
        let count = count.insert(0);
        while *count < *max_items
            && let Some(item) = list.read(*count, &mut seq)?
        {
            items.push(item);
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
    /// Number of nearest-spelling searches that remain for the whole batch.
    searches: usize,
}

impl List for RecordList<'_> {
    const MEMBER: &'static str = ITEMS;
    type Item = RecordBody;

    fn read<'de, A: SeqAccess<'de>>(
        &mut self,
        _: usize,
        seq: &mut A,
    ) -> Result<Option<Result<RecordBody, Problem>>, A::Error> {
        let (mut changes, mut errors) = (Changes::new(), FieldErrors::with_searches(self.searches));
        let (resource, body_kind) = (self.mounted.resource(), self.rules.body_kind);
        let seed = RecordSeed::new(self.mounted, self.rules, &mut changes, &mut errors);
        if seq.next_element_seed(Seed(seed))?.is_none() {
            return Ok(None);
        }
        self.searches = errors.searches();
        let body = finish(resource, body_kind, changes, &mut errors);
        if body_kind == BodyKind::Update && errors.is_empty() {
            for column in resource.key().iter().filter(|column| body.key.get(**column).is_none()) {
                errors.push(FieldError::field(resource.columns[*column].json, "required", "is required"));
            }
        }
        Ok(Some(errors.into_result(body)))
    }
}

/// The text of a composite key.
static KEY_TEXT: ColumnDescriptor = ColumnDescriptor::new::<String>("id", "id", "\"id\":", "id");

struct IdList {
    resource: &'static Descriptor,
}

impl List for IdList {
    const MEMBER: &'static str = IDS;
    type Item = Key;

    fn read<'de, A: SeqAccess<'de>>(
        &mut self,
        index: usize,
        seq: &mut A,
    ) -> Result<Option<Result<Key, Problem>>, A::Error> {
        let mut errors = FieldErrors::default();
        let resource = self.resource;
        // A composite key is a text, written as in paths.
        let column = if resource.key().len() == 1 { resource.id_column() } else { &KEY_TEXT };
        // An id has no members: its pointer is into the body, not into the item.
        let list = Pointer::Field(Self::MEMBER);
        let pointer = Pointer::Inner(&list, Segment::Index(index));
        let seed = ValueSeed { column, pointer, errors: &mut errors, may_keep: false };
        let Some(id) = seq.next_element_seed(seed)? else { return Ok(None) };
        let key = match id {
            Some(Value::Text(text)) if resource.key().len() > 1 => {
                let parsed = Key::parse(resource, &text);
                parsed.map_err(|error| errors.push(pointer.error("type", error.message())))
            }
            id => Ok(id.unwrap_or(Value::Null).into()),
        };
        Ok(Some(errors.into_result(key.unwrap_or_else(|()| Value::Null.into()))))
    }
}
