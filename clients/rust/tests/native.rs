//! What a user of Rust expects: streams of pages, timeouts, an end that is an end.

mod support;

use std::future::Future;
use std::process::Command;
use std::time::Duration;

use sessiond_client::types::*;
use sessiond_client::{Change, Client, Error, Event};
use support::{soon, Folder};

fn signal(name: &str, pid: i64) {
    let status = Command::new("kill").args([name, &pid.to_string()]).status();
    assert!(status.unwrap().success());
}

#[tokio::test]
async fn pages_are_requested_as_they_are_read() {
    let folder = Folder::new();
    let client = folder.client().await;
    let session = client.open(folder.session()).await.unwrap();
    let mut entries = session.entries_with(GetEntriesParams::new().limit(1));
    let mut ids = Vec::new();
    while let Some(entry) = soon(entries.next()).await {
        ids.extend(entry.unwrap().id());
    }
    assert_eq!(ids, ["u1", "a1"]);
    assert!(entries.next().await.is_none());

    let before = client.daemon_status().await.unwrap().requests;
    let mut left = session.entries_with(GetEntriesParams::new().limit(1));
    assert!(soon(left.next()).await.is_some());
    drop(left);
    let after = client.daemon_status().await.unwrap().requests;
    assert_eq!(after - before, 2); // one page, and the status itself

    let cwd = folder.path("w").to_str().unwrap().to_owned();
    for _ in 0..2 {
        let created = client.create(&cwd).await.unwrap();
        created
            .append_message(UserMessage::text("needle"))
            .await
            .unwrap();
    }
    let mut listed = client.sessions_of(ListParams::new(&cwd).limit(1));
    let mut all = client.sessions_with(ListAllParams::new().limit(1));
    let mut found = client.search(CatalogSearchParams::new("needle").limit(1));
    for _ in 0..2 {
        let info = soon(listed.next()).await.unwrap().unwrap();
        assert_eq!(info.cwd, cwd);
        assert!(soon(all.next()).await.unwrap().is_ok());
        let hit = soon(found.next()).await.unwrap().unwrap();
        assert_eq!(hit.info.cwd, cwd);
    }
    assert!(listed.next().await.is_none() && all.next().await.is_none());
    assert!(found.next().await.is_none());

    let mut refused = client.sessions();
    client.close().await.unwrap();
    assert!(matches!(refused.next().await, Some(Err(Error::Closed))));
    assert!(refused.next().await.is_none());
}

#[tokio::test]
async fn after_close_everything_says_closed() {
    let folder = Folder::new();
    let client = folder.client().await;
    let session = client.open(folder.session()).await.unwrap();
    let mut changes = session.changes();
    let (closed, ended) = tokio::join!(client.close(), async {
        // The daemon is still there, but it must not be asked.
        tokio::task::yield_now().await;
        client.daemon_status().await
    });
    assert_eq!(closed.unwrap().status.unwrap().code(), Some(0));
    assert!(matches!(ended, Err(Error::Closed)), "{ended:?}");
    let ended = session.get_leaf_id().await;
    assert!(matches!(ended, Err(Error::Closed)), "{ended:?}");
    let ended = client.create("/w").await;
    assert!(matches!(ended, Err(Error::Closed)), "{ended:?}");
    assert!(changes.next().await.is_none());
    client.close().await.unwrap();
}

#[tokio::test]
async fn a_call_ends_after_its_timeout() {
    let folder = Folder::new();
    let options = folder.options().timeout(Duration::from_secs(5));
    let client = Client::spawn(options).await.unwrap();
    let pid = client.daemon_status().await.unwrap().pid;
    signal("-STOP", pid);
    let late = soon(client.daemon_status()).await;
    signal("-CONT", pid);
    assert!(
        matches!(&late, Err(Error::Timeout { method }) if method == "daemon/status"),
        "{late:?}"
    );
    client.daemon_status().await.unwrap();
}

