//! `like` and `ilike`, whose only wildcard is `%`.

use std::time::Duration;

use crud_tests::fixtures::{column, create_all, dense_with};
use crud_tests::{Client, on_kitchen, query, within};
use serde_json::{Value, json};

async fn texts(kitchen: &Client, texts: &[&str]) {
    create_all(kitchen, "/dense", texts.iter().map(|text| dense_with("text", json!(text)))).await;
}

async fn matching(kitchen: &Client, operator: &str, pattern: &str) -> Vec<Value> {
    let target = query("/dense", [(format!("text__{operator}").as_str(), pattern), ("sort", "text")]);
    column(&kitchen.get(target).await.ok(), "text")
}

#[test]
fn percent_matches_any_text() {
    on_kitchen(async |kitchen| {
        texts(kitchen, &["", "a", "ab", "abc", "b", "line\nbreak"]).await;
        assert_eq!(matching(kitchen, "like", "a%").await, ["a", "ab", "abc"]);
        assert_eq!(matching(kitchen, "like", "%b").await, ["ab", "b"]);
        assert_eq!(matching(kitchen, "like", "%b%").await, ["ab", "abc", "b", "line\nbreak"]);
        assert_eq!(matching(kitchen, "like", "a%c").await, ["abc"]);
        assert_eq!(matching(kitchen, "like", "%%").await.len(), 6);
        assert_eq!(matching(kitchen, "like", "line%break").await, ["line\nbreak"]);
    });
}

#[test]
fn pattern_without_percent_matches_the_whole_text() {
    on_kitchen(async |kitchen| {
        texts(kitchen, &["", "a", "ab", "ba"]).await;
        assert_eq!(matching(kitchen, "like", "a").await, ["a"]);
        assert_eq!(matching(kitchen, "like", "").await, [""]);
    });
}

#[test]
fn other_characters_match_themselves() {
    on_kitchen(async |kitchen| {
        let odd = ["a_b", "axb", "a\\b", "a\\%b", "a*b", "a?b", "a[x]b", "a.b", "a'b", "a^b", "a$b"];
        texts(kitchen, &odd).await;
        for text in odd.into_iter().filter(|text| !text.contains('%')) {
            let expected = if text == "a\\b" { vec!["a\\b"] } else { vec![text] };
            assert_eq!(matching(kitchen, "like", text).await, expected, "{text}");
            assert_eq!(matching(kitchen, "ilike", text).await, expected, "{text}");
        }
        assert_eq!(matching(kitchen, "like", "a\\%b").await, ["a\\%b", "a\\b"], "a backslash is not an escape");
    });
}

#[test]
fn like_is_case_sensitive_and_ilike_is_not() {
    on_kitchen(async |kitchen| {
        texts(kitchen, &["ABC", "Abc", "abc", "xyz"]).await;
        assert_eq!(matching(kitchen, "like", "abc").await, ["abc"]);
        assert_eq!(matching(kitchen, "like", "A%").await, ["ABC", "Abc"]);
        assert_eq!(matching(kitchen, "ilike", "abc").await, ["ABC", "Abc", "abc"]);
        assert_eq!(matching(kitchen, "ilike", "%B%").await, ["ABC", "Abc", "abc"]);
    });
}

#[test]
fn patterns_match_characters_not_bytes() {
    on_kitchen(async |kitchen| {
        texts(kitchen, &["Grüße", "世界", "😀!"]).await;
        assert_eq!(matching(kitchen, "like", "Gr%ße").await, ["Grüße"]);
        assert_eq!(matching(kitchen, "like", "%界").await, ["世界"]);
        assert_eq!(matching(kitchen, "ilike", "😀%").await, ["😀!"]);
        assert_eq!(matching(kitchen, "like", "Gr%\u{308}%").await, [""; 0]);
    });
}

#[test]
fn many_wildcards_are_fast() {
    on_kitchen(async |kitchen| {
        texts(kitchen, &["a".repeat(2_000).as_str()]).await;
        // Matched by trying every split, it would take days.
        let pattern = format!("{}b", "%a".repeat(10));
        let matching = within(Duration::ZERO, "a pattern", matching(kitchen, "like", &pattern)).await;
        assert_eq!(matching, [""; 0]);
    });
}
