//! Invalid parameters of a list are all reported at once, each with the legal form.

use crud_tests::http::{on_kitchen, on_shop};
use crud_tests::{Problem, query};

#[test]
fn unknown_parameter_is_reported_with_the_nearest_name() {
    on_shop(async |shop| {
        for (wrong, near) in [
            ("prise", "price"),
            ("name__lik", "name__like"),
            ("Name", "name"),
            ("price_gt", "price__gt"),
            ("ofset", ""),
            ("limt", "limit"),
            ("catgory_id__in", "category_id__in"),
        ] {
            let problem = shop.get(query("/products", [(wrong, "1")])).await.problem("validation_failed");
            assert_eq!(problem.parameters(), [wrong]);
            assert!(problem.only().detail.contains(near), "{near} in {problem}");
        }
    });
}

#[test]
fn error_of_an_unfilterable_field_lists_the_filterable_ones() {
    on_shop(async |shop| {
        for parameter in ["description", "description__like", "updated_at__gt", "is_deleted"] {
            let problem = shop.get(query("/products", [(parameter, "1")])).await.problem("validation_failed");
            assert_eq!(problem.parameters(), [parameter]);
            for filterable in ["id", "name", "price", "stock", "category_id"] {
                assert!(problem.only().detail.contains(filterable), "{filterable} in {problem}");
            }
        }
    });
}

#[test]
fn value_of_the_wrong_type_is_rejected() {
    on_kitchen(async |kitchen| {
        let wrong: [(&str, &[&str]); 14] = [
            ("flag", &["1", "True", "yes", ""]),
            ("small", &["x", "1.0", "+1", "01", "1e1", "", "40000", "-32769"]),
            ("medium", &["2147483648", "0x10", "--1"]),
            ("large", &["9223372036854775808", "-9223372036854775809", "1_000"]),
            ("unsigned", &["-1", "4294967296"]),
            ("single", &["x", "NaN", "inf", "1e39", ""]),
            ("double", &["x", "NaN", "nan", "inf", "-Infinity", "1e999", "1,5", "0x1p3"]),
            ("instant", &["2026-01-31", "now", "2026-01-31T23:59:59", "2026-02-30T00:00:00Z", "1769903999"]),
            ("day", &["2026-02-30", "31.01.2026", "2026-1-1"]),
            ("time", &["24:00:00", "9:30", "23:59:60"]),
            ("local", &["2026-01-31T23:59:59Z", "2026-01-31"]),
            ("uuid", &["x", "0192f0c17a5b7c3d8e4f5a6b7c8d9e0f", "{0192f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f}"]),
            ("decimal", &["x", "1e2e3", "NaN", ""]),
            ("priority", &["high", "Urgent", "0"]),
        ];
        for (field, values) in wrong {
            for value in values {
                let list = format!("{field}__in");
                // A comma is valid in a list.
                let parameters = [field.to_owned(), list].into_iter().take(if value.contains(',') { 1 } else { 2 });
                for parameter in parameters {
                    let target = query("/sparse", [(&parameter, value)]);
                    let problem = kitchen.get(target).await.problem("validation_failed");
                    assert_eq!(problem.parameters(), [&parameter], "{value:?}");
                }
            }
        }
    });
}

#[test]
fn nul_in_a_text_value_is_rejected() {
    on_kitchen(async |kitchen| {
        for parameter in ["text", "text__like", "text__in", "text__gt"] {
            let problem = kitchen.get(format!("/sparse?{parameter}=a%00b")).await.problem("validation_failed");
            assert_eq!(problem.parameters(), [parameter]);
        }
    });
}

#[test]
fn error_of_an_enum_value_lists_the_legal_values() {
    on_kitchen(async |kitchen| {
        let problem = kitchen.get("/sparse?priority=high").await.problem("validation_failed");
        for variant in ["Low", "Normal", "High"] {
            assert!(problem.only().detail.contains(variant), "{problem}");
        }
    });
}

#[test]
fn isnull_is_true_or_false() {
    on_kitchen(async |kitchen| {
        for value in ["", "1", "TRUE", "null"] {
            let problem = kitchen.get(query("/sparse", [("text__isnull", value)])).await.problem("validation_failed");
            assert_eq!(problem.parameters(), ["text__isnull"], "{value:?}");
        }
    });
}

#[test]
fn malformed_sort_is_rejected() {
    on_shop(async |shop| {
        for sort in [
            "",
            ",",
            "name,",
            ",name",
            "-",
            "--name",
            "+name",
            "name,name",
            "name,-name",
            "stock",
            "nme",
            "Name",
            "id ",
        ] {
            let problem = shop.get(query("/products", [("sort", sort)])).await.problem("validation_failed");
            assert!(problem.parameters().iter().all(|parameter| *parameter == "sort"), "{sort:?}: {problem}");
        }
    });
}

#[test]
fn error_of_an_unknown_sort_field_lists_the_sortable_ones() {
    on_shop(async |shop| {
        let problem = shop.get("/products?sort=-prise").await.problem("validation_failed");
        for sortable in ["name", "price", "created_at"] {
            assert!(problem.only().detail.contains(sortable), "{sortable} in {problem}");
        }
    });
}

#[test]
fn repeated_control_parameter_is_rejected() {
    on_shop(async |shop| {
        for parameters in ["sort=name&sort=-name", "skip=1&skip=1", "limit=1&limit=2"] {
            let problem = shop.get(format!("/products?{parameters}")).await.problem("validation_failed");
            let name = parameters.split('=').next().expect("a name");
            assert_eq!(problem.parameters(), [name]);
        }
    });
}

#[test]
fn parameters_of_disabled_features_are_unknown() {
    on_kitchen(async |kitchen| {
        for target in ["/bare?limit=1", "/bare?skip=1", "/bare?sort=id", "/bare?name=x", "/entries?limit=1"] {
            kitchen.get(target).await.problem("validation_failed");
        }
        for parameter in ["include_deleted", "only_deleted"] {
            let problem = kitchen.get(format!("/dense?{parameter}=true")).await.problem("validation_failed");
            assert_eq!(problem.parameters(), [parameter]);
        }
    });
}

#[test]
fn every_error_of_a_query_is_reported_at_once() {
    on_shop(async |shop| {
        let target =
            "/products?prise=1&limit=0&skip=-1&sort=nme&price=cheap&name__gtt=x&stock__isnull=true&description=x";
        let problem: Problem = shop.get(target).await.problem("validation_failed");
        let expected = ["description", "limit", "name__gtt", "price", "prise", "skip", "sort", "stock__isnull"];
        assert_eq!(problem.parameters(), expected);
        assert!(problem.detail.ends_with("(and 7 more errors)"), "{problem}");
    });
}
