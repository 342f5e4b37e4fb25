//! Full-text search by `q`: records that have each word.

use crud_runtime::prelude::*;
use crud_runtime::query::Select;
use crud_tests::fixtures::{column, create_all, id};
use crud_tests::kitchen::{Essay, NewEssay, NewPoem, Poem};
use crud_tests::{Client, on_each_backend, on_each_transactional_backend, on_kitchen, query};
use reqwest::Method;
use serde_json::{Value, json};

/// The titles of the essays that a search finds, by title.
async fn found(kitchen: &Client, text: &str) -> Vec<Value> {
    let list = kitchen.get(query("/essays", [("q", text), ("sort", "title"), ("limit", "100")])).await.ok();
    let titles = column(&list, "title");
    assert_eq!(list["total"], titles.len(), "the total is that of the search");
    titles
}

async fn write(kitchen: &Client, essays: impl IntoIterator<Item = (&str, Option<&str>)>) -> Vec<i64> {
    let bodies = essays.into_iter().map(|(title, body)| json!({ "title": title, "body": body }));
    create_all(kitchen, "/essays", bodies).await.iter().map(id).collect()
}

#[test]
fn records_with_each_word_are_found() {
    on_kitchen(async |kitchen| {
        write(
            kitchen,
            [
                ("A desk", Some("It has a lamp.")),
                ("Desk-lamps", None),
                ("Lamp", Some("without a table")),
                ("Nothing", Some("")),
            ],
        )
        .await;
        assert_eq!(found(kitchen, "desk lamp").await, ["A desk", "Desk-lamps"]);
        assert_eq!(found(kitchen, "LAMP").await, ["A desk", "Desk-lamps", "Lamp"]);
        assert_eq!(found(kitchen, "lamp, desk").await, ["A desk"], "words have no order");
        assert_eq!(found(kitchen, "desk la").await, ["A desk", "Desk-lamps"], "the last word may be a beginning");
        assert_eq!(found(kitchen, "desk chair").await, [""; 0]);
        assert_eq!(found(kitchen, "noth").await, ["Nothing"]);
    });
}

#[test]
fn whole_words_are_found_whatever_stands_between_them() {
    on_kitchen(async |kitchen| {
        let separators = " \t\n!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~\u{A0}§«»¿×–—…„“”€→•、。「」・！（）：，\u{3000}";
        let essays: Vec<String> = separators.chars().map(|between| format!("alpha{between}omega")).collect();
        write(kitchen, essays.iter().map(|title| (title.as_str(), None))).await;
        for text in ["alpha", "omega", "alpha omega", "omega alpha"] {
            let titles = found(kitchen, text).await;
            let missing: Vec<&String> = essays.iter().filter(|title| !titles.contains(&json!(title))).collect();
            assert!(missing.is_empty(), "{text}: {missing:?}");
        }
        for separator in separators.chars() {
            assert_eq!(found(kitchen, &format!("alpha{separator}omega")).await.len(), essays.len(), "{separator:?}");
        }
    });
}

#[test]
fn words_of_any_script_length_and_meaning_are_found() {
    on_kitchen(async |kitchen| {
        let long = "x".repeat(180);
        let words = [
            "a",
            "i",
            "the",
            "of",
            "www",
            "not",
            "or",
            "and",
            "near",
            "col",
            "12",
            "007",
            "1e5",
            "0x1F",
            "v2",
            "3D",
            "été",
            "Straße",
            "Łódź",
            "ñandú",
            "мир",
            "λόγος",
            "שלום",
            "سلام",
            "हिन्दी",
            "ไทย",
            "日本語",
            "テレビ",
            "한국어",
            "ﬁn",
            "½",
            "cafe\u{301}s",
            &long,
        ];
        let essays: Vec<(String, String)> =
            words.iter().map(|word| (format!("Of {word}."), format!("before ({word}) after"))).collect();
        write(kitchen, essays.iter().map(|(title, body)| (title.as_str(), Some(body.as_str())))).await;
        for word in words {
            let titles = found(kitchen, word).await;
            assert!(titles.contains(&json!(format!("Of {word}."))), "{word}: {titles:?}");
            let among = found(kitchen, &format!("{word} after before")).await;
            assert!(among.contains(&json!(format!("Of {word}."))), "{word} among others: {among:?}");
        }
    });
}

