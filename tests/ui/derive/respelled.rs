//! Former spellings: each error shows the present one, and code that uses the struct shows no other.

mod lists_and_orders {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(
        filter(title, author.name),
        sort(title, author.name, printed_at),
        default_sort(-printed_at, title),
        has_many(reviews(Review.book_id, limit = 5, sort(-id))),
        pagination(over_limit = clamp, count = capped(10_000)),
        batch(mode = partial),
        unique(title, author_id, among = active),
        soft_delete(deleted_at_field = removed_at, include_deleted_by_default),
        audit(track_changes = false, track_user = true, track_timestamp = false)
    )]
    pub struct Book {
        pub id: i64,
        pub title: String,
        #[crud(references = Author)]
        pub author_id: i64,
        #[crud(created_at)]
        pub printed_at: DateTime<Utc>,
        pub removed_at: Option<DateTime<Utc>>,
    }

    #[derive(Resource)]
    pub struct Author {
        pub id: i64,
        pub name: String,
    }

    #[derive(Resource)]
    pub struct Review {
        pub id: i64,
        #[crud(references = Book)]
        pub book_id: i64,
    }

    async fn reads(books: Store<Book>) {
        let _ = books.list(Book::FIELDS.reviews.any(Review::FIELDS.id.gt(1))).await;
        let _ = books.soft_delete(7).await;
        let _ = NewBook::new("Middlemarch", 1);
    }
}

mod access {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(
        access(read = public, write = any(role("clerk"), permission("write")), delete = role("admin")),
        scope(role("customer"), customer_id = claim("customer")),
        except(delete)
    )]
    pub struct Ticket {
        pub id: i64,
        #[crud(tenant(except = role("root")))]
        pub shop_id: i64,
        #[crud(owner(except = role("staff"), assign = role("staff")))]
        pub reporter: i64,
        pub customer_id: i64,
        #[crud(
            default = Status::Open,
            transitions(start: Open -> Busy : role("staff"), cancel: Open | Busy -> Cancelled)
        )]
        pub status: Status,
    }

    #[derive(Debug, Clone, PartialEq, Eq, ResourceEnum)]
    pub enum Status {
        Open,
        Busy,
        Cancelled,
    }

    #[derive(Resource)]
    #[crud(only(list, get))]
    pub struct Note {
        pub id: i64,
    }
}

mod rules {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(validate = complete, hooks(before = stamp))]
    pub struct Member {
        #[crud(id = client, filter = off, sort = off)]
        pub id: Uuid,
        #[crud(min_length = 1, max_length = 200, pattern = "^[A-Z]", custom = checks::name)]
        pub name: String,
        #[crud(email, max_length = none)]
        pub mail: String,
        #[crud(url)]
        #[crud(max_length = 80)]
        pub page: Option<String>,
        #[crud(one_of("small", "large"), default = "small")]
        pub size: String,
        #[crud(min = 0, max = 100)]
        pub age: i32,
        #[crud(min = 0)]
        pub points: i32,
        #[crud(precision = 10, scale = 2)]
        pub balance: Decimal,
        #[crud(scale = 2)]
        pub fee: Decimal,
        #[crud(default = checks::none())]
        pub flags: Vec<String>,
    }

    fn complete(_: &mut Changeset<'_, Member>) {}

    async fn stamp(_: &mut Changeset<'_, Member>, _: &mut HookContext<'_>) -> Result<(), Problem> {
        Ok(())
    }

    mod checks {
        pub fn name(_: &str) -> Result<(), String> {
            Ok(())
        }

        pub fn none() -> Vec<String> {
            Vec::new()
        }
    }

    #[derive(Schema)]
    pub struct Join {
        #[crud(min_length = 1)]
        pub name: String,
    }
}

mod references {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Team {
        pub id: i64,
    }

    #[derive(Resource)]
    pub struct Badge {
        pub id: i64,
        #[crud(references = Team, expand, relation = crew, on_delete = cascade)]
        pub team_id: i64,
        #[crud(references(Team, any), on_delete = set_null)]
        pub guest_of: Option<i64>,
        #[crud(expand, on_delete = restrict)]
        pub other_id: i64,
    }

    async fn reads(badges: Store<Badge>) {
        let _ = badges.list(Badge::FIELDS.crew.is(Team::FIELDS.id.eq(1))).await;
    }
}

mod tables {
    use crud_runtime::prelude::*;

    #[derive(Clone, Resource)]
    #[crud(table = "invoice", schema = "sales", unmanaged, collation = database, serialize, to_schema)]
    pub struct Invoice {
        pub id: i64,
        #[crud(column = "state", sql_type = "mood", renamed_from = "status", backfill = Mood::Calm)]
        pub mood: Mood,
        #[crud(format = "unix")]
        pub sent_at: DateTime<Utc>,
        #[crud(backfill = 0)]
        pub copies: i64,
    }

    #[derive(Debug, Clone, PartialEq, Eq, ResourceEnum)]
    #[crud(crate = ::crud_runtime)]
    pub enum Mood {
        Calm,
        Wild,
    }

    #[derive(Resource)]
    #[crud(new_table, soft_delete(is_deleted_field = removed))]
    pub struct Account {
        pub id: i64,
        pub removed: bool,
    }

    #[derive(Resource)]
    #[crud(view = concat!("SELECT id", " FROM invoice"), depends(Invoice))]
    pub struct Sent {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(no_key, view(sqlite = concat!("SELECT 1 AS one"), mysql = "SELECT 1 AS one"), depends())]
    pub struct One {
        pub one: i64,
    }
}

mod beside_other_mistakes {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(only(list, histroy), filter(titel), validate, depends(3))]
    pub struct Book {
        pub id: i64,
        #[crud(min_length = 5, max_length = 1, references = Shelf, on_delete = vanish)]
        pub title: i64,
        #[crud(max_length = "many", min, expand = true)]
        pub blurb: String,
        #[crud(min_lenght = 3, precison = 4)]
        pub note: String,
    }

    #[derive(Resource)]
    #[crud(min_length = 3)]
    pub struct Shelf {
        pub id: i64,
        #[crud(only(list))]
        pub name: String,
    }
}
