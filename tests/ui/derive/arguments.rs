//! Arguments of attributes that are missing, too many or of another form.

mod on_the_struct {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(
        table("books", "shelf", unmanged),
        derive(Display),
        operations(list, except(get)),
        default_sort(desc(), desc(title, id), desc(author::name), asc(title)),
        filter(title::),
        hooks(validate("check"), befor(check)),
        audit(without(actor), without(user)),
        batch(mode(some)),
        crate(relative::path)
    )]
    pub struct Book {
        pub id: i64,
        pub title: String,
    }

    #[derive(Resource)]
    #[crud(table(), derive(), operations(), view("SELECT 1 AS id", "SELECT 2 AS id", reads(7)))]
    pub struct Empty {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(has_many(books(Book), pages(Page::), notes(Note::shelf_id, most = 3)))]
    pub struct Shelf {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(
        scope(role("customer"), customer_id("customer")),
        scope(role("customer"), customer_id(claim())),
        access(read(), write(public, authenticated), delete(someone))
    )]
    pub struct Ticket {
        pub id: i64,
        pub customer_id: i64,
    }
}

mod on_a_field {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, PartialEq, Eq, ResourceEnum)]
    pub enum State {
        Draft,
        Published,
    }

    #[derive(Resource)]
    pub struct Book {
        #[crud(id(server))]
        pub id: i64,
        #[crud(length(), range(), validate())]
        pub title: String,
        #[crud(length(min = 1, most = 5), validate(e_mail, custom("check")))]
        pub author: String,
        #[crud(decimal(), column())]
        pub price: Decimal,
        #[crud(decimal(18, 4, 2), column("amount", "cost"))]
        pub cost: Decimal,
        #[crud(decimal("18"))]
        pub fee: Decimal,
        #[crud(references())]
        pub shelf_id: i64,
        #[crud(references(Shelf, all, on_delete(vanish), relation("shelf")))]
        pub other_id: i64,
        #[crud(default(databse))]
        pub code: String,
        #[crud(
            default(State::Draft),
            transitions(publish(Draft), archive(any(), Published), restore, close(Draft, Published, someone))
        )]
        pub state: State,
    }

    #[derive(Resource)]
    pub struct Shelf {
        pub id: i64,
    }
}

mod deletion {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Kept {
        pub id: i64,
        #[crud(deleted_at)]
        pub gone_at: Option<DateTime<Utc>>,
    }

    #[derive(Resource)]
    #[crud(soft_delete)]
    pub struct Twice {
        pub id: i64,
        #[crud(deleted_at)]
        pub gone_at: Option<DateTime<Utc>>,
        #[crud(deleted_at)]
        pub removed: bool,
    }

    #[derive(Resource)]
    #[crud(soft_delete)]
    pub struct OfText {
        pub id: i64,
        #[crud(deleted_at)]
        pub gone: String,
    }

    #[derive(Resource)]
    #[crud(view)]
    pub struct OfView {
        pub id: i64,
        #[crud(deleted_at)]
        pub gone_at: Option<DateTime<Utc>>,
    }
}

mod nested_in_a_view {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(table("totals", new), view)]
    pub struct Total {
        pub id: i64,
        #[crud(column(backfill = 1, renamed_from = "count"), references(Total, on_delete(cascade)))]
        pub other_id: i64,
    }
}