#[test]
fn no_text_is_an_error_of_the_engine() {
    on_kitchen(async |kitchen| {
        write(kitchen, [("plain", Some("text"))]).await;
        for text in [
            "\"",
            "\"plain",
            "plain\"",
            "'",
            "plain'",
            "plain''",
            "*",
            "plain*",
            "plain**",
            "+plain",
            "-plain",
            "-",
            "plain -",
            "(plain",
            "plain)",
            "()",
            "plain AND",
            "AND plain",
            "OR",
            "NOT plain",
            "NEAR(plain text)",
            "title:plain",
            ":",
            "^plain",
            "{title}: plain",
            "plain & !text",
            "plain <-> text",
            "plain:*",
            "plain\\",
            "\\",
            "~plain",
            "<plain",
            ">plain",
            "@plain",
            "plain@1",
            "%",
            "_",
            "plain;--",
            "/*plain*/",
            "$1",
            "?",
            "\u{FEFF}plain",
            "plain\u{301}",
        ] {
            let answer = kitchen.get(query("/essays", [("q", text)])).await;
            assert!(matches!(answer.status(), 200 | 422), "{text}: {}", answer.text());
        }
        for text in ["(plain text)", "\"plain text\"", "plain* AND*", "+plain"] {
            let expected = usize::from(!text.contains("AND"));
            assert_eq!(found(kitchen, text).await.len(), expected, "{text}");
        }
    });
}

#[test]
fn a_text_has_a_word_and_at_most_ten() {
    on_kitchen(async |kitchen| {
        for text in ["", " ", "--", "\"*\""] {
            let problem = kitchen.get(query("/essays", [("q", text)])).await.problem("validation_failed");
            assert_eq!(problem.only().at, "parameter q");
        }
        for text in ["a ".repeat(11), "a".repeat(201)] {
            kitchen.get(query("/essays", [("q", text)])).await.problem("validation_failed");
        }
        kitchen.get("/essays?q=a&q=b").await.problem("validation_failed");
        kitchen.get(query("/essays", [("q", "a ".repeat(10))])).await.ok();
        let problem = kitchen.get("/notes?q=a").await.problem("validation_failed");
        assert_eq!(problem.only().code, "unknown_parameter");
    });
}

#[test]
fn a_search_stands_beside_filters_orders_pages_and_cursors() {
    on_kitchen(async |kitchen| {
        let bodies =
            (0..9).map(|n| json!({ "title": format!("word {n}"), "grade": n % 3, "body": (n != 4).then_some("more") }));
        create_all(kitchen, "/essays", bodies).await;
        let list = kitchen.get("/essays?q=word+more&grade=1&sort=-title").await.ok();
        assert_eq!((column(&list, "title"), &list["total"]), (vec![json!("word 7"), json!("word 1")], &json!(2)));
        let by_body = json!({ "q": "word more", "where": { "grade": 1 }, "sort": ["-title"] });
        let searched = kitchen.post("/essays/search", &by_body).await.ok();
        assert_eq!(searched["data"], list["data"]);
        let first = kitchen.get("/essays?q=more&sort=title&limit=5").await.ok();
        let cursor = first["next_cursor"].as_str().expect("a cursor");
        let next = kitchen.get(format!("/essays?q=more&sort=title&limit=5&cursor={cursor}")).await.ok();
        let titles = [column(&first, "title"), column(&next, "title")].concat();
        assert_eq!(titles, ["word 0", "word 1", "word 2", "word 3", "word 5", "word 6", "word 7", "word 8"]);
        kitchen.get(format!("/essays?q=word&sort=title&limit=5&cursor={cursor}")).await.problem("cursor_invalid");
        kitchen.get(format!("/essays?sort=title&limit=5&cursor={cursor}")).await.problem("cursor_invalid");
        let problem = kitchen.post("/essays/search", &json!({ "q": 5 })).await.problem("validation_failed");
        assert_eq!(problem.only().at, "pointer /q");
    });
}

#[test]
fn a_search_follows_every_change() {
    on_kitchen(async |kitchen| {
        let ids = write(kitchen, [("one", Some("alpha")), ("two", Some("beta"))]).await;
        kitchen.put(format!("/essays/{}", ids[0]), &json!({ "body": "gamma" })).await.ok();
        assert_eq!(found(kitchen, "alpha").await, [""; 0]);
        assert_eq!(found(kitchen, "gamma").await, ["one"]);
        kitchen.put(format!("/essays/{}", ids[0]), &json!({ "body": null })).await.ok();
        assert_eq!(found(kitchen, "gamma").await, [""; 0]);
        kitchen.delete(format!("/essays/{}", ids[1])).await.ok();
        assert_eq!(found(kitchen, "beta").await, [""; 0], "a deleted record is not found");
        let deleted = kitchen.get("/essays?q=beta&only_deleted=true").await.ok();
        assert_eq!(column(&deleted, "title"), ["two"]);
        kitchen.put(format!("/essays/{}", ids[1]), &json!({ "body": "delta" })).await.ok();
        let restored = kitchen.request(Method::POST, "/essays/restore?q=delta").await.ok();
        assert_eq!(restored, json!({ "restored": 1 }));
        assert_eq!(found(kitchen, "delta").await, ["two"]);
        kitchen.delete(format!("/essays/{}", ids[1])).await.ok();
        assert_eq!(kitchen.delete("/essays/deleted?q=beta").await.ok(), json!({ "deleted": 0 }));
        assert_eq!(kitchen.delete("/essays/deleted?q=delta").await.ok(), json!({ "deleted": 1 }));
        assert_eq!(column(&kitchen.get("/essays?q=delta&include_deleted=true").await.ok(), "title"), [""; 0]);
        write(kitchen, [("three", Some("delta"))]).await;
        assert_eq!(found(kitchen, "delta").await, ["three"], "the index is as good as new");
    });
}

