//! Relations between records.

/// Records that a junction links: malformed, named as others are, of two junctions, and what does not hold the key.
mod many_to_many {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(many_to_many(labels(IssueLabel), labels(IssueLabel), name(IssueLabel), or(IssueLabel), history(IssueLabel), all(IssueLabel, limit = 0)))]
    struct Issue {
        id: i64,
        name: String,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(many_to_many(labels, others(), more(IssueLabel limit = 1), last(IssueLabel, limt = 2), two(IssueLabel::issue_id, Issue::id), short(issue_id, IssueLabel::label_id)))]
    struct Bug {
        id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(many_to_many())]
    struct Empty {
        id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(many_to_many(labels(IssueLabel::name, IssueLabel::nothing)))]
    struct Wrong {
        id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(pagination(default_limit = 100), many_to_many(labels(IssueLabel, limit = 21)))]
    struct Wide {
        id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(many_to_many(labels(IssueLabel)))]
    struct Line {
        #[crud(id)]
        order_id: i64,
        #[crud(id)]
        code: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(view("SELECT id FROM issues", reads(Issue)), has_many(links(IssueLabel::issue_id, nested)))]
    struct Board {
        id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    struct IssueLabel {
        id: i64,
        #[crud(references(Issue))]
        issue_id: i64,
        #[crud(references(Issue))]
        label_id: i64,
        name: String,
    }
}

/// The other resource in the place of the junction.
mod without_junction {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(many_to_many(labels(Label)))]
    struct Issue {
        id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    struct Label {
        id: i64,
        #[crud(references(Issue))]
        first_id: i64,
    }
}

/// Records that refer to others: malformed, twice, what is not there, and what does not hold the key.
mod has_many {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(has_many(orders(Order::customer_id), orders(Order::customer_id), name(Order::customer_id), or(Order::customer_id)))]
    struct Customer {
        id: i64,
        name: String,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(has_many(orders(Order::buyer_id, limit = 0), others(Order::number), all(Order::customer_id, sort(desc(made), number, number))))]
    struct Buyer {
        id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(has_many(orders, others(Order), more(Order::), rest(Order::customer_id limit = 1), last(Order::customer_id, limt = 2)))]
    struct Guest {
        id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(has_many())]
    struct Empty {
        id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(pagination(default_limit = 100), has_many(orders(Order::customer_id, limit = 15), others(Order::customer_id, limit = 6)))]
    struct Shop {
        id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    struct Order {
        id: i64,
        customer_id: Option<i64>,
        number: String,
    }
}

/// Orders by fields of other records: what is not there, what is there twice, and what cannot be compared.
mod sort_paths {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(sort(name))]
    struct Author {
        id: i64,
        name: String,
        photo: Vec<u8>,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(sort(author::name, author::name, writer::name, title::name, author_name))]
    struct Book {
        id: i64,
        title: String,
        author_name: String,
        #[crud(references(Author))]
        author_id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(sort(author::nam, author::photo))]
    struct Note {
        id: i64,
        #[crud(references(Author))]
        author_id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(sort(author::), default_sort(author::name))]
    struct Draft {
        id: i64,
        #[crud(references(Author))]
        author_id: i64,
    }
}

/// Relations in queries: conditions and keys of another resource than the relation's.
mod terms {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(has_many(books(Novel::author_id)))]
    struct Writer {
        id: i64,
        name: String,
        photo: Vec<u8>,
    }

    #[derive(Debug, Clone, Resource)]
    struct Novel {
        id: i64,
        title: String,
        #[crud(references(Writer, relation(author)))]
        author_id: i64,
        #[crud(references(Writer))]
        editor_id: i64,
    }

    fn uses() {
        let _ = Novel::FIELDS.author.is(Novel::FIELDS.title.eq("x"));
        let _ = Novel::FIELDS.author.is(Writer::FIELDS.title.eq("x"));
        let _ = Novel::FIELDS.author.asc(Writer::FIELDS.photo);
        let _ = Novel::FIELDS.editor.is(Writer::FIELDS.name.eq("x"));
        let _ = Writer::FIELDS.books.any(Writer::FIELDS.name.eq("x"));
        let _ = Writer::FIELDS.name.eq("x").and(Novel::FIELDS.author.is(Writer::FIELDS.name.eq("x")));
    }
}
