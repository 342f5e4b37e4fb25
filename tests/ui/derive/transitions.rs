//! `transitions`: their grammar, names and states.

mod malformed {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Copy, ResourceEnum)]
    pub enum Status {
        Draft,
        Published,
        Archived,
    }

    #[derive(Resource)]
    pub struct Article1 {
        pub id: i64,
        #[crud(default(Status::Draft), transitions)]
        pub status: Status,
    }

    #[derive(Resource)]
    pub struct Article2 {
        pub id: i64,
        #[crud(default(Status::Draft), transitions())]
        pub status: Status,
    }

    #[derive(Resource)]
    pub struct Article3 {
        pub id: i64,
        #[crud(default(Status::Draft), transitions(publish))]
        pub status: Status,
    }

    #[derive(Resource)]
    pub struct Article4 {
        pub id: i64,
        #[crud(default(Status::Draft), transitions(publish: Draft, archive: Draft => Archived))]
        pub status: Status,
    }

    #[derive(Resource)]
    pub struct Article5 {
        pub id: i64,
        #[crud(default(Status::Draft), transitions(publish(Draft, Published, editor), archive: Draft | -> Archived))]
        pub status: Status,
    }

    #[derive(Resource)]
    pub struct Article6 {
        pub id: i64,
        #[crud(default(Status::Draft), transitions(publish: Draft -> Published role("editor")))]
        pub status: Status,
    }
}

mod names_that_are_taken {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Copy, ResourceEnum)]
    pub enum Status {
        Draft,
        Published,
        Archived,
    }

    #[derive(Resource)]
    pub struct Article1 {
        pub id: i64,
        #[crud(default(Status::Draft), transitions(restore(Draft, Published), history(Published, Archived), publish(Archived, Draft), publish(Archived, Published)))]
        pub status: Status,
    }
}

mod no_initial_state {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Copy, ResourceEnum)]
    pub enum Status {
        Draft,
        Published,
        Archived,
    }

    fn initial() -> Status {
        Status::Draft
    }

    #[derive(Resource)]
    pub struct Article1 {
        pub id: i64,
        #[crud(transitions(publish(Draft, Published), archive(Published, Archived)))]
        pub status: Status,
    }

    #[derive(Resource)]
    pub struct Article2 {
        pub id: i64,
        #[crud(default(initial()), transitions(publish(Draft, Published), archive(Published, Archived)))]
        pub status: Status,
    }
}

mod not_an_enum {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Copy, ResourceEnum)]
    pub enum Status {
        Draft,
        Published,
        Archived,
    }

    #[derive(Resource)]
    pub struct Article1 {
        pub id: i64,
        #[crud(default = "draft", transitions(publish(Draft, Published)))]
        pub status: String,
    }

    #[derive(Resource)]
    pub struct Article2 {
        pub id: i64,
        #[crud(default(Status::Draft), transitions(publish(Draft, Published), archive(Published, Archived)))]
        pub status: Option<Status>,
    }

    #[derive(Resource)]
    pub struct Article3 {
        pub id: i64,
        #[crud(default(Status::Draft), immutable, transitions(publish(Draft, Published), archive(Published, Archived)))]
        pub status: Status,
    }
}

mod one_name_in_two_fields {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Copy, ResourceEnum)]
    pub enum Step {
        Open,
        Done,
    }

    #[derive(Resource)]
    pub struct Order {
        pub id: i64,
        #[crud(default(Step::Open), transitions(finish(Open, Done)))]
        pub payment: Step,
        #[crud(default(Step::Open), transitions(finish(Open, Done)))]
        pub delivery: Step,
    }
}

mod state_that_is_named_and_not_reached {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Copy, ResourceEnum)]
    pub enum Status {
        Draft,
        Published,
        Archived,
    }

    #[derive(Resource)]
    pub struct Article1 {
        pub id: i64,
        #[crud(default(Status::Draft), transitions(publish(Draft, Published), revive(Archived, Published)))]
        pub status: Status,
    }

    #[derive(Resource)]
    pub struct Article2 {
        pub id: i64,
        #[crud(default(Status::Draft), transitions(publish(Draft, Published), stay(Draft, Draft), archive(Draft, Archived)))]
        pub status: Status,
    }
}

mod two_of_one_pair {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Copy, ResourceEnum)]
    pub enum Status {
        Draft,
        Published,
        Archived,
    }

    #[derive(Resource)]
    pub struct Article1 {
        pub id: i64,
        #[crud(default(Status::Draft), transitions(publish(Draft, Published), archive(any(Draft, Published), Archived), drop(any(Published, Draft), Archived)))]
        pub status: Status,
    }
}

mod initial_states {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Copy, ResourceEnum)]
    pub enum Status {
        Draft,
        Published,
        Archived,
    }

    #[derive(Resource)]
    pub struct Article1 {
        pub id: i64,
        #[crud(default(Status::Draft), transitions(initial(), publish(Draft, Published)))]
        pub status: Status,
    }

    #[derive(Resource)]
    pub struct Article2 {
        pub id: i64,
        #[crud(default(Status::Draft), transitions(initial(Draft, Published, role("editor")), archive(Published, Archived)))]
        pub status: Status,
    }

    #[derive(Resource)]
    pub struct Article3 {
        pub id: i64,
        #[crud(default(Status::Draft), transitions(initial(Published, Published), archive(Published, Archived)))]
        pub status: Status,
    }

    #[derive(Resource)]
    pub struct Article4 {
        pub id: i64,
        #[crud(default(Status::Draft), transitions(initial(Draft), archive(Published, Archived)))]
        pub status: Status,
    }
}
