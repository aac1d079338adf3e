//! The client after an unexpected end of the daemon.

mod support;

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;

use sessiond_client::types::*;
use sessiond_client::{Change, Client, Error, Nullable, Options, Session, Update};
use support::{soon, Folder};
use tokio::task::JoinSet;

async fn kill(client: &Client) {
    let pid = client.daemon_status().await.unwrap().pid.to_string();
    assert!(Command::new("kill")
        .args(["-9", &pid])
        .status()
        .unwrap()
        .success());
}

fn lines(path: &str) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(Path::new(path)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Ids and parents, without the header.
fn chain(path: &str) -> Vec<(String, Option<String>)> {
    let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
    lines(path)[1..]
        .iter()
        .map(|line| (text(&line["id"]).unwrap(), text(&line["parentId"])))
        .collect()
}

async fn leaf(session: &Session) -> Option<String> {
    session.get_leaf_id().await.unwrap().leaf_id
}

#[tokio::test]
async fn appends_of_clients_that_share_a_daemon_are_in_the_file_once_each() {
    const CLIENTS: usize = 5;
    const APPENDS: usize = 20;
    let folder = Folder::new();
    let path = folder.session();
    // The path of a socket must be short.
    let runtime = format!("/tmp/sd{}", std::process::id());
    std::fs::create_dir_all(&runtime).unwrap();
    let mut writers = Vec::new();
    for _ in 0..CLIENTS {
        let options = folder
            .options()
            .env("XDG_RUNTIME_DIR", &runtime)
            .env("SESSIOND_IDLE_EXIT", "0.1")
            .shared(true);
        let client = Client::spawn(options).await.unwrap();
        let session = client.open(&path).await.unwrap();
        writers.push((client, session));
    }
    let status = writers[0].0.daemon_status().await.unwrap();
    assert_eq!(status.shared, Some(true));
    let acknowledged = Arc::new(AtomicUsize::new(0));
    let mut writing = JoinSet::new();
    for (number, (client, session)) in writers.into_iter().enumerate() {
        let acknowledged = Arc::clone(&acknowledged);
        writing.spawn(async move {
            for count in 0..APPENDS {
                let message = UserMessage::text(format!("{number}-{count}"));
                session.append_message(message).await.unwrap();
                if matches!(acknowledged.fetch_add(1, Ordering::Relaxed), 30 | 60) {
                    kill(&client).await;
                }
            }
        });
    }
    while let Some(written) = soon(writing.join_next()).await {
        written.unwrap();
    }
    let mut found: Vec<String> = lines(&path)[3..]
        .iter()
        .map(|line| line["message"]["content"].as_str().unwrap().to_owned())
        .collect();
    let mut expected: Vec<String> = (0..CLIENTS)
        .flat_map(|number| (0..APPENDS).map(move |count| format!("{number}-{count}")))
        .collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    std::fs::remove_dir_all(&runtime).unwrap();
}

#[tokio::test]
async fn sessions_are_open_again_where_they_were() {
    let folder = Folder::new();
    let path = folder.session();
    let client = folder.client().await;
    let branched = client.open(&path).await.unwrap();
    branched.branch("u1").await.unwrap();
    let reset = client.open(&path).await.unwrap();
    reset.reset_leaf().await.unwrap();
    let plain = client.open(&path).await.unwrap();
    let reading = client
        .open(OpenParams::new(&path).read_only(true))
        .await
        .unwrap();
    let following = client
        .open(OpenParams::new(&path).follow(true))
        .await
        .unwrap();
    let closed = client.open(&path).await.unwrap();
    closed.close().await.unwrap();
    let mut updates = plain.changes();

    kill(&client).await;
    assert_eq!(soon(leaf(&branched)).await.as_deref(), Some("u1"));
    assert_eq!(leaf(&reset).await, None);
    assert_eq!(leaf(&plain).await.as_deref(), Some("a1"));
    assert!(reading.state().read_only);
    let refused = reading
        .append_message(UserMessage::text("x"))
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("read"), "{refused}");
    assert_eq!(client.daemon_status().await.unwrap().open_sessions, 5);
    assert!(
        matches!(soon(updates.next()).await, Some(Change::Reconnected(state)) if state.entry_count == 2)
    );

    let appended = branched
        .append_message(UserMessage::text("more"))
        .await
        .unwrap();
    assert_eq!(appended.parent_id.as_deref(), Some("u1"));
    assert!(matches!(
        soon(updates.next()).await,
        Some(Change::Appended(_))
    ));
    assert_eq!(leaf(&following).await, Some(appended.id.clone()));
    assert_eq!(leaf(&plain).await.as_deref(), Some("a1"));

    kill(&client).await;
    assert_eq!(leaf(&branched).await, Some(appended.id));
}