#[test]
fn records_without_numbers_for_keys_are_searched_too() {
    on_kitchen(async |kitchen| {
        for verses in ["The roses are red", "Violets are blue"] {
            kitchen.post("/poems", &json!({ "verses": verses })).await.created();
        }
        let found = async |text: &str| kitchen.get(query("/poems", [("q", text)])).await.ok();
        assert_eq!(column(&found("roses red").await, "verses"), ["The roses are red"]);
        assert_eq!(column(&found("the roses").await, "verses"), ["The roses are red"], "a stop word is no condition");
        assert!(!found("the").await.as_array().expect("a list").is_empty(), "a stop word alone finds what holds it");
        let searched = kitchen.post("/poems/search", &json!({ "q": "violets" })).await.ok();
        assert_eq!(column(&searched, "verses"), ["Violets are blue"]);
    });
}

#[test]
fn a_store_searches() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Essay>().resource::<Poem>().migrate().await.expect("tables");
        let essays = service.store::<Essay>();
        for (title, grade) in [("A desk lamp", 1), ("A lamp", 2), ("A desk", 3)] {
            let new = NewEssay { title: title.to_owned(), body: None, grade: Some(grade) };
            essays.create(new).await.expect("an essay");
        }
        service.store::<Poem>().create(NewPoem { text: "A lamp".to_owned() }).await.expect("a poem");
        let titles = async |query: Select<Essay>| {
            let found = essays.list(query.order_by(Essay::FIELDS.title.asc())).await.expect("a list");
            found.into_iter().map(|essay| essay.title).collect::<Vec<_>>()
        };
        assert_eq!(titles(Select::all().search("lamp")).await, ["A desk lamp", "A lamp"]);
        assert_eq!(titles(Essay::FIELDS.grade.gt(1).search("LAMP")).await, ["A lamp"]);
        assert_eq!(titles(Select::all().search("lamp").search("des")).await, ["A desk lamp"]);
        assert_eq!(titles(Select::all().search(" ")).await, [""; 0], "a text without words finds nothing");
        assert_eq!(essays.count(Select::all().search("desk")).await.expect("a count"), 2);
        assert_eq!(service.store::<Poem>().count(Select::all().search("lam")).await.expect("a count"), 1);
    });
}

#[test]
fn removal_with_the_record_that_is_referred_to_leaves_the_index_sound() {
    #[derive(Debug, Clone, Resource)]
    #[crud(table = "authors")]
    struct Author {
        id: i64,
        name: String,
    }
    #[derive(Debug, Clone, Resource)]
    #[crud(table = "letters", search(text))]
    struct Letter {
        id: i64,
        text: String,
        #[crud(references(Author, on_delete(cascade)))]
        author_id: i64,
    }
    on_each_transactional_backend(async |database| {
        let service = database.service().await.resource::<Author>().resource::<Letter>();
        let service = service.migrate().await.expect("the tables");
        let (authors, letters) = (service.store::<Author>(), service.store::<Letter>());
        for text in ["alpha beta", "alpha gamma"] {
            let author = authors.create(NewAuthor { name: text.to_owned() }).await.expect("an author");
            letters.create(NewLetter { text: text.to_owned(), author_id: author.id }).await.expect("a letter");
        }
        let count = async |text: &str| letters.count(Select::all().search(text)).await.expect("a count");
        assert_eq!((count("alpha").await, count("beta").await), (2, 1));
        authors.delete_one(1).await.expect("the author is removed");
        assert_eq!((count("alpha").await, count("beta").await, count("gamma").await), (1, 0, 1));
        letters.create(NewLetter { text: "beta".to_owned(), author_id: 2 }).await.expect("a letter");
        assert_eq!(count("beta").await, 1);
    });
}
