//! [`Server`]: a generated program, over HTTP.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::Value;

use crate::project::Project;

/// The program of a project, serving.
pub(crate) struct Server {
    program: Child,
    url: String,
    /// Output before it listened.
    pub(crate) said: Vec<String>,
    /// Output since.
    later: Receiver<String>,
    /// Headers of its requests.
    pub(crate) token: Option<String>,
}

impl Server {
    /// Starts it where it finds `crud.toml`, with this environment.
    pub(crate) fn start(project: &Project, variables: &[(&str, &str)]) -> Self {
        let mut command = project.program();
        command.envs(variables.iter().copied()).stdout(Stdio::piped());
        let mut program = command.spawn().expect("the program starts");
        let mut log = BufReader::new(program.stdout.take().expect("its log")).lines().map_while(Result::ok);
        let mut said = Vec::new();
        let url = log.find_map(|line| {
            let url = line.split_once("listening on ").map(|(_, url)| url.to_owned());
            said.push(line);
            url
        });
        let (sender, later) = channel();
        std::thread::spawn(move || log.for_each(|line| sender.send(line).unwrap_or_default()));
        Self { program, url: url.expect("it listens"), said, later, token: None }
    }

    /// The next line of its log that has this text.
    pub(crate) fn line_with(&self, text: &str) -> String {
        loop {
            let line =
                self.later.recv_timeout(Duration::from_mins(1)).unwrap_or_else(|_| panic!("{text} is in no line"));
            if line.contains(text) {
                return line;
            }
        }
    }

    /// The lines of its log before it listened, each as `LEVEL text`, and that it listens.
    pub(crate) fn logged(&self) -> Vec<String> {
        let line = |said: &String| {
            let (level, rest) = said.split_once(' ')?.1.trim_start().split_once(' ')?;
            let text = rest.split_once(": ")?.1.replace(&self.url, "ADDRESS");
            ["WARN", "INFO"].contains(&level).then(|| format!("{level} {text}"))
        };
        self.said.iter().filter_map(line).collect()
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let mut request = agent().post(self.url.clone() + path);
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        answer(request.send_json(body))
    }

    pub(crate) fn get(&self, path: &str) -> (u16, Value) {
        answer(agent().get(self.url.clone() + path).call())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.program.kill().expect("the program is there");
        self.program.wait().expect("it ends");
    }
}

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder().http_status_as_error(false).build().into()
}

fn answer(response: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> (u16, Value) {
    let mut response = response.expect("an answer");
    let text = response.body_mut().read_to_string().expect("a text");
    let value = if text.is_empty() { Value::Null } else { serde_json::from_str(&text).expect("JSON") };
    (response.status().as_u16(), value)
}