#[tokio::test]
async fn a_session_whose_file_is_another_session_is_lost() {
    let folder = Folder::new();
    let path = folder.session();
    let client = folder.client().await;
    let session = client.open(&path).await.unwrap();
    let pid = client.daemon_status().await.unwrap().pid.to_string();
    let stopped = Command::new("kill").args(["-STOP", &pid]).status();
    assert!(stopped.unwrap().success());
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace(r#""id":"test""#, r#""id":"other""#)).unwrap();
    let killed = Command::new("kill").args(["-9", &pid]).status();
    assert!(killed.unwrap().success());
    let error = soon(session.get_entry_count()).await.unwrap_err();
    assert!(
        matches!(&error, Error::SessionLost { reason, .. } if reason.contains("another session")),
        "{error}"
    );
    assert_eq!(client.daemon_status().await.unwrap().open_sessions, 0);
}

#[tokio::test]
async fn a_session_whose_close_was_not_answered_is_closed() {
    for moment in ["before", "after"] {
        let folder = Folder::new();
        let options = folder.crashing("session/close", moment, 1, true);
        let client = Client::spawn(options).await.unwrap();
        let session = client.open(folder.session()).await.unwrap();
        soon(session.close()).await.unwrap();
        let late = session.get_leaf_id().await;
        assert!(matches!(late, Err(Error::SessionClosed)), "{late:?}");
        let status = soon(client.daemon_status()).await.unwrap();
        assert_eq!(status.open_sessions, 0);
    }
}

#[tokio::test]
async fn a_session_dropped_while_it_is_opened_again_is_closed() {
    let folder = Folder::new();
    let options = folder.crashing("session/open", "late", 0, true);
    let client = Client::spawn(options).await.unwrap();
    let session = client.open(folder.session()).await.unwrap();
    let opened = || {
        let log = std::fs::read_to_string(folder.path("log")).unwrap();
        log.matches("session/open").count()
    };
    assert_eq!(opened(), 1);
    std::fs::write(folder.path("fuse"), "").unwrap();
    kill(&client).await;
    soon(async {
        while opened() < 2 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    drop(session);
    std::fs::remove_file(folder.path("fuse")).unwrap();
    soon(async {
        while client.daemon_status().await.unwrap().open_sessions != 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_subscription_begins_again_with_a_snapshot() {
    let folder = Folder::new();
    let client = folder.client().await;
    let here = folder.path("").to_str().unwrap().to_owned();
    let params = CatalogSubscribeParams::new().session_dir(here);
    let mut catalogue = client.catalog_subscribe(params).await.unwrap();
    kill(&client).await;
    let Some(Update::Reconnected(snapshot)) = soon(catalogue.next()).await else {
        panic!("no snapshot");
    };
    assert!(snapshot.sessions.is_empty());
    folder.session();
    assert!(matches!(
        soon(catalogue.next()).await,
        Some(Update::Changed(_))
    ));
}

#[tokio::test]
async fn an_append_whose_answer_was_lost_is_written_once() {
    for moment in ["before", "after"] {
        let folder = Folder::new();
        let path = folder.session();
        let options = folder.crashing("session/appendMessage", moment, 1, true);
        let client = Client::spawn(options).await.unwrap();
        let session = client.open(&path).await.unwrap();
        let appended = soon(session.append_message(UserMessage::text("once")))
            .await
            .unwrap();
        assert_eq!(appended.parent_id.as_deref(), Some("a1"));
        assert_eq!(leaf(&session).await, Some(appended.id.clone()));
        assert_eq!(chain(&path)[2..], [(appended.id, Some("a1".to_owned()))]);
    }
}

#[tokio::test]
async fn a_summary_whose_answer_was_lost_is_the_leaf_without_a_repair() {
    let folder = Folder::new();
    let path = folder.session();
    let options = folder.crashing("session/branchWithSummary", "after", 1, true);
    let client = Client::spawn(options).await.unwrap();
    let session = client.open(&path).await.unwrap();
    let params = BranchWithSummaryParams::new("u1".to_owned(), "left");
    let summary = soon(session.branch_with_summary(params)).await.unwrap();
    assert_eq!(summary.existed, Some(true));
    assert_eq!(leaf(&session).await, Some(summary.id));
    let log = std::fs::read_to_string(folder.path("log")).unwrap();
    assert!(!log.contains(r#""session/branch""#), "{log}");
}

#[tokio::test]
async fn calls_under_way_keep_their_order() {
    for (moment, at) in [("before", 1), ("after", 2), ("before", 3)] {
        let folder = Folder::new();
        let path = folder.session();
        let options = folder.crashing("session/appendMessage", moment, at, true);
        let client = Client::spawn(options).await.unwrap();
        let session = client.open(&path).await.unwrap();
        session.branch("u1").await.unwrap();
        let append = |text: &str| session.append_message(UserMessage::text(text));
        let summary = BranchWithSummaryParams::new(Nullable::Null.into_value(), "left");
        let (a, b, s, c) = soon(async {
            tokio::join!(
                append("a"),
                append("b"),
                session.branch_with_summary(summary),
                append("c")
            )
        })
        .await;
        let [a, b, s, c] = [a, b, s, c].map(Result::unwrap);
        let expected = [
            (a.id.clone(), Some("u1".to_owned())),
            (b.id, Some(a.id)),
            (s.id.clone(), None),
            (c.id.clone(), Some(s.id)),
        ];
        assert_eq!(chain(&path)[2..], expected, "{moment} {at}");
        assert_eq!(leaf(&session).await, Some(c.id));
    }
}

#[tokio::test]
async fn what_cannot_be_done_twice_fails_and_says_so() {
    let folder = Folder::new();
    let options = folder.crashing("session/newSession", "after", 1, true);
    let client = Client::spawn(options).await.unwrap();
    let session = client.open(folder.session()).await.unwrap();
    // The later call depended on it.
    let (created, appended) = soon(async {
        tokio::join!(
            session.new_session(NewSessionParams::new()),
            session.append_message(UserMessage::text("x"))
        )
    })
    .await;
    for error in [
        created.map(drop).unwrap_err(),
        appended.map(drop).unwrap_err(),
    ] {
        assert!(matches!(error, Error::Interrupted { .. }), "{error}");
    }
    assert_eq!(session.get_entry_count().await.unwrap().count, 2);
}

#[tokio::test]
async fn what_was_in_no_file_is_lost() {
    let folder = Folder::new();
    let client = folder.client().await;
    let memory = client
        .in_memory(InMemoryParams::new().cwd("/w"))
        .await
        .unwrap();
    let mut updates = memory.changes();
    let empty = client.create("/w").await.unwrap();
    let unwritten = client.create("/w").await.unwrap();
    unwritten.append_session_info("name").await.unwrap();
    // Its leaf is that of an empty session.
    let reset = client.create("/w").await.unwrap();
    reset.append_session_info("name").await.unwrap();
    reset.reset_leaf().await.unwrap();
    kill(&client).await;
    for session in [&memory, &unwritten, &reset] {
        let error = soon(session.get_leaf_id()).await.unwrap_err();
        assert!(matches!(error, Error::SessionLost { .. }), "{error}");
    }
    assert!(matches!(soon(updates.next()).await, Some(Change::Lost(_))));
    assert!(soon(updates.next()).await.is_none());
    let appended = empty
        .append_message(UserMessage::text("first"))
        .await
        .unwrap();
    assert!(appended.written);
    let file = empty.state().session_file.clone().unwrap();
    assert_eq!(lines(&file)[0]["cwd"], "/w");
}

#[tokio::test]
async fn a_call_the_daemon_dies_of_fails_in_the_end() {
    let folder = Folder::new();
    let options = folder.crashing("daemon/status", "before", 1, false);
    let client = Client::spawn(options.restarts(10)).await.unwrap();
    let session = client.open(folder.session()).await.unwrap();
    let Err(Error::Crashed { status, log }) = soon(client.daemon_status()).await else {
        panic!("it always crashes");
    };
    assert_eq!(
        (status.as_str(), log.as_str()),
        ("exit status: 3", "the proxy crashes")
    );
    assert_eq!(session.get_entry_count().await.unwrap().count, 2);
}

#[tokio::test]
async fn a_daemon_that_only_crashes_is_given_up() {
    let folder = Folder::new();
    let path = folder.session();
    let options = folder.crashing("session/open", "before", 2, false);
    let client = Client::spawn(options.restarts(2)).await.unwrap();
    let session = client.open(&path).await.unwrap();
    let mut updates = session.changes();
    let other = soon(client.open(&path)).await;
    assert!(other.is_err());
    let _ = (
        soon(client.daemon_status()).await,
        session.get_leaf_id().await,
    );
    let never = Client::spawn(
        folder
            .crashing("session/open", "before", 1, false)
            .restarts(0),
    );
    let never = never.await.unwrap();
    assert!(matches!(
        soon(never.open(&path)).await,
        Err(Error::Crashed { .. })
    ));
    assert!(matches!(
        never.open(&path).await,
        Err(Error::Crashed { .. })
    ));
    assert!(matches!(
        soon(never.wait()).await.error,
        Some(Error::Crashed { .. })
    ));
    drop(never);
    drop(client);
    while soon(updates.next()).await.is_some() {}
}

#[tokio::test]
async fn a_change_right_after_a_restart_follows_the_new_state() {
    let folder = Folder::new();
    let options = folder.crashing("session/open", "change", 0, true);
    let client = Client::spawn(options).await.unwrap();
    let session = client.open(folder.session()).await.unwrap();
    let mut changes = session.changes();
    assert!(soon(changes.next()).await.is_some());
    kill(&client).await;
    let Some(Change::Reconnected(state)) = soon(changes.next()).await else {
        panic!("the new state comes first");
    };
    assert_eq!(state.entry_count, 2);
    let Some(Change::Appended(change)) = soon(changes.next()).await else {
        panic!("the change follows");
    };
    assert_eq!(change.entry_count, 3);
}

#[tokio::test]
async fn a_change_in_one_write_with_the_answer_to_open_is_kept() {
    let folder = Folder::new();
    let options = folder.crashing("session/open", "change", 0, true);
    let client = Client::spawn(options).await.unwrap();
    let session = client.open(folder.session()).await.unwrap();
    session.get_entry_count().await.unwrap();
    let change = soon(session.changes().next()).await;
    assert!(matches!(change, Some(Change::Appended(_))), "{change:?}");
}

#[tokio::test]
async fn three_crashes_in_a_row_are_the_limit() {
    let folder = Folder::new();
    let options = folder.crashing("session/open", "before", 1, false);
    let client = Client::spawn(options).await.unwrap();
    let error = soon(client.open(folder.session())).await.unwrap_err();
    assert!(matches!(error, Error::Crashed { .. }), "{error}");
    soon(client.wait()).await;
    let log = std::fs::read_to_string(folder.path("log")).unwrap();
    assert_eq!(log.matches(r#""initialize""#).count(), 3);
}

#[tokio::test]
async fn a_client_that_is_closed_while_the_daemon_is_down_ends() {
    let folder = Folder::new();
    let options: Options = folder.options();
    let client = Client::spawn(options).await.unwrap();
    kill(&client).await;
    soon(client.close()).await.unwrap();
    assert!(matches!(client.daemon_status().await, Err(Error::Closed)));
}
