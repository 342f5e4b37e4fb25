//! [`Release`]: what each release does to the records that are there, and what its author edits in the files.

use crud_tests::Backend;
use serde_json::{Value, json};

use super::records::Kind::{Float, Money, Text, Time, Whole};
use super::records::{Cell, Shop, TIME, first_name, last_name};
use crate::load::Bodies;

/// A customer of releases 1, 2, 3, 5 and 6, and of 11 and later.
mod customers {
    use super::*;

    pub(super) fn first(number: usize) -> Value {
        json!({ "name": "Ada", "phone": number.to_string() })
    }

    pub(super) fn with_email(number: usize) -> Value {
        json!({ "name": "Ada", "phone": number.to_string(), "email": null })
    }

    pub(super) fn with_country(number: usize) -> Value {
        json!({ "name": "Ada", "phone": number.to_string(), "email": null, "country": "FI" })
    }

    pub(super) fn with_telephone(number: usize) -> Value {
        let name = format!("Ada {number}");
        json!({ "name": name, "telephone": number.to_string(), "email": null, "country": "FI" })
    }

    pub(super) fn with_loyalty(number: usize) -> Value {
        let name = format!("Ada {number}");
        json!({ "name": name, "telephone": number.to_string(), "email": null, "country": "FI", "loyalty": null })
    }

    pub(super) fn with_two_names(number: usize) -> Value {
        json!({ "first_name": "Ada", "last_name": number.to_string(), "telephone": "1", "country": "FI" })
    }
}

/// Customers by two releases.
const fn of_customers(old: fn(usize) -> Value, new: fn(usize) -> Value) -> Bodies {
    Bodies { list: "/customers", old, new }
}

/// An order of releases 9 and 10.
fn order(number: usize) -> Value {
    json!({ "number": format!("B-{number}"), "status": "open", "customer_id": 1, "total": "1.50" })
}

use customers::{first, with_country, with_email, with_loyalty, with_telephone, with_two_names};

/// A file that `migrate diff` has written.
#[derive(Debug)]
pub(crate) struct Written<'a> {
    pub(crate) backend: Backend,
    pub(crate) name: &'a str,
    pub(crate) text: &'a str,
    /// The texts of the files before.
    pub(crate) earlier: &'a str,
}

impl Written<'_> {
    fn is_up(&self) -> bool {
        self.name.ends_with(".up.sql")
    }
}

/// A release of the shop.
#[derive(Clone, Copy)]
pub(crate) struct Release {
    /// Its `RELEASE`.
    pub(crate) name: &'static str,
    /// The change of the records that are there.
    pub(crate) change: fn(&mut Shop),
    /// Remainder of the change where the release is reverted; `None` where it drops what cannot come back.
    pub(crate) reverted: Option<fn(&mut Shop)>,
    /// The author's edit of a written file.
    pub(crate) review: fn(&Written<'_>) -> String,
    /// Records by the release before and by this one, where both run beside each other while it is applied.
    pub(crate) bodies: Option<Bodies>,
    /// Lists that have records afterwards.
    pub(crate) lists: &'static [&'static str],
    /// A line that `check` prints, besides that the program would start.
    pub(crate) noted: Option<&'static str>,
}

const LISTS: [&str; 4] = ["/customers", "/products", "/orders", "/reviews"];

const UNEDITED: Release = Release {
    name: "",
    change: |_| {},
    reverted: Some(|_| {}),
    review: |file| file.text.to_owned(),
    bodies: None,
    lists: &LISTS,
    noted: None,
};

/// The first tables.
pub(crate) const FIRST: Release = Release {
    name: "1",
    change: |shop| {
        shop.create("customers", &[("name", Text), ("phone", Text)]);
        shop.create("products", &[("name", Text), ("price", Float), ("stock", Whole)]);
        shop.create("orders", &[("number", Text), ("status", Text), ("customer_id", Whole), ("total", Whole)]);
        shop.create("reviews", &[("product_id", Whole), ("stars", Whole), ("text", Text)]);
        shop.states = vec!["open", "paid"];
    },
    reverted: None,
    lists: &[],
    ..UNEDITED
};

