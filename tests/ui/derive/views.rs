//! Views with attributes of tables.

mod keys_of_tables {
    use crud_runtime::error::Problem;
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    struct Ticket {
        id: i64,
        title: String,
    }

    fn check(_: &mut Changeset<'_, Board>) {}

    async fn check_in(_: &mut Changeset<'_, Board>, _: &mut HookContext<'_>) -> Result<(), Problem> {
        Ok(())
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(
        view("SELECT * FROM tickets", reads(Ticket)),
        soft_delete,
        batch,
        audit,
        hooks(before(check_in), validate(check)),
        unique(title, room),
        index(title)
    )]
    struct Board {
        id: i64,
        #[crud(unique, index)]
        title: String,
        #[crud(references(Ticket, on_delete(restrict)))]
        room: i64,
        deleted_at: Option<DateTime<Utc>>,
    }
}

mod keys_of_written_fields {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Copy, PartialEq, ResourceEnum)]
    enum State {
        Open,
        Done,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(view("SELECT * FROM tickets", reads()))]
    struct Board {
        id: i64,
        #[crud(default = 1, range(min = 0, max = 9))]
        count: i32,
        #[crud(length(min = 1, max = 9), validate(pattern = "a", email, url, one_of("a"), custom(check)))]
        title: String,
        #[crud(default(State::Open), transitions(finish(Open, Done)))]
        state: State,
        #[crud(created_at)]
        created_at: DateTime<Utc>,
        #[crud(updated_at)]
        updated_at: DateTime<Utc>,
        #[crud(read_only)]
        first: Option<i64>,
        #[crud(write_only)]
        second: Option<i64>,
        #[crud(immutable)]
        third: Option<i64>,
        #[crud(owner(assign(role("staff"))))]
        owner: i64,
    }

    fn check(_: &str) -> Result<(), String> {
        Ok(())
    }
}

mod operations {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(
        view("SELECT * FROM tickets", reads()),
        operations(list, create, purge),
        access(read(public), write(authenticated), delete(role("admin")))
    )]
    struct Board {
        id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(view("SELECT * FROM tickets", reads()), operations(except(get, update)))]
    struct List {
        id: i64,
    }
}

mod there_already {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(view, batch)]
    struct Board {
        id: i64,
        #[crud(default(database))]
        title: String,
        #[crud(references(Board, on_delete(set_null)))]
        parent_id: Option<i64>,
    }
}
