//! Answers of a later daemon: nothing fails, and nothing is lost that this version knows.

#[rustfmt::skip]
#[path = "future/answers.rs"]
mod answers;
#[path = "support/daemon.rs"]
mod daemon;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::Serialize;
use serde_json::Value;
use sessiond_client::types::*;
use sessiond_client::{Client, Error, ErrorKind, Raw, Update};

/// Reads an answer and writes it again.
pub(crate) type Again = fn(&str) -> Result<Value, serde_json::Error>;

pub(crate) fn again<T: DeserializeOwned + Serialize>(
    text: &str,
) -> Result<Value, serde_json::Error> {
    let value: T = serde_json::from_str(text)?;
    serde_json::to_value(value)
}

async fn soon<T>(future: impl std::future::Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), future)
        .await
        .expect("it takes too long")
}

fn protocol(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../protocol")
        .join(name)
}

fn future() -> Value {
    let text = std::fs::read_to_string(protocol("future/answers.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Without what was added.
fn known(value: &Value) -> Value {
    match value {
        Value::Object(members) => members
            .iter()
            .filter(|(name, _)| *name != "addedLater")
            .map(|(name, each)| (name.clone(), known(each)))
            .collect(),
        Value::Array(items) => items.iter().map(known).collect(),
        _ => value.clone(),
    }
}

#[test]
fn what_is_known_of_an_answer_stays() {
    let future = future();
    let mut seen = BTreeSet::new();
    let mut check = |method: &str, value: &Value| {
        let Some((name, again)) = answers::ANSWERS.iter().find(|(name, _)| *name == method) else {
            return;
        };
        seen.insert(*name);
        let got = again(&value.to_string()).unwrap_or_else(|error| panic!("{method}: {error}"));
        assert_eq!(known(&got), known(value), "{method}");
    };
    for answer in future["answers"].as_array().unwrap() {
        for method in answer["methods"].as_array().unwrap() {
            check(method.as_str().unwrap(), &answer["result"]);
        }
    }
    for told in future["notifications"].as_array().unwrap() {
        check(told["method"].as_str().unwrap(), &told["params"]);
    }
    assert_eq!(seen.len(), answers::ANSWERS.len());
}

#[test]
fn entries_of_an_unknown_type_keep_their_text() {
    let future = future();
    let answers = future["answers"].as_array().unwrap();
    let branch = answers
        .iter()
        .find(|each| each["methods"][0] == "session/getBranch")
        .expect("there is a branch");
    let read: EntriesResult = serde_json::from_value(branch["result"].clone()).unwrap();
    let entries: Vec<Entry> = read.entries.iter().map(|entry| entry.read()).collect();
    let unknown = entries.iter().filter(
        |each| matches!(each, Entry::Unknown(raw) if raw.member::<Raw>("addedLater").is_some()),
    );
    assert_eq!(unknown.count(), 1);
    let roles = read.entries.iter().filter_map(|entry| match entry.read() {
        Entry::Message(found) => Some(found.message.read()),
        _ => None,
    });
    assert!(roles
        .into_iter()
        .any(|each| matches!(each, Message::Unknown(_))));
}

#[tokio::test]
async fn a_later_daemon_is_a_daemon() {
    let options = daemon::options()
        .program("python3")
        .arg(protocol("tests/future_daemon.py"));
    let client = Client::spawn(options).await.unwrap();
    let subscribed = client.gateway_subscribe(GatewaySubscribeParams::new());
    let mut subscription = soon(subscribed).await.unwrap();
    let Some(Update::Changed(told)) = soon(subscription.next()).await else {
        panic!("it reports a change");
    };
    assert_eq!(told.changes[0].kind, ChangeKind::Added);
    assert_eq!(told.changes[1].kind, "addedLater");
    for (index, error) in future()["errors"].as_array().unwrap().iter().enumerate() {
        let opened = soon(client.open(format!("error: {index}"))).await;
        let Err(Error::Daemon(failure)) = opened else {
            panic!("{error}");
        };
        assert_eq!(failure.code, error["code"].as_i64().unwrap());
        let kind = error["data"]["kind"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let unknown = failure.kind == ErrorKind::Other { kind };
        assert_eq!(unknown, failure.code == 1999, "{error}");
    }
    for mode in ["native", "addedLater"] {
        assert_eq!(soon(client.daemon_status()).await.unwrap().watch.mode, mode);
    }
    client.close().await.unwrap();
}