/// The releases before two branches.
pub(crate) const BEFORE_BRANCHES: [Release; 4] = [
    Release {
        name: "2",
        bodies: Some(of_customers(first, with_email)),
        change: |shop| {
            shop.table("customers").add("email", Text, |_| Cell::None);
            shop.table("products").add("brand", Text, |_| Cell::None);
        },
        ..UNEDITED
    },
    Release {
        name: "3",
        bodies: Some(of_customers(with_email, with_country)),
        change: |shop| {
            shop.table("customers").add("country", Text, |_| Cell::Text("FI".to_owned()));
            fill_brands(shop);
        },
        // Filled-in values stay.
        reverted: Some(|shop| shop.table("products").fill("brand", NO_BRAND)),
        ..UNEDITED
    },
    Release { name: "4", change: |shop| shop.table("customers").rename("phone", "telephone"), ..UNEDITED },
    Release { name: "5", bodies: Some(of_customers(with_telephone, with_telephone)), ..UNEDITED },
];

/// The release of which there are two branches, as a first one.
pub(crate) const FORKED: Release = Release {
    name: "5",
    change: |shop| {
        let changes = std::iter::once(&FIRST).chain(&BEFORE_BRANCHES).map(|release| release.change);
        changes.for_each(|change| change(shop));
    },
    ..FIRST
};

const NO_BRAND: &str = "no name";

fn fill_brands(shop: &mut Shop) {
    shop.table("products").fill("brand", NO_BRAND);
    shop.table("products").require("brand");
}

/// A branch: a column more.
pub(crate) const LOYALTY: Release = Release {
    name: "loyalty",
    bodies: Some(of_customers(with_telephone, with_loyalty)),
    change: |shop| shop.table("customers").add("loyalty", Whole, |_| Cell::None),
    ..UNEDITED
};

/// Another branch: wider rules, and a variant more.
pub(crate) const RULES: Release = Release {
    name: "rules",
    bodies: Some(of_customers(with_telephone, with_telephone)),
    change: |shop| shop.states = vec!["open", "paid", "shipped"],
    ..UNEDITED
};

/// Both branches.
pub(crate) const MERGED: &str = "6";

/// The releases after the branches.
pub(crate) const AFTER_BRANCHES: [Release; 10] = [
    Release {
        name: "7",
        change: |shop| {
            shop.table("products").convert("price", Money, Cell::clone);
            shop.table("orders").convert("total", Money, |euros| match euros {
                Cell::Number(euros) => Cell::Number(euros * 100),
                other => other.clone(),
            });
        },
        review: |file| proposed(file.text, &["left to you", "was changed:"]),
        ..UNEDITED
    },
    Release {
        name: "8",
        bodies: Some(of_customers(with_loyalty, with_loyalty)),
        change: |shop| {
            shop.create("categories", &[("name", Text)]);
            shop.table("products").add("category_id", Whole, |_| Cell::None);
        },
        ..UNEDITED
    },
    Release {
        name: "9",
        change: |shop| {
            shop.table("customers").add("deleted_at", Time, |_| Cell::None);
            for column in ["created_at", "updated_at"] {
                shop.table("orders").add(column, Time, |_| Cell::Text(TIME.to_owned()));
            }
        },
        review: times,
        ..UNEDITED
    },
    Release { name: "10", bodies: Some(Bodies { list: "/orders", old: order, new: order }), ..UNEDITED },
    Release { name: "10-table", change: |shop| shop.rename("orders", "purchases"), ..UNEDITED },
    Release {
        name: "11",
        change: |shop| {
            let customers = shop.table("customers");
            customers.disuse("name");
            customers.add("first_name", Text, |number| Cell::Text(first_name(number)));
            customers.add("last_name", Text, |number| Cell::Text(last_name(number)));
        },
        review: split,
        noted: Some("`name`"),
        ..UNEDITED
    },
    Release {
        name: "12",
        bodies: Some(of_customers(with_two_names, with_two_names)),
        lists: &["/turnovers", "/customers", "/orders"],
        ..UNEDITED
    },
    Release {
        name: "13",
        bodies: Some(of_customers(with_two_names, with_two_names)),
        lists: &["/turnovers", "/products?q=lamp"],
        ..UNEDITED
    },
    Release {
        name: "14",
        change: |shop| {
            for table in ["customers", "purchases"] {
                shop.table(table).add("shop_id", Whole, |_| Cell::Number(1));
            }
        },
        review: unique_in_each_shop,
        lists: &[],
        ..UNEDITED
    },
    Release {
        name: "15",
        change: |shop| {
            shop.table("customers").drop("name");
            shop.table("customers").drop("loyalty");
        },
        reverted: None,
        review: drop_columns,
        bodies: None,
        lists: &[],
        noted: Some("`reviews`"),
    },
];

