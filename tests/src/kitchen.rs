//! The kitchen sink: a resource for every field type, attribute and kind of key.

mod checked;
mod keys;
mod lists;
mod names;
mod relations;
mod types;
mod visibility;

use crud_runtime::Service;

pub use checked::{Checked, CheckedPatch, NewChecked, Shade, Sku};
pub use keys::{Counter, CounterPatch, Device, DevicePatch, NewCounter, NewDevice, NewTag, Tag, TagPatch};
pub use lists::{Bare, BarePatch, Clamped, ClampedPatch, Entry, EntryPatch, NewBare, NewClamped, NewEntry};
pub use names::{NewTicket, Priority, State, Ticket, TicketPatch};
pub use relations::{
    Attachment, AttachmentPatch, Comment, CommentPatch, NewAttachment, NewComment, NewPost, NewReader,
};
pub use relations::{Post, PostPatch, Reader, ReaderPatch};
pub use types::{Dense, DensePatch, NewDense, NewSparse, Sparse, SparsePatch};
pub use visibility::{Account, AccountPatch, Fixed, FixedPatch, NewAccount, NewFixed};

/// Puts every resource of the kitchen into a service.
pub fn kitchen(service: Service) -> Service {
    service
        .title("Kitchen sink")
        .version("1.0.0")
        .resource::<Dense>()
        .resource::<Sparse>()
        .resource::<Checked>()
        .resource::<Account>()
        .resource::<Fixed>()
        .resource::<Tag>()
        .resource::<Device>()
        .resource::<Counter>()
        .resource::<Ticket>()
        .resource::<Post>()
        .resource::<Comment>()
        .resource::<Attachment>()
        .resource::<Reader>()
        .resource::<Bare>()
        .resource::<Entry>()
        .resource::<Clamped>()
}
