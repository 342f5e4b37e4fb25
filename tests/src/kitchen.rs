//! The kitchen sink: a resource for every field type, attribute and kind of key.

mod audited;
mod batches;
mod checked;
mod deletion;
mod keys;
mod lists;
mod names;
mod payments;
mod relations;
mod teams;
mod texts;
mod types;
mod upserts;
mod visibility;

use crud_runtime::Service;

pub use audited::{
    Anonymous, AnonymousPatch, Ledger, LedgerPatch, NewAnonymous, NewLedger, NewQuiet, NewTimeless, Quiet, QuietPatch,
    Timeless, TimelessPatch,
};
pub use batches::{Coupon, CouponPatch, NewCoupon, NewParcel, NewSlip, NewStamp, NewTray};
pub use batches::{Parcel, ParcelPatch, Slip, SlipPatch, Stamp, StampPatch, Tray, TrayPatch};
pub use checked::{Checked, CheckedPatch, NewChecked, Shade, Sku};
pub use deletion::{Draft, DraftPatch, Kept, KeptPatch, NewDraft, NewKept, NewNote, Note, NotePatch};
pub use keys::{Counter, CounterPatch, Device, DevicePatch, NewCounter, NewDevice, NewTag, Tag, TagPatch};
pub use lists::{
    Bare, BarePatch, Clamped, ClampedPatch, Entry, EntryPatch, NewBare, NewClamped, NewEntry, NewStep, Step, StepPatch,
};
pub use names::{NewTicket, Priority, State, Ticket, TicketPatch};
pub use payments::{NewPayment, Payment, PaymentPatch};
pub use relations::{
    Attachment, AttachmentPatch, Comment, CommentPatch, NewAttachment, NewComment, NewPost, NewReader,
};
pub use relations::{Post, PostPatch, Reader, ReaderPatch};
pub use teams::{
    Badge, BadgePatch, Fan, FanPatch, Member, MemberPatch, NewBadge, NewFan, NewMember, NewTeam, Team, TeamPatch,
};
pub use texts::{Essay, EssayPatch, NewEssay, NewPoem, NewScroll, Poem, PoemPatch, Scroll, ScrollPatch};
pub use types::{Dense, DensePatch, NewDense, NewSparse, Sparse, SparsePatch};
pub use upserts::{Article, ArticlePatch, Label, LabelPatch, NewArticle, NewLabel};
pub use visibility::{Account, AccountPatch, Fixed, FixedPatch, NewAccount, NewFixed};

/// Adds every resource of the kitchen sink to a service.
pub fn kitchen(service: Service) -> Service {
    service
        .title("Kitchen sink")
        .openapi(|document| document.version("1.0.0"))
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
        .resource::<Step>()
        .resource::<Essay>()
        .resource::<Poem>()
        .resource::<Scroll>()
        .resource::<Article>()
        .resource::<Label>()
        .resource::<Note>()
        .resource::<Draft>()
        .resource::<Kept>()
        .resource::<Team>()
        .resource::<Member>()
        .resource::<Badge>()
        .resource::<Fan>()
        .resource::<Parcel>()
        .resource::<Stamp>()
        .resource::<Slip>()
        .resource::<Tray>()
        .resource::<Coupon>()
        .resource::<Ledger>()
        .resource::<Quiet>()
        .resource::<Anonymous>()
        .resource::<Timeless>()
}