/// The file with what it proposes below a line with one of these texts, up to an empty line.
fn proposed(text: &str, begins: &[&str]) -> String {
    let mut is_proposed = false;
    let line = |line: &str| {
        let was_proposed = is_proposed;
        is_proposed = !line.is_empty() && (is_proposed || begins.iter().any(|begin| line.contains(begin)));
        match line.strip_prefix("-- ") {
            Some(statement) if was_proposed => statement.to_owned() + "\n",
            _ => line.to_owned() + "\n",
        }
    };
    text.lines().map(line).collect()
}

/// The times of the records that are there.
fn times(&Written { backend, text, .. }: &Written<'_>) -> String {
    let time = match backend {
        Backend::Sqlite => "'2026-01-31T12:00:00.000000Z'",
        Backend::Postgres => "'2026-01-31 12:00:00+00'",
        _ => "'2026-01-31 12:00:00'",
    };
    let line = |line: &str| {
        let line = match line.strip_prefix("-- ").filter(|line| line.starts_with("UPDATE") && line.contains("_at")) {
            Some(update) => update.replace('…', time),
            None if backend == Backend::Sqlite
                && line.contains("ADD COLUMN")
                && line.contains("_at` TEXT NOT NULL") =>
            {
                line.replace("NOT NULL", &format!("NOT NULL DEFAULT {time}"))
            }
            None => line.to_owned(),
        };
        line + "\n"
    };
    text.lines().map(line).collect()
}

/// The new columns with the parts of the old one.
fn split(file: &Written<'_>) -> String {
    let &Written { backend, text, .. } = file;
    let has_column = text.contains("ADD COLUMN \"last_name") || text.contains("ADD COLUMN `last_name");
    // SQLite writes the table anew.
    if !file.is_up() || !(has_column || text.contains("CREATE TABLE `customers_new`")) {
        return text.to_owned();
    }
    let update = match backend {
        Backend::Postgres => {
            "UPDATE \"customers\" SET \"first_name\" = split_part(\"name\", ' ', 1),\n  \
             \"last_name\" = substr(\"name\", length(split_part(\"name\", ' ', 1)) + 2);"
        }
        Backend::MySql => {
            "UPDATE `customers` SET `first_name` = SUBSTRING_INDEX(`name`, ' ', 1),\n  \
             `last_name` = SUBSTR(`name`, CHAR_LENGTH(SUBSTRING_INDEX(`name`, ' ', 1)) + 2);"
        }
        _ => {
            "UPDATE `customers` SET `first_name` = substr(`name`, 1, instr(`name`, ' ') - 1),\n  \
             `last_name` = substr(`name`, instr(`name`, ' ') + 1);"
        }
    };
    match text.rsplit_once("\nCOMMIT;") {
        Some((before, after)) => format!("{before}\n{update}\n\nCOMMIT;{after}"),
        None => format!("{text}\n{update}\n"),
    }
}

/// Values that were unique among all records are unique in each shop.
fn unique_in_each_shop(file: &Written<'_>) -> String {
    let text = proposed(file.text, &["If that is to end:", "was dropped:"]);
    // SQLite has it in the table that is written anew.
    if file.is_up() { text.replace(",\n  UNIQUE (`number`)\n)", "\n)") } else { text }
}

/// The columns that no field has are dropped: by the statements that the file proposes, and by those that an earlier one
/// proposed for `name`.
fn drop_columns(file: &Written<'_>) -> String {
    const DROPS: &str = "This drops the column";
    let text = proposed(file.text, &[DROPS]);
    let is_of_name = |block: &&str| block.contains(DROPS) && (block.contains("`name`") || block.contains("\"name\""));
    match file.earlier.split("\n\n").find(is_of_name) {
        Some(block) if file.is_up() => format!("{text}\n{}", proposed(block, &[DROPS])),
        _ => text,
    }
}
