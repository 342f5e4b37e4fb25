//! The body of a batch: an object with one list, read in one pass that finds every mistake of every item.

use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::json::{Discard, Nesting};
use super::object::{Object, ReadObject};
use super::seed::RecordSeed;
use super::value::{Place, Segment, ValueSeed};
use super::{Body, Mode, malformed, refuse_reserved_id};
use crate::model::changes::Changes;
use crate::model::descriptor::Descriptor;
use crate::model::problem::{Code, FieldError, FieldErrors, Problem};
use crate::model::value::Value;
use crate::query::visibility::View;
use crate::store::mounted_resource::MountedResource;

/// The items of a batch in order, each with what is wrong with it if anything is.
pub(crate) type Items<T> = Vec<Result<T, Problem>>;

/// Reads `{"items": […]}`: the records of a create, or the changes of an update, each with its key.
///
/// # Errors
/// `malformed_json`; `batch_too_large` when there are more than `most`; `validation_failed` when the body is not
/// such an object, or an id is given twice.
pub(crate) fn items(
    mounted: &MountedResource,
    view: &View,
    bytes: &[u8],
    mode: Mode,
    most: usize,
) -> Result<Items<Body>, Problem> {
    let items = read(bytes, most, Records { mounted, view, mode, items: Vec::new() })?;
    let id = mounted.resource().id;
    distinct(mounted.resource(), items, |body| match mode {
        Mode::Create => body.changes.get(id),
        Mode::Update => body.id.as_ref(),
    })
}

/// Reads `{"ids": […]}`.
///
/// # Errors
/// As [`items`].
pub(crate) fn ids(resource: &'static Descriptor, bytes: &[u8], most: usize) -> Result<Items<Value>, Problem> {
    let ids = read(bytes, most, Ids { resource, ids: Vec::new() })?;
    distinct(resource, ids, |id| Some(id))
}

/// The items, unless two are of one id; then every bad item is told at once, whatever is wrong with it.
fn distinct<T>(
    resource: &Descriptor,
    items: Items<T>,
    id: impl for<'t> Fn(&'t T) -> Option<&'t Value>,
) -> Result<Items<T>, Problem> {
    let mut seen: HashMap<String, usize> = HashMap::with_capacity(items.len());
    let mut twice = HashMap::new();
    for (index, item) in items.iter().enumerate() {
        let Some(id) = item.as_ref().ok().and_then(&id) else { continue };
        if let Some(first) = seen.insert(id.to_string(), index) {
            let detail = format!("{id} is the id of item {first} too");
            let error = FieldError::field(resource.id_column().json, "duplicate", detail);
            twice.insert(index, Problem::validation([error]));
        }
    }
    if twice.is_empty() {
        return Ok(items);
    }
    let problem = |(index, item): (usize, Result<T, Problem>)| Some((index, item.err().or(twice.remove(&index))?));
    Err(Problem::of_items(items.into_iter().enumerate().filter_map(problem)))
}

/// A kind of list.
trait List {
    /// The member of the body that it is.
    const MEMBER: &'static str;
    /// What it becomes.
    type Items;

    /// Reads the next item; `false` at the end.
    fn read<'de, A: SeqAccess<'de>>(&mut self, seq: &mut A) -> Result<bool, A::Error>;

    fn finish(self) -> Self::Items;
}

fn read<L: List>(bytes: &[u8], most: usize, list: L) -> Result<L::Items, Problem> {
    let mut errors = FieldErrors::default();
    let mut envelope = Envelope { list, most, count: None, errors: &mut errors };
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    Object(&mut envelope)
        .deserialize(&mut deserializer)
        .and_then(|()| deserializer.end())
        .map_err(|e| malformed(&e))?;
    let Envelope { list, count, .. } = envelope;
    let pointer = format!("/{}", L::MEMBER);
    match count {
        Some(count) if count > most => {
            let error = FieldError::pointer(pointer, "too_many", format!("has {count} items, but may have {most}"));
            return Err(Problem::with_errors(Code::BatchTooLarge, [error]));
        }
        None if errors.is_empty() => errors.push(FieldError::pointer(pointer, "required", "is required")),
        _ => {}
    }
    errors.into_result(list.finish())
}

/// Reads the object around the list.
struct Envelope<'a, L> {
    list: L,
    most: usize,
    /// How many items the list has, once it was read.
    count: Option<usize>,
    errors: &'a mut FieldErrors,
}

