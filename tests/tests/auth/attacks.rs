//! Forged, altered and expired tokens.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use crud_tests::Api;
use jsonwebtoken::{Algorithm, Header, get_current_timestamp};
use serde_json::{Value, json};

use crate::support::{
    SECRET, auth, claims, claims_with, encode_part, login, on_service, part, profile, refresh, secret_key, sign,
    sign_with,
};

/// Checks that a token is rejected with the specified texts.
async fn assert_invalid(api: &Api, token: &str) {
    let answer = profile(api, token).await.expect(401);
    assert!(answer.require("www-authenticate").contains("error=\"invalid_token\""));
    assert_eq!(answer.problem("invalid_token").detail, "invalid token", "{token}");
    assert_eq!(refresh(api, token).await.expect(401).problem("refresh_failed").detail, "invalid token", "{token}");
}

async fn assert_expired(api: &Api, claims: &Value) {
    let answer = profile(api, &sign(claims)).await.expect(401);
    assert!(answer.require("www-authenticate").contains("error_description=\"token expired\""));
    assert_eq!(answer.problem("token_expired").detail, "token expired", "{claims}");
}

#[test]
fn correctly_forged_token_is_accepted() {
    // The baseline: each attack below changes one thing in it.
    on_service(auth, async |api, _| {
        profile(api, &sign(&claims())).await.ok();
    });
}

#[test]
fn unsigned_token_is_rejected() {
    on_service(auth, async |api, _| {
        let claims = encode_part(&claims());
        let signed = login(api).await.access;
        let signature = signed.rsplit('.').next().expect("a signature");
        for algorithm in ["none", "None", "NONE", "nOnE", "", "HS1", "hs256", "null"] {
            let header = encode_part(&json!({ "typ": "JWT", "alg": algorithm }));
            for signature in ["", signature] {
                assert_invalid(api, &format!("{header}.{claims}.{signature}")).await;
            }
        }
        for header in
            [json!({ "typ": "JWT" }), json!({ "alg": null }), json!({ "alg": ["HS256"] }), json!([]), json!(1)]
        {
            assert_invalid(api, &format!("{}.{claims}.{signature}", encode_part(&header))).await;
        }
    });
}

#[test]
fn algorithm_is_taken_from_the_key_not_the_token() {
    on_service(auth, async |api, _| {
        for algorithm in [Algorithm::HS384, Algorithm::HS512] {
            let key = secret_key(SECRET);
            assert_invalid(api, &sign_with(&Header::new(algorithm), &claims(), &key)).await;
        }
    });
}

#[test]
fn token_signed_with_another_secret_is_rejected() {
    on_service(auth, async |api, _| {
        for secret in ["", "secret", "another secret of the tests, which no key uses", &SECRET[1..]] {
            let key = secret_key(secret);
            assert_invalid(api, &sign_with(&Header::new(Algorithm::HS256), &claims(), &key)).await;
        }
    });
}

#[test]
fn token_type_is_checked() {
    on_service(auth, async |api, _| {
        let tokens = login(api).await;
        profile(api, &tokens.refresh).await.expect(401).problem("invalid_token");
        refresh(api, &tokens.access).await.expect(401).problem("refresh_failed");
        for kind in [json!(null), json!("Access"), json!("id"), json!(""), json!(1), json!(["access"])] {
            let mut claims = claims_with(&json!({ "type": null }));
            if !kind.is_null() {
                claims["type"] = kind;
            }
            assert_invalid(api, &sign(&claims)).await;
        }
    });
}

#[test]
fn configured_issuer_and_audience_are_required() {
    on_service(
        || auth().issuer("shop").audience("web"),
        async |api, _| {
            profile(api, &sign(&claims_with(&json!({ "iss": "shop", "aud": "web" })))).await.ok();
            profile(api, &sign(&claims_with(&json!({ "iss": "shop", "aud": ["app", "web"] })))).await.ok();
            let bad = [
                json!({ "iss": null, "aud": "web" }),
                json!({ "iss": "shop", "aud": null }),
                json!({ "iss": "Shop", "aud": "web" }),
                json!({ "iss": "shop.evil.example", "aud": "web" }),
                json!({ "iss": 1, "aud": "web" }),
                json!({ "iss": "shop", "aud": "app" }),
                json!({ "iss": "shop", "aud": [] }),
                json!({ "iss": "shop", "aud": ["we", "b"] }),
                json!({ "iss": "shop", "aud": { "web": true } }),
            ];
            for changes in bad {
                assert_invalid(api, &sign(&claims_with(&changes))).await;
            }
        },
    );
}

#[test]
fn token_with_an_audience_is_rejected_without_a_configured_one() {
    on_service(auth, async |api, _| {
        assert_invalid(api, &sign(&claims_with(&json!({ "aud": "another service" })))).await;
    });
}

#[test]
fn token_expires_at_its_exp_second() {
    on_service(auth, async |api, _| {
        let now = get_current_timestamp();
        for exp in [now, now - 1, now - 59, now - 86_400, 1] {
            assert_expired(api, &claims_with(&json!({ "exp": exp }))).await;
        }
        profile(api, &sign(&claims_with(&json!({ "exp": now + 30 })))).await.ok();
    });
}

#[test]
fn times_must_be_numbers() {
    on_service(auth, async |api, _| {
        for exp in [json!(null), json!("9999999999"), json!(-1), json!(true), json!([9_999_999_999_u64]), json!({})] {
            let mut claims = claims();
            claims["exp"] = exp;
            assert_invalid(api, &sign(&claims)).await;
        }
        assert_invalid(api, &sign(&claims_with(&json!({ "exp": null })))).await;
        assert_invalid(api, &sign(&claims_with(&json!({ "exp": 1e300 })))).await;
        assert_invalid(api, &sign(&claims_with(&json!({ "nbf": "soon" })))).await;
    });
}