/// Wait until the daemon has closed everything that was opened.
async fn all_closed(client: &Client) {
    soon(async {
        while client.daemon_status().await.unwrap().open_sessions != 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn what_a_cancelled_call_opens_late_is_closed() {
    let folder = Folder::new();
    let client = folder.client().await;
    let (stored, pid) = (folder.session(), client.daemon_status().await.unwrap().pid);
    let now = client.with_timeout(Duration::ZERO);
    let open = format!(r#"{{"path":{stored:?}}}"#);
    signal("-STOP", pid); // so that the answers are late
    let late = now.open(&stored).await;
    assert!(matches!(late, Err(Error::Timeout { .. })), "{late:?}");
    let late = now.create(folder.path("w").to_str().unwrap()).await;
    assert!(matches!(late, Err(Error::Timeout { .. })), "{late:?}");
    let late = now.call_text("session/open", Some(&open)).await;
    assert!(matches!(late, Err(Error::Timeout { .. })), "{late:?}");
    signal("-CONT", pid);
    all_closed(&client).await;
    // The answer of this one has arrived, but is not read any more.
    let opening = client.open(&stored);
    let mut opening = Box::pin(opening);
    std::future::poll_fn(|context| {
        assert!(opening.as_mut().poll(context).is_pending());
        std::task::Poll::Ready(())
    })
    .await;
    client.daemon_status().await.unwrap();
    drop(opening);
    all_closed(&client).await;
}

#[test]
fn when_its_runtime_has_ended_everything_says_closed() {
    let runtime = |threads| {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        builder.worker_threads(threads).enable_all();
        builder.build().unwrap()
    };
    let single = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    for first in [single.unwrap(), runtime(2)] {
        let folder = Folder::new();
        let (client, session, mut changes, pid) = first.block_on(async {
            let client = folder.client().await;
            let session = client.open(folder.session()).await.unwrap();
            let pid = client.daemon_status().await.unwrap().pid;
            let changes = session.changes();
            (client, session, changes, pid)
        });
        let (mut told, mut events) = (client.notifications(), client.events());
        let second = runtime(1);
        signal("-STOP", pid); // so that the call is in flight
        let (other, (sent, waiting)) = (client.clone(), std::sync::mpsc::channel());
        let in_flight = second.spawn(async move {
            let mut status = Box::pin(other.daemon_status());
            std::future::poll_fn(|context| {
                assert!(status.as_mut().poll(context).is_pending());
                std::task::Poll::Ready(())
            })
            .await;
            sent.send(()).unwrap();
            status.await
        });
        waiting.recv().unwrap();
        drop(first);
        signal("-CONT", pid);
        second.block_on(async {
            let ended = soon(in_flight).await.unwrap();
            assert!(matches!(ended, Err(Error::Closed)), "{ended:?}");
            let ended = soon(client.daemon_status()).await;
            assert!(matches!(ended, Err(Error::Closed)), "{ended:?}");
            let ended = soon(session.get_leaf_id()).await;
            assert!(matches!(ended, Err(Error::Closed)), "{ended:?}");
            let ended = soon(client.open(folder.session())).await;
            assert!(matches!(ended, Err(Error::Closed)), "{ended:?}");
            assert!(matches!(
                client.notify_text("initialized", None),
                Err(Error::Closed)
            ));
            let mut entries = session.entries();
            let ended = soon(entries.next()).await;
            assert!(matches!(ended, Some(Err(Error::Closed))), "{ended:?}");
            assert!(soon(changes.next()).await.is_none());
            assert!(soon(told.next()).await.is_none());
            assert!(soon(events.next()).await.is_none());
            let ended = soon(client.wait()).await;
            assert!(matches!(ended.error, Some(Error::Closed)), "{ended:?}");
        });
        // Where no runtime is left.
        drop(second);
        let mut close = std::pin::pin!(client.close());
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        let closed = close.as_mut().poll(&mut context);
        assert!(
            matches!(closed, std::task::Poll::Ready(Ok(_))),
            "{closed:?}"
        );
    }
}

#[tokio::test]
async fn a_session_whose_file_is_gone_after_a_crash_is_lost() {
    let folder = Folder::new();
    let client = folder.client().await;
    let path = folder.session();
    let session = client.open(&path).await.unwrap();
    let (mut changes, mut events) = (session.changes(), client.events());
    let pid = client.daemon_status().await.unwrap().pid;
    signal("-STOP", pid); // so that it cannot report the removal
    std::fs::remove_file(&path).unwrap();
    signal("-KILL", pid);
    let Some(Event::Reconnected(reconnection)) = soon(events.next()).await else {
        panic!("a reconnection");
    };
    assert!(
        matches!(&reconnection.lost[..], [Error::SessionLost { path: Some(gone), .. }] if *gone == path)
    );
    assert!(matches!(reconnection.cause, Error::Crashed { .. }));
    assert!(matches!(soon(changes.next()).await, Some(Change::Lost(_))));
    assert!(changes.next().await.is_none());
    assert_eq!(client.daemon_status().await.unwrap().open_sessions, 0);
}

#[tokio::test]
async fn a_client_that_gives_up_is_lost() {
    let folder = Folder::new();
    let client = Client::spawn(folder.options().restarts(0)).await.unwrap();
    let mut events = client.events();
    signal("-KILL", client.daemon_status().await.unwrap().pid);
    assert!(matches!(
        soon(events.next()).await,
        Some(Event::Lost(Error::Crashed { .. }))
    ));
    assert!(events.next().await.is_none());
}

#[test]
fn the_readme_shows_the_quick_start() {
    let program = include_str!("../examples/quickstart.rs");
    let (_, program) = program.split_once("\n\n").unwrap();
    assert!(include_str!("../README.md").contains(program));
}
