//! The resources of histories: soft-deleted with atomic batches, and removed with partial batches and upserts.

use crud_runtime::prelude::*;

macro_rules! resources {
    ($lot:ident, $piece:ident $(, $option:ident)?) => {
        /// A deleted one stays; a batch is whole.
        #[derive(Debug, Clone, PartialEq, Resource)]
        #[crud(
            prefix = "/lots",
            table = "lots",
            filter(run),
            pagination(max_limit = 100),
            soft_delete,
            batch,
            audit
            $(, $option)?
        )]
        pub(crate) struct $lot {
            /// The key, which the plan chooses.
            #[crud(id, length(max = 40))]
            pub(crate) id: String,
            /// Plan that it belongs to.
            pub(crate) run: String,
            /// A value that one alone has.
            #[crud(unique, length(max = 40))]
            pub(crate) code: String,
            /// A value that changes.
            #[crud(range(min = 0))]
            pub(crate) amount: i32,
            /// Set at every change.
            #[crud(updated_at)]
            pub(crate) updated_at: DateTime<Utc>,
            /// Whether it is deleted.
            pub(crate) is_deleted: bool,
            /// Time of deletion.
            pub(crate) deleted_at: Option<DateTime<Utc>>,
        }

        /// A deleted one is gone; the items of a batch succeed or fail each for itself.
        #[derive(Debug, Clone, PartialEq, Resource)]
        #[crud(
            prefix = "/pieces",
            table = "pieces",
            filter(run),
            pagination(max_limit = 100),
            batch(mode(partial)),
            upsert(id),
            audit
            $(, $option)?
        )]
        pub(crate) struct $piece {
            /// The key, which the plan chooses.
            #[crud(id, length(max = 40))]
            pub(crate) id: String,
            /// Plan that it belongs to.
            pub(crate) run: String,
            /// A value that one alone has.
            #[crud(unique, length(max = 40))]
            pub(crate) code: String,
            /// A value that changes.
            #[crud(range(min = 0))]
            pub(crate) amount: i32,
            /// Set at every change.
            #[crud(updated_at)]
            pub(crate) updated_at: DateTime<Utc>,
        }
    };
}

resources!(Lot, Piece);
resources!(KeyedLot, KeyedPiece, idempotency);
