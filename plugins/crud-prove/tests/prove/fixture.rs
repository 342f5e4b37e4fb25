//! A small service with every kind of rule.

use std::time::Duration;

use crud_events::Events;
use crud_mcp::Mcp;
use crud_runtime::access::Role;
use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;
use crud_runtime::{RateLimit, Service};

/// A shelf of a shop.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter(name),
    sort(name),
    pagination,
    soft_delete,
    search(name),
    has_many(notes(Note::shelf_id)),
    access(read(any(role("staff"), role("guest"))), write(role("staff")))
)]
struct Shelf {
    id: i64,
    #[crud(tenant)]
    shop_id: i64,
    #[crud(length(max = 60))]
    name: String,
    deleted_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
enum State {
    Draft,
    Published,
}

/// A note of its author.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter(title, state, remark, shelf_id, author_id, shelf::name),
    sort(title, remark, shelf::name),
    pagination,
    search(title),
    soft_delete,
    audit,
    batch,
    export,
    import,
    aggregate(group_by(state), over(pages)),
    upsert(code),
    many_to_many(tags(NoteTag)),
    has_many(comments(Comment::note_id, nested)),
    access(read(authenticated), write(any(role("staff"), role("guest"))), delete(role("staff")), purge(role("admin")))
)]
struct Note {
    id: i64,
    #[crud(tenant(except(role("root"))))]
    shop_id: i64,
    #[crud(owner(except(role("admin")), assign(role("admin"))))]
    author_id: i64,
    #[crud(unique, length(max = 40))]
    code: String,
    #[crud(length(max = 80))]
    title: String,
    #[crud(visible(role("auditor")))]
    remark: Option<String>,
    #[crud(hidden)]
    digest: Option<String>,
    #[crud(default(State::Draft), transitions(publish(Draft, Published, role("staff")), retract(Published, Draft)))]
    state: State,
    #[crud(range(min = 0, max = 900))]
    pages: i32,
    #[crud(references(Shelf, expand))]
    shelf_id: i64,
    deleted_at: Option<DateTime<Utc>>,
}

/// A comment on a note: guests see those on their own notes, and authors change theirs for a quarter of an hour.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter(note_id, text),
    pagination(cursor),
    audit,
    access(delete(role("staff"))),
    scope(role("guest"), note::author_id(me)),
    scope(write, author_id(me), within(created_at, "15m"))
)]
struct Comment {
    id: i64,
    #[crud(tenant)]
    shop_id: i64,
    #[crud(references(Note, expand))]
    note_id: i64,
    author_id: i64,
    #[crud(length(max = 80))]
    text: String,
    #[crud(created_at)]
    created_at: DateTime<Utc>,
}

/// A tag of every shop.
#[derive(Debug, Clone, Resource)]
#[crud(filter(name), access(read(public), write(permission("tags"))))]
struct Tag {
    id: i64,
    #[crud(unique, length(max = 40))]
    name: String,
}

/// A tag of a note.
#[derive(Debug, Clone, Resource)]
#[crud(internal)]
#[allow(clippy::struct_field_names, reason = "they are keys")]
struct NoteTag {
    #[crud(tenant)]
    shop_id: i64,
    #[crud(id, references(Note, on_delete(cascade)))]
    note_id: i64,
    #[crud(id, references(Tag, on_delete(cascade)))]
    tag_id: i64,
}

/// The service, with events and agents.
pub(crate) fn fixture(service: Service) -> Service {
    let auth = Auth::builder().secret("a secret of at least thirty-two bytes").tenant_claim("shop").build();
    let service = service.plugin(Events::new().every_audited_resource()).expect("one plugin");
    service
        .plugin(Mcp::new().writes().rate_limit(RateLimit::new(100_000, Duration::from_mins(1))))
        .expect("one plugin")
        .auth(auth.expect("authentication"))
        .access(|access| access.role(Role::new("admin").implies("staff")))
        .resource::<Shelf>()
        .resource::<Note>()
        .resource::<Comment>()
        .resource::<Tag>()
        .resource::<NoteTag>()
}
