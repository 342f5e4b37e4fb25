//! Addresses that receivers may have.

use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use crud_events::Webhooks;
use crud_runtime::testing::Test;
use crud_tests::{Database, on_each_sql_backend};
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::receiver::RawReceiver;
use crate::shop::{admin, make, try_out, with_webhooks};

/// The certificate of `localhost`, which is its own authority.
const CERTIFICATE: &str = include_str!("../../../../tests/tests/auth/keys/tls-certificate.pem");
const PRIVATE_KEY: &str = include_str!("../../../../tests/tests/auth/keys/tls-private.pem");

async fn with(database: &Database, webhooks: Webhooks) -> Test {
    admin(&with_webhooks(database.service().await, webhooks).test().await.expect("the service"))
}

async fn nothing(stream: TcpStream) {
    drop(stream);
}

/// A name that leads to a public address first, and to loopback later.
#[test]
fn name_that_leads_to_an_inner_address_is_not_connected() {
    on_each_sql_backend(async |database| {
        let inner = RawReceiver::start("", nothing).await;
        let answers = Arc::new(Mutex::new(Vec::<Vec<&str>>::new()));
        let (script, asked) = (answers.clone(), Arc::new(Mutex::new(0)));
        let count = asked.clone();
        let webhooks = Webhooks::new().allow_port(inner.address().port()).resolve(move |_| {
            *count.lock().expect("a number") += 1;
            let next = script.lock().expect("the answers").pop().unwrap_or_default();
            let next: Vec<IpAddr> = next.into_iter().map(|it| it.parse().expect("an address")).collect();
            async move { Ok(next) }
        });
        let test = with(database, webhooks).await;
        let made = make(&test, &format!("https://partner.example:{}/", inner.address().port()), &[]).await;
        for address in [
            "127.0.0.1",
            "::1",
            "::ffff:127.0.0.1",
            "0.0.0.0",
            "::",
            "10.1.2.3",
            "169.254.169.254",
            "fd00:ec2::254",
            "64:ff9b::7f00:1",
        ] {
            *asked.lock().expect("a number") = 0;
            // A second look-up would get the answer of an attacker.
            *answers.lock().expect("the answers") = vec![vec!["127.0.0.1"], vec!["127.0.0.1"], vec![address]];
            let sent = try_out(&test, &made).await;
            assert_eq!(
                (&sent["status"], &sent["error"]),
                (&json!("pending"), &json!("the host has no address of the internet")),
                "{address}"
            );
            assert_eq!(*asked.lock().expect("a number"), 1, "{address}: one look-up for an attempt");
            let parked = "UPDATE events_delivery SET next_attempt_at = NULL";
            database.execute(parked).await;
        }
        assert_eq!(inner.connections(), 0);
    });
}

/// A receiver with TLS on loopback, which answers with 200.
async fn tls_receiver() -> (u16, tokio::task::JoinHandle<()>) {
    let certificate = CertificateDer::from_pem_slice(CERTIFICATE.as_bytes()).expect("a certificate");
    let key = PrivateKeyDer::from_pem_slice(PRIVATE_KEY.as_bytes()).expect("its key");
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().expect("versions of TLS").with_no_client_auth();
    let config = config.with_single_cert(vec![certificate], key).expect("a certificate with its key");
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let port = listener.local_addr().expect("the port's address").port();
    let server = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await;
            let _ = stream.flush().await;
            // The client ends the connection.
            let mut rest = Vec::new();
            let _ = tokio::io::AsyncReadExt::read_to_end(&mut stream, &mut rest).await;
        }
    });
    (port, server)
}

#[test]
fn certificate_is_that_of_the_name_in_the_url() {
    on_each_sql_backend(async |database| {
        let (port, server) = tls_receiver().await;
        let webhooks = || {
            let webhooks = Webhooks::new().resolve(async |_| Ok(vec![[127, 0, 0, 1].into()]));
            ["localhost", "partner.example", "127.0.0.1"]
                .iter()
                .fold(webhooks, |all, host| all.allow_http_to(format!("{host}:{port}")))
        };
        let test = with(database, webhooks().root_certificate(CERTIFICATE)).await;
        for (host, status) in [("localhost", "delivered"), ("127.0.0.1", "delivered"), ("partner.example", "pending")] {
            let made = make(&test, &format!("https://{host}:{port}/"), &[]).await;
            let sent = try_out(&test, &made).await;
            assert_eq!(sent["status"], status, "{sent}");
        }
        drop(test);
        let test = with(database, webhooks()).await;
        let made = make(&test, &format!("https://localhost:{port}/"), &[]).await;
        let sent = try_out(&test, &made).await;
        assert!(sent["error"].as_str().is_some_and(|error| error.contains("certificate")), "{sent}");
        server.abort();
    });
}

#[test]
fn option_that_cannot_be_read_is_an_error_at_start() {
    on_each_sql_backend(async |database| {
        let start = async |webhooks: Webhooks| {
            let service = database.service().await;
            let events = crud_events::Events::new().webhooks(webhooks);
            service.plugin(events).expect_err("an error").to_string()
        };
        assert!(start(Webhooks::new().allow_http_to("http://relay/")).await.contains("expected a host"));
        assert!(start(Webhooks::new().root_certificate("none")).await.contains("not a certificate"));
    });
}
