//! The structs: one table of fields with their attributes.

/// The two sizes of a struct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Eight,
    Twelve,
}

impl Shape {
    pub(crate) const ALL: [Self; 2] = [Self::Eight, Self::Twelve];

    /// The number of fields.
    pub(crate) const fn count(self) -> usize {
        match self {
            Self::Eight => 8,
            Self::Twelve => 12,
        }
    }

    pub(crate) fn fields(self) -> impl Iterator<Item = &'static Field> {
        FIELDS.iter().filter(move |field| self == Self::Twelve || !field.twelve)
    }
}

/// A field. In every text, `{n}` is the resource's number and `{parent}` that of the resource it refers to.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) ty: &'static str,
    /// Whether only the structs of twelve fields have it.
    twelve: bool,
    /// The content of `#[crud(…)]`.
    pub(crate) crud: &'static str,
}

/// The content of `#[crud(…)]` on a struct: every option of the derive. A new option is a line here.
pub(crate) fn options(shape: Shape) -> Vec<&'static str> {
    let (filter, sort) = match shape {
        Shape::Eight => ("filter(name, price, status, parent_id)", "sort(name, price, created_at)"),
        Shape::Twelve => {
            ("filter(name, price, status, parent_id, sku, stock, active)", "sort(name, price, created_at, stock)")
        }
    };
    vec![
        filter,
        sort,
        "default_sort(desc(created_at))",
        "pagination(default_limit = 20, max_limit = 100)",
        "soft_delete",
        "batch",
        "audit",
        "access(read(public), write(authenticated), delete(role(\"admin\")))",
    ]
}

const FIELDS: &[Field] = &[
    Field { name: "id", doc: "The key.", ty: "Uuid", twelve: false, crud: "" },
    Field { name: "name", doc: "The name.", ty: "String", twelve: false, crud: "length(min = 1, max = 200)" },
    Field {
        name: "deleted_at",
        doc: "When it was deleted, if it was.",
        ty: "Option<DateTime<Utc>>",
        twelve: false,
        crud: "",
    },
    Field { name: "price", doc: "The price of one piece.", ty: "f64", twelve: false, crud: "range(min = 0)" },
    Field {
        name: "status",
        doc: "The state of the delivery.",
        ty: "Status{n}",
        twelve: false,
        crud: "default(Status{n}::Draft)",
    },
    Field {
        name: "parent_id",
        doc: "The category that it belongs to.",
        ty: "Uuid",
        twelve: false,
        crud: "references(Product{parent})",
    },
    Field {
        name: "sku",
        doc: "The number in the warehouse; no two share one.",
        ty: "String",
        twelve: true,
        crud: "unique, validate(pattern = \"^[A-Z]{3}-[0-9]{4}$\"), length(max = 8)",
    },
    Field {
        name: "stock",
        doc: "The number of pieces in the warehouse.",
        ty: "i32",
        twelve: true,
        crud: "default = 0, range(min = 0, max = 1000000)",
    },
    Field { name: "active", doc: "Whether it is sold.", ty: "bool", twelve: true, crud: "default = true" },
    Field { name: "contact", doc: "Whom to ask.", ty: "Option<String>", twelve: true, crud: "validate(email)" },
    Field {
        name: "created_at",
        doc: "When it came into the catalogue.",
        ty: "DateTime<Utc>",
        twelve: false,
        crud: "created_at",
    },
    Field {
        name: "updated_at",
        doc: "When it was last changed.",
        ty: "DateTime<Utc>",
        twelve: false,
        crud: "updated_at",
    },
];
