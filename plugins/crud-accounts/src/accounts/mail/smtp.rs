//! [`Smtp`]: mail by SMTP.

use crud_runtime::adapter::BoxFuture;
use crud_runtime::{BoxError, Error, Result};
use lettre::message::Mailbox;
use lettre::message::header::ContentType;
use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};

use super::mailer::{Mail, Mailer};

/// Sends mails by an SMTP server.
pub(crate) struct Smtp {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
}

impl Smtp {
    /// A mailer by the URL of a server, such as `smtps://user:password@mail.example` or
    /// `smtp://user:password@mail.example:587?tls=required`.
    ///
    /// # Errors
    /// [`Error::Setup`] for an invalid URL, one of another machine without TLS, and an invalid sender. The error
    /// repeats neither: the URL has a password.
    pub(crate) fn new(url: &str, from: &str) -> Result<Self> {
        let refuse = |what: &str| Error::Setup(format!("`{what}` of `[accounts]`"));
        let from = from.parse().map_err(|_| refuse("from` must be an address, such as `Shop <shop@example.com>"))?;
        let is_tls = url.starts_with("smtps://") || url.contains("tls=required");
        let is_here = ["localhost", "127.0.0.1", "[::1]"].iter().any(|host| is_host(url, host));
        if !is_tls && !is_here {
            return Err(refuse("smtp` needs TLS: `smtps://…`, or `smtp://…?tls=required"));
        }
        let transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(url);
        let transport =
            transport.map_err(|_| refuse("smtp` must be a URL such as `smtps://user:password@mail.example"))?;
        Ok(Self { transport: transport.build(), from })
    }
}

/// Whether a URL has this host.
fn is_host(url: &str, host: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let place = authority.rsplit('@').next().unwrap_or_default();
    place.strip_prefix(host).is_some_and(|port| port.is_empty() || port.starts_with(':'))
}

impl Mailer for Smtp {
    fn send<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, Result<(), BoxError>> {
        Box::pin(async move {
            let message = Message::builder().from(self.from.clone()).to(mail.to.parse()?).subject(&mail.subject);
            let message = message.header(ContentType::TEXT_PLAIN).body(mail.text.clone())?;
            self.transport.send(message).await?;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
    use tokio::net::TcpListener;

    use super::*;

    /// An SMTP server (RFC 5321) that accepts one mail and returns its text.
    async fn sink(listener: TcpListener) -> String {
        let mut stream = BufReader::new(listener.accept().await.unwrap().0);
        stream.write_all(b"220 sink\r\n").await.unwrap();
        let (mut line, mut mail, mut is_text) = (String::new(), String::new(), false);
        while stream.read_line(&mut line).await.unwrap() > 0 {
            let answer = match line.trim_end() {
                "." if is_text => {
                    is_text = false;
                    "250 taken\r\n"
                }
                _ if is_text => {
                    mail.push_str(&line);
                    ""
                }
                "DATA" => {
                    is_text = true;
                    "354 go on\r\n"
                }
                "QUIT" => break,
                _ => "250 sink\r\n",
            };
            stream.write_all(answer.as_bytes()).await.unwrap();
            line.clear();
            if mail.ends_with(END) && !is_text {
                break;
            }
        }
        mail
    }

    /// The last line of the mail.
    const END: &str = "the end\r\n";

    #[tokio::test]
    async fn mail_arrives_at_a_server() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let smtp = Smtp::new(&format!("smtp://{}", listener.local_addr().unwrap()), "Shop <shop@example.com>").unwrap();
        let taken = tokio::spawn(sink(listener));
        let text = "https://shop.example/account/verify#0123456789abcdef\n\nthe end\n".to_owned();
        let mail = Mail { to: "ann@example.com".to_owned(), subject: "Gr\u{fc}\u{df}e from Shop".to_owned(), text };
        smtp.send(&mail).await.unwrap();
        let taken = taken.await.unwrap();
        for expected in ["To: ann@example.com\r\n", "From: Shop <shop@example.com>\r\n", "verify#0123456789abcdef\r\n"]
        {
            assert!(taken.contains(expected), "{taken}");
        }
        assert!(taken.contains("Subject: =?utf-8?") && taken.is_ascii(), "{taken}");
    }

    #[tokio::test]
    async fn password_crosses_no_network_without_tls() {
        for (url, is_admitted) in [
            ("smtps://user:secret@mail.example", true),
            ("smtp://user:secret@mail.example:587?tls=required", true),
            ("smtp://localhost:1025", true),
            ("smtp://127.0.0.1:1025", true),
            ("smtp://mail.example", false),
            ("smtp://mail.example?tls=opportunistic", false),
            ("smtp://localhost.example", false),
            ("smtp://localhost:1@mail.example", false),
            ("smtps://", false),
            ("mail.example", false),
        ] {
            assert_eq!(Smtp::new(url, "shop@example.com").is_ok(), is_admitted, "{url}");
        }
        let error = Smtp::new("smtp://user:secret@mail.example", "shop@example.com").err().unwrap().to_string();
        assert!(!error.contains("secret"), "{error}");
        assert!(Smtp::new("smtp://localhost:1025", "shop").is_err());
    }
}