impl<L: List> ReadObject for &mut Envelope<'_, L> {
    fn refuse(self) {
        self.errors.push(FieldError::pointer("", "type", format!("must be an object with a list `{}`", L::MEMBER)));
    }

    fn read<'de, A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            if name != L::MEMBER {
                map.next_value_seed(Discard(Nesting::body()))?;
                let detail = format!("is not a member of a batch, which has `{}` alone", L::MEMBER);
                self.errors.push(FieldError::field(&name, "unknown_field", detail));
            } else if self.count.is_some() {
                map.next_value_seed(Discard(Nesting::body()))?;
                self.errors.push(FieldError::field(&name, "duplicate", "must be given only once"));
            } else {
                map.next_value_seed(ListSeed(&mut *self))?;
            }
        }
        Ok(())
    }
}

/// Reads the list itself.
struct ListSeed<'a, 'b, L>(&'a mut Envelope<'b, L>);

impl<'de, L: List> DeserializeSeed<'de> for ListSeed<'_, '_, L> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<L: List> ListSeed<'_, '_, L> {
    fn refuse(self) {
        self.0.count = Some(0);
        self.0.errors.push(FieldError::field(L::MEMBER, "type", "must be a list"));
    }
}

macro_rules! wrong_type {
    ($($visit:ident: $type:ty),+) => { $(
        fn $visit<E: Error>(self, _: $type) -> Result<(), E> {
            self.refuse();
            Ok(())
        }
    )+ };
}

impl<'de, L: List> Visitor<'de> for ListSeed<'_, '_, L> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    wrong_type!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.refuse();
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while map.next_key_seed(PhantomData::<serde::de::IgnoredAny>)?.is_some() {
            map.next_value_seed(Discard(Nesting::body()))?;
        }
        self.refuse();
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Envelope { list, most, count, .. } = self.0;
        let count = count.insert(0);
        while *count < *most && list.read(&mut seq)? {
            *count += 1;
        }
        // What is too much is counted and not kept.
        while seq.next_element_seed(Discard(Nesting::body()))?.is_some() {
            *count += 1;
        }
        Ok(())
    }
}

struct Records<'a> {
    mounted: &'a MountedResource,
    view: &'a View,
    mode: Mode,
    items: Items<Body>,
}

impl List for Records<'_> {
    const MEMBER: &'static str = "items";
    type Items = Items<Body>;

    fn read<'de, A: SeqAccess<'de>>(&mut self, seq: &mut A) -> Result<bool, A::Error> {
        let (mut changes, mut errors) = (Changes::new(), FieldErrors::default());
        let (mounted, view, mode) = (self.mounted, self.view, self.mode);
        let seed = RecordSeed { mounted, view, mode, changes: &mut changes, errors: &mut errors };
        if seq.next_element_seed(Object(seed))?.is_none() {
            return Ok(false);
        }
        let resource = self.mounted.resource();
        let id = match self.mode {
            Mode::Create => {
                refuse_reserved_id(resource, &changes, &mut errors);
                None
            }
            Mode::Update => {
                let id = changes.take(resource.id);
                if id.is_none() && errors.is_empty() {
                    errors.push(FieldError::field(resource.id_column().json, "required", "is required"));
                }
                id
            }
        };
        self.items.push(errors.into_result(Body { changes, id }));
        Ok(true)
    }

    fn finish(self) -> Items<Body> {
        self.items
    }
}

struct Ids {
    resource: &'static Descriptor,
    ids: Items<Value>,
}

impl List for Ids {
    const MEMBER: &'static str = "ids";
    type Items = Items<Value>;

    fn read<'de, A: SeqAccess<'de>>(&mut self, seq: &mut A) -> Result<bool, A::Error> {
        let mut errors = FieldErrors::default();
        let column = self.resource.id_column();
        // Into the body: an id is all of its item.
        let list = Place::Field(Self::MEMBER);
        let place = Place::Inner(&list, Segment::Index(self.ids.len()));
        let seed = ValueSeed { column, place, errors: &mut errors };
        let Some(id) = seq.next_element_seed(seed)? else { return Ok(false) };
        self.ids.push(errors.into_result(id.unwrap_or(Value::Null)));
        Ok(true)
    }

    fn finish(self) -> Items<Value> {
        self.ids
    }
}
