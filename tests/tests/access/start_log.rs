//! Log lines of a service when it starts.

use crud_runtime::Service;
use crud_tests::log_lines;

/// The lines of a service's start that contain a text, each after its level.
pub(crate) fn start_log(service: &Service, text: &str) -> Vec<String> {
    let mut lines = log_lines(|| drop(service.state().expect("the service starts")));
    lines.retain(|line| line.contains(text));
    lines
}
