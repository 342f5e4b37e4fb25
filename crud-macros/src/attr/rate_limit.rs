//! The grammar of `rate_limit`: `100, per = "1m"`.

use std::time::Duration;

use syn::LitInt;

use super::entry::{self, Entry};
use crate::ctxt::Ctxt;
use crate::key::{AttributeKey, RateLimitKey};

#[derive(Debug, Clone, Copy)]
pub(crate) struct RateLimit {
    pub(crate) requests: u32,
    pub(crate) per: Duration,
}

/// The longest window of a limit of requests: a day, in seconds.
const LONGEST_WINDOW: u32 = 86_400;

pub(super) fn parse(entry: &Entry, cx: &Ctxt) -> Option<RateLimit> {
    let (mut numbers, mut entries) = (Vec::new(), Vec::new());
    entry::separated(entry.list(cx)?.clone(), cx, |input| {
        if input.peek(LitInt) {
            numbers.push(input.parse::<LitInt>()?);
        } else {
            entries.extend(entry::parse(input, RateLimitKey::PLACE, cx)?);
        }
        Ok(())
    });
    let mut window = None;
    for (key, entry) in entry::keyed(entries, cx) {
        match key {
            RateLimitKey::Per => window = Some(seconds(&entry, cx)),
        }
    }
    let ([number], Some(window)) = (numbers.as_slice(), window) else {
        entry.refuse(cx);
        return None;
    };
    let requests = number.base10_parse().ok().filter(|requests| *requests > 0);
    if requests.is_none() {
        cx.error(number.span(), "expected a number of requests from `1` to `4_294_967_295`");
    }
    Some(RateLimit { requests: requests?, per: Duration::from_secs(window?.into()) })
}

/// A duration such as `"30s"`, `"1m"`, `"2h"` or `"1d"` in seconds, at most a day.
fn seconds(entry: &Entry, cx: &Ctxt) -> Option<u32> {
    let text = entry.text(cx)?;
    let units = [("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400)];
    let seconds = units.iter().find_map(|(unit, seconds)| {
        let number: u32 = text.value.strip_suffix(unit)?.parse().ok()?;
        number.checked_mul(*seconds)
    });
    let seconds = seconds.filter(|seconds| (1..=LONGEST_WINDOW).contains(seconds));
    if seconds.is_none() {
        cx.error(text.span, "expected a window from `\"1s\"` to `\"1d\"`, such as `\"30s\"`, `\"1m\"` or `\"2h\"`");
    }
    seconds
}