#[test]
fn leeway_applies_to_exp_and_nbf() {
    on_service(
        || auth().leeway(std::time::Duration::from_mins(1)),
        async |api, _| {
            let now = get_current_timestamp();
            profile(api, &sign(&claims_with(&json!({ "exp": now - 30, "nbf": now + 30 })))).await.ok();
            assert_expired(api, &claims_with(&json!({ "exp": now - 90 }))).await;
            assert_invalid(api, &sign(&claims_with(&json!({ "nbf": now + 120 })))).await;
        },
    );
}

#[test]
fn token_is_rejected_before_nbf() {
    on_service(auth, async |api, _| {
        let now = get_current_timestamp();
        assert_invalid(api, &sign(&claims_with(&json!({ "nbf": now + 30 })))).await;
        profile(api, &sign(&claims_with(&json!({ "nbf": now - 1 })))).await.ok();
    });
}

#[test]
fn subject_must_be_nonempty_text() {
    on_service(auth, async |api, _| {
        for sub in [json!(""), json!(1), json!(null), json!(["1"]), json!("a\u{0}b")] {
            let mut claims = claims();
            claims["sub"] = sub;
            assert_invalid(api, &sign(&claims)).await;
        }
        assert_invalid(api, &sign(&claims_with(&json!({ "sub": null })))).await;
    });
}

#[test]
fn duplicate_claims_are_rejected() {
    on_service(auth, async |api, _| {
        let now = get_current_timestamp();
        let claims = format!(
            r#"{{"sub":"1","sub":"2","roles":[],"roles":["admin"],"iat":{now},"exp":{},"type":"access"}}"#,
            now + 600
        );
        let header = encode_part(&json!({ "typ": "JWT", "alg": "HS256" }));
        let message = format!("{header}.{}", URL_SAFE_NO_PAD.encode(claims));
        let key = secret_key(SECRET);
        let signature = jsonwebtoken::crypto::sign(message.as_bytes(), &key, Algorithm::HS256).expect("a signature");
        assert_invalid(api, &format!("{message}.{signature}")).await;
    });
}

#[test]
fn token_altered_in_any_character_is_rejected() {
    on_service(auth, async |api, _| {
        let token = login(api).await.access;
        for (index, byte) in token.bytes().enumerate().filter(|(_, byte)| *byte != b'.').step_by(3) {
            let mut changed = token.clone().into_bytes();
            changed[index] = if byte == b'A' { b'B' } else { b'A' };
            assert_invalid(api, &String::from_utf8(changed).expect("ASCII")).await;
        }
        // The last character of a signature has two padding bits: they must be unchanged too.
        let last = token.as_bytes()[token.len() - 1];
        for other in (b'A'..=b'Z').chain(b'a'..=b'z').chain(b'0'..=b'9').filter(|other| *other != last) {
            let changed = format!("{}{}", &token[..token.len() - 1], char::from(other));
            assert_invalid(api, &changed).await;
        }
    });
}

#[test]
fn claims_of_another_token_are_rejected() {
    on_service(auth, async |api, _| {
        let token = login(api).await.access;
        let [header, _, signature] = token.split('.').collect::<Vec<_>>()[..] else { panic!("three parts") };
        let mut claims = part(&token, 1);
        claims["roles"] = json!(["admin"]);
        assert_invalid(api, &format!("{header}.{}.{signature}", encode_part(&claims))).await;
        let other = sign(&claims_with(&json!({ "sub": "2" })));
        let other_claims = other.split('.').nth(1).expect("claims");
        assert_invalid(api, &format!("{header}.{other_claims}.{signature}")).await;
    });
}

#[test]
fn truncated_or_extended_token_is_rejected() {
    on_service(auth, async |api, _| {
        let token = login(api).await.access;
        for end in [1, 10, token.len() / 2, token.len() - 43, token.len() - 44, token.len() - 2, token.len() - 1] {
            assert_invalid(api, &token[..end]).await;
        }
        let [header, claims, signature] = token.split('.').collect::<Vec<_>>()[..] else { panic!("three parts") };
        let changed = [
            format!("{token}."),
            format!("{token}.{signature}"),
            format!(".{token}"),
            format!("{header}..{signature}"),
            format!(".{claims}.{signature}"),
            format!("{header}.{claims}"),
            format!("{token}A"),
            format!("{token}="),
            "..".to_owned(),
            ".".to_owned(),
        ];
        for token in changed {
            assert_invalid(api, &token).await;
        }
    });
}

#[test]
fn unknown_critical_headers_are_rejected() {
    on_service(auth, async |api, _| {
        for critical in [json!(["b64"]), json!(["exp"]), json!(["x"]), json!([])] {
            let mut header = Header::new(Algorithm::HS256);
            header.crit = serde_json::from_value(critical).expect("a list");
            let key = secret_key(SECRET);
            assert_invalid(api, &sign_with(&header, &claims(), &key)).await;
        }
    });
}

#[test]
fn key_in_a_token_header_is_ignored() {
    on_service(auth, async |api, _| {
        let own = "a secret of the attacker, sent in the header";
        let mut header = Header::new(Algorithm::HS256);
        header.jku = Some("https://evil.example/keys.json".to_owned());
        header.x5u = Some("https://evil.example/chain.pem".to_owned());
        header.jwk =
            serde_json::from_value(json!({ "kty": "oct", "k": URL_SAFE_NO_PAD.encode(own), "alg": "HS256" })).ok();
        assert!(header.jwk.is_some());
        assert_invalid(api, &sign_with(&header, &claims(), &secret_key(own))).await;
    });
}
