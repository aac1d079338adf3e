//! The client with a real daemon.

mod support;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use sessiond_client::types::*;
use sessiond_client::{Change, Client, Error, ErrorKind, Json, Nullable, Options, Raw, Update};
use support::{daemon, soon, Folder, ASSISTANT, HEADER, USER};

#[tokio::test]
async fn a_session_is_listed_opened_appended_to_and_watched() {
    let folder = Folder::new();
    let path = folder.session();
    let client = folder.client().await;
    let listed = client.list(ListParams::new("/w").session_dir(folder.path("").to_str().unwrap()));
    let listed = listed.await.unwrap();
    assert_eq!(
        (listed.total, listed.sessions[0].path.as_str()),
        (1, path.as_str())
    );

    let session = client.open(&listed.sessions[0].path).await.unwrap();
    let mut updates = session.changes();
    let other = client.open(&path).await.unwrap();
    let appended = other
        .append_message(UserMessage::text("more"))
        .await
        .unwrap();
    assert_eq!(appended.parent_id.as_deref(), Some("a1"));
    assert!(appended.written);

    let Some(Change::Appended(change)) = soon(updates.next()).await else {
        panic!("no change");
    };
    assert_eq!(change.kind, SessionDidChangeKind::Appended);
    assert_eq!(change.tip_id, Some(appended.id.clone()));
    assert_eq!(change.entries.unwrap()[0].id, appended.id);
    assert_eq!(
        session.get_leaf_id().await.unwrap().leaf_id.as_deref(),
        Some("a1")
    );

    drop(other);
    session.close().await.unwrap();
    assert!(soon(updates.next()).await.is_none());
    assert!(matches!(
        session.get_leaf_id().await,
        Err(Error::SessionClosed)
    ));
    assert_eq!(client.daemon_status().await.unwrap().open_sessions, 0);
    let ended = client.close().await.unwrap();
    assert_eq!(ended.status.unwrap().code(), Some(0));
    assert!(matches!(client.daemon_status().await, Err(Error::Closed)));
}

#[tokio::test]
async fn the_last_changes_wait_for_a_reader_who_is_slow() {
    const CHANGES: i64 = 1100;
    let folder = Folder::new();
    let path = folder.session();
    let client = folder.client().await;
    let session = client.open(&path).await.unwrap();
    let (mut early, mut late, mut read) = (session.changes(), session.changes(), session.changes());
    let other = client.open(&path).await.unwrap();
    for _ in 0..CHANGES {
        let message = UserMessage::text("x");
        soon(other.append_message(message)).await.unwrap();
        soon(read.next()).await.unwrap();
    }
    for changes in [&mut early, &mut late] {
        let mut numbers = Vec::new();
        while let Some(Change::Appended(change)) = changes.try_next() {
            numbers.push(change.sequence);
        }
        assert_eq!(numbers, (CHANGES - 1023..=CHANGES).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn notifications_before_the_first_listener_are_kept() {
    let folder = Folder::new();
    let path = folder.session();
    let client = folder.client().await;
    let session = client.open(&path).await.unwrap();
    let other = client.open(&path).await.unwrap();
    let mut all = client.notifications();
    for text in ["one", "two"] {
        other.append_message(UserMessage::text(text)).await.unwrap();
    }
    let mut count = 0;
    while count < 2 {
        let told = soon(all.next()).await.unwrap();
        if let Notification::SessionDidChange(change) = told.read() {
            assert_eq!(change.session, session.handle());
            count += change.entries.unwrap().len();
        }
    }
    let mut updates = session.changes();
    let Some(Change::Appended(change)) = updates.try_next() else {
        panic!("it was told already");
    };
    assert_eq!(change.kind, SessionDidChangeKind::Appended);
}

#[tokio::test]
async fn a_catalogue_is_subscribed_to() {
    let folder = Folder::new();
    let client = folder.client().await;
    let here = folder.path("").to_str().unwrap().to_owned();
    let params = CatalogSubscribeParams::new().session_dir(here);
    let mut catalogue = client.catalog_subscribe(params).await.unwrap();
    assert!(catalogue.snapshot().sessions.is_empty());
    let path = folder.session();
    let Some(Update::Changed(change)) = soon(catalogue.next()).await else {
        panic!("no change");
    };
    assert_eq!(change.changes[0].kind, ChangeKind::Added);
    assert_eq!(change.changes[0].path, path);
}

#[tokio::test]
async fn an_answer_is_built_with_all_that_pi_needs() {
    let folder = Folder::new();
    let session = folder.client().await.open(folder.session()).await.unwrap();
    let text = Block::from(TextContent::new("hi"));
    let answer = AssistantMessage::answer(vec![text.into()], "p", "m");
    assert_eq!(answer.stop_reason, AssistantMessageStopReason::Stop);
    let appended = session.append_message(answer).await.unwrap();
    assert_eq!(session.leaf_id(), Some(appended.id.clone()));
    assert_eq!(session.tip_id(), Some(appended.id));
}

#[tokio::test]
async fn a_session_is_opened_by_its_id_and_never_made_by_opening() {
    let folder = Folder::new();
    let client = folder.client().await;
    let directory = folder.path("").to_str().unwrap().to_owned();
    let session = client
        .create(CreateParams::new(&directory).id("by-id"))
        .await
        .unwrap();
    session
        .append_message(UserMessage::text("hello"))
        .await
        .unwrap();
    let again = client
        .open(OpenParams::default().id("by-id"))
        .await
        .unwrap();
    assert_eq!(again.state().session_file, session.state().session_file);
    let missing = folder.path("missing.jsonl").to_str().unwrap().to_owned();
    for params in [
        OpenParams::default().id("unknown"),
        OpenParams::new(&missing),
    ] {
        let error = client.open(params).await.unwrap_err();
        assert!(matches!(
            error.kind(),
            Some(ErrorKind::SessionNotFound { .. })
        ));
    }
    let params = OpenParams::new(&missing).must_exist(false);
    assert_eq!(client.open(params).await.unwrap().state().entry_count, 0);
}

#[tokio::test]
async fn entries_are_typed_and_keep_their_text() {
    let odd = r#"{"type":"odd","id":"x1","parentId":"a1","timestamp":"t","n":1e400,"s":"\ud83d"}"#;
    let cut = r#"{"type":"message","id":"c1","parentId":"x1","timestamp":"t","message":{"role":"user","content":"cut \ud83d","timestamp":3}}"#;
    let unfit = r#"{"type":"label","id":"l1","parentId":"c1","timestamp":"t","targetId":5}"#;
    let deep = format!(
        r#"{{"type":"custom","id":"d1","parentId":"l1","timestamp":"t","customType":"c","data":{}1{}}}"#,
        "[".repeat(400),
        "]".repeat(400)
    );
    let folder = Folder::new();
    let lines = [HEADER, USER, ASSISTANT, odd, cut, unfit, deep.as_str()];
    let path = folder.write("s.jsonl", &lines);
    let client = folder.client().await;
    let session = client
        .open(OpenParams::new(path).read_only(true))
        .await
        .unwrap();
    let found = session.get_entries(GetEntriesParams::new()).await.unwrap();
    let texts: Vec<&str> = found.entries.iter().map(Json::text).collect();
    assert_eq!(texts, lines[1..]);

    let Entry::Message(entry) = found.entries[1].read() else {
        panic!("a message");
    };
    assert_eq!(entry.parent_id.as_deref(), Some("u1"));
    let Message::Assistant(message) = entry.message.read() else {
        panic!("of an assistant");
    };
    assert_eq!(message.model, "m");
    assert_eq!(message.content[0].read(), TextContent::new("hi").into());

    assert_eq!(
        found.entries[2].read(),
        Entry::Unknown(Raw::from_text(odd).unwrap())
    );
    assert_eq!(found.entries[2].id().as_deref(), Some("x1"));
    let Entry::Message(entry) = found.entries[3].read() else {
        panic!("a message");
    };
    let Message::User(message) = entry.message.read() else {
        panic!("of a user");
    };
    assert_eq!(
        message.content.read(),
        Content::Unknown(Raw::from_text(r#""cut \ud83d""#).unwrap())
    );
    assert_eq!(
        message.content.lossy().read(),
        Content::Text("cut \u{fffd}".to_owned())
    );
    assert_eq!(
        found.entries[4].read(),
        Entry::Unknown(Raw::from_text(unfit).unwrap())
    );
    assert_eq!(found.entries[4].type_().as_deref(), Some("label"));
    let Entry::Custom(entry) = found.entries[5].read() else {
        panic!("a custom entry");
    };
    assert_eq!(entry.data.unwrap().text().len(), 801);

    // A name with a lone surrogate does not fail the whole answer.
    let here = folder.path("").to_str().unwrap().to_owned();
    folder.write("t.jsonl", &[HEADER, &cut.replace("\"x1\"", "null")]);
    let listed = client
        .list(ListParams::new("/w").session_dir(here))
        .await
        .unwrap();
    assert!(listed
        .sessions
        .iter()
        .any(|info| info.first_message == "cut \u{fffd}"));
}

#[test]
fn without_a_required_member_a_value_is_unknown() {
    let whole = r#"{"type":"context_edit","id":"e","parentId":null,"timestamp":"t","targetId":"a","replacement":null}"#;
    let read = |text: &str| Json::<Entry>::from_text(text).unwrap().read();
    assert!(matches!(read(whole), Entry::ContextEdit(_)));
    for member in [
        r#""id":"e","#,
        r#""parentId":null,"#,
        r#","replacement":null"#,
    ] {
        let without = whole.replace(member, "");
        assert!(matches!(read(&without), Entry::Unknown(raw) if raw.text() == without));
    }
}

#[tokio::test]
async fn any_value_passes_both_ways_to_the_byte() {
    let folder = Folder::new();
    let path = folder.session();
    let client = folder.client().await;
    let session = client.open(&path).await.unwrap();
    let values = [
        r#"{"cut":"\ud83d here \uDE00","n":123456789012345678901234567890,"small":1E-7,"zero":-0,"f":1.0}"#.to_owned(),
        r#"{"esc":"\u00e9\/\u0041é","twice":1,"twice":2,"z":0,"a":0}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"method":"exit","params":{}}"#.to_owned(),
        "[".repeat(400) + &"]".repeat(400),
        format!("\"{}\"", "0123456789abcdef".repeat(65_536)),
    ];
    for (number, value) in values.iter().enumerate() {
        let data = Raw::from_text(value.as_str()).unwrap();
        let id = format!("ä \"quoted\" \\ 😀 {number}");
        let params = AppendCustomEntryParams::new("c")
            .data(data)
            .new_entry_id(id.as_str());
        assert_eq!(session.append_custom_entry(params).await.unwrap().id, id);
        let entry = session.get_entry(id).await.unwrap().entry.unwrap();
        assert_eq!(entry.member::<Raw>("data").unwrap().text(), value);
        assert!(std::fs::read_to_string(&path).unwrap().contains(value));
    }
    let deeper = Raw::from_text("[".repeat(600) + &"]".repeat(600)).unwrap();
    let params = AppendCustomEntryParams::new("c").data(deeper);
    let Err(Error::Daemon(refused)) = session.append_custom_entry(params).await else {
        panic!("nested too deeply");
    };
    assert_eq!(refused.code, -32600);
}

#[tokio::test]
async fn texts_are_sent_as_they_are() {
    let folder = Folder::new();
    let path = folder.session();
    let client = folder.client().await;
    let session = client.open(&path).await.unwrap();
    let message = r#"{"role":"user","content":"\ud83d","timestamp":1,"z":1.0,"a":123456789012345678901234567890}"#;
    let message: Json<Message> = Json::from_text(message).unwrap();
    let params = AppendMessageParams::new(message.clone())
        .new_entry_id("mine")
        .expected_leaf_id("a1")
        .expected_tip_id("a1");
    assert_eq!(session.append_message(params).await.unwrap().id, "mine");
    let file = std::fs::read_to_string(path).unwrap();
    assert!(file.contains(message.text()), "{file}");
    let entry = session.get_entry("mine").await.unwrap().entry.unwrap();
    assert_eq!(
        entry.member::<Raw>("message").unwrap().text(),
        message.text()
    );

    let compaction = AppendCompactionParams::new("short", 10)
        .first_kept_entry_id(Nullable::Null)
        .details(Raw::from(serde_json::json!({ "a": 1 })))
        .usage(Usage::new(
            3,
            0,
            0,
            0,
            Cost::new(None, None, None, None, Some(0.5)),
        ));
    let appended = session.append_compaction(compaction).await.unwrap();
    let Some(Entry::Compaction(entry)) = session
        .get_entry(appended.id)
        .await
        .unwrap()
        .entry
        .map(|e| e.read())
    else {
        panic!("a compaction");
    };
    assert_eq!(entry.details.unwrap().text(), r#"{"a":1}"#);
    assert_eq!(entry.usage.unwrap().input, 3);
}

#[tokio::test]
async fn errors_have_kinds_and_data() {
    let folder = Folder::new();
    let client = folder.client().await;
    let session = client.open(folder.session()).await.unwrap();
    let error = session.branch("gone").await.unwrap_err();
    assert_eq!(
        error.kind(),
        Some(&ErrorKind::EntryNotFound {
            entry_id: "gone".to_owned()
        })
    );
    assert_eq!(error.to_string(), "Entry gone not found");

    let params = AppendMessageParams::new(UserMessage::text("x")).expected_leaf_id(Nullable::Null);
    let error = session.append_message(params).await.unwrap_err();
    let expected = ErrorKind::LeafConflict {
        expected: None,
        leaf_id: Some("a1".to_owned()),
        tip_id: Some("a1".to_owned()),
    };
    assert_eq!(error.kind(), Some(&expected));

    let Err(Error::Daemon(failure)) = client.call_text("session/create", Some("{}")).await else {
        panic!("a cwd is required");
    };
    assert_eq!(
        (failure.code, &failure.kind),
        (-32602, &ErrorKind::InvalidParams)
    );
    assert_eq!(failure.pointer().as_deref(), Some("/cwd"));

    let error = client.call_text("no/such", None).await.unwrap_err();
    assert_eq!(error.kind(), Some(&ErrorKind::MethodNotFound));
    let error = client
        .call_text("session/open", Some("{"))
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Params(_)));
}

#[tokio::test]
async fn a_message_too_large_to_be_read_fails_its_own_call() {
    let folder = Folder::new();
    let options = folder.options().arg("--max-message").arg("2000");
    let client = Client::spawn(options).await.unwrap();
    let session = client.open(folder.session()).await.unwrap();
    let message = UserMessage::text("x".repeat(4000));
    let (large, small) = tokio::join!(session.append_message(message), session.get_entry_count());
    let kind = large.unwrap_err();
    assert_eq!(kind.kind(), Some(&ErrorKind::TooLarge { limit: 2000 }));
    assert_eq!(small.unwrap().count, 2);
}

#[tokio::test]
async fn a_missing_program_is_named() {
    let options = Options::new().program("/no/such/sessiond");
    let error = Client::spawn(options).await.unwrap_err();
    assert!(matches!(error, Error::NotInstalled { .. }));
    let text = error.to_string();
    assert!(
        text.starts_with("/no/such/sessiond was not found: install sessiond (`pip install .` in a"),
        "{text}"
    );
}

#[tokio::test]
async fn a_relative_program_is_relative_to_this_process() {
    let folder = Folder::new();
    let here = std::env::current_dir().unwrap();
    let up: PathBuf = here.components().skip(1).map(|_| "..").collect();
    let daemon = std::path::absolute(daemon::program()).unwrap();
    let relative = up.join(daemon.strip_prefix("/").unwrap());
    // Deeper than this one, so that it leads elsewhere from there.
    let other = folder.path("").join("x/".repeat(here.components().count()));
    std::fs::create_dir_all(&other).unwrap();
    let options = folder.options().program(relative).current_dir(other);
    Client::spawn(options).await.unwrap().close().await.unwrap();
}

#[tokio::test]
async fn a_daemon_that_cannot_be_started_says_what_is_missing() {
    let folder = Folder::new();
    let script = folder.write("script", &["#!/no/such/python"]);
    std::fs::set_permissions(&script, PermissionsExt::from_mode(0o700)).unwrap();
    for (missing, options) in [
        (
            "directory /no/such",
            folder.options().current_dir("/no/such"),
        ),
        ("interpreter", folder.options().program(script)),
    ] {
        let error = Client::spawn(options).await.unwrap_err();
        assert!(matches!(error, Error::Start { .. }), "{error}");
        assert!(error.to_string().contains(missing), "{error}");
    }
}

#[tokio::test]
async fn a_program_that_never_answers_is_ended_with_the_start() {
    let folder = Folder::new();
    let noted = folder.path("pid");
    let silent = "echo $$ >\"$0\"; exec sleep 600";
    let options = Options::new().program("sh").arg("-c").arg(silent);
    let options = options.arg(&noted).timeout(Duration::from_millis(500));
    let error = soon(Client::spawn(options)).await.unwrap_err();
    assert!(matches!(error, Error::Timeout { method } if method == "initialize"));
    let process = std::fs::read_to_string(noted).unwrap();
    let running = || Command::new("kill").args(["-0", process.trim()]).output();
    soon(async {
        while running().unwrap().status.success() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_daemon_that_does_not_start_says_why() {
    let options = daemon::options().arg("--no-such-option");
    let Err(Error::Crashed { status, log }) = Client::spawn(options).await else {
        panic!("it cannot start");
    };
    assert_eq!(status, "exit status: 2");
    assert!(log.contains("--no-such-option"), "{log}");
}

#[tokio::test]
async fn a_daemon_of_another_version_is_refused_by_one_error() {
    let script =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/two_clients/other_version.py");
    for mode in ["refuses", "ignores"] {
        let options = Options::new().program("python3").arg(&script).arg(mode);
        let error = soon(Client::spawn(options)).await.unwrap_err();
        let expected = ErrorKind::UnsupportedVersion {
            supported: vec!["2".to_owned()],
        };
        assert_eq!(error.kind(), Some(&expected), "{mode}: {error}");
    }
}

#[tokio::test]
async fn dropping_a_call_cancels_it() {
    let folder = Folder::new();
    // The proxy records what was sent, and never crashes.
    let client = Client::spawn(folder.crashing("-", "before", 0, true))
        .await
        .unwrap();
    let listing = client.list_all(ListAllParams::new());
    assert!(tokio::time::timeout(Duration::ZERO, listing).await.is_err());
    client.daemon_status().await.unwrap();
    let log = std::fs::read_to_string(folder.path("log")).unwrap();
    let log: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let called = log
        .iter()
        .find(|message| message["method"] == "session/listAll")
        .unwrap();
    let cancelled = log
        .iter()
        .find(|message| message["method"] == "$/cancelRequest")
        .unwrap();
    assert_eq!(called["id"], cancelled["params"]["id"]);
    let initialize = &log[0]["params"];
    assert_eq!(initialize["processId"], std::process::id());
    assert_eq!(initialize["clientInfo"]["name"], "sessiond-client");
}

#[tokio::test]
async fn dropping_everything_ends_the_daemon() {
    let folder = Folder::new();
    let client = folder.client().await;
    let pid = client.daemon_status().await.unwrap().pid;
    let session = client.open(folder.session()).await.unwrap();
    drop(client);
    assert_eq!(session.get_entry_count().await.unwrap().count, 2);
    drop(session);
    let alive = || std::path::Path::new(&format!("/proc/{pid}")).exists();
    soon(async {
        while cfg!(target_os = "linux") && alive() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
}

#[test]
fn the_examples_run() {
    let folder = Folder::new();
    let path = folder.session();
    let binary = std::env::current_exe().unwrap();
    let examples = binary.parent().unwrap().parent().unwrap().join("examples");
    let run = |name: &str, arguments: &[&str]| {
        let mut command = Command::new(examples.join(name));
        command
            .args(arguments)
            .env("SESSIOND", daemon::program())
            .env("SESSIOND_NO_CATALOG_CACHE", "1")
            .env("PI_CODING_AGENT_DIR", folder.path("agent"));
        command
    };
    let output = |mut command: Command| {
        let output = command.output();
        let output = output.expect("built by `cargo test` without `--test`");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let mut quickstart = run("quickstart", &[]);
    quickstart.current_dir(folder.path("")); // a folder without sessions
    let said = output(quickstart);
    assert!(
        said.starts_with(r#"{"role":"user","content":"hello""#),
        "{said}"
    );
    assert_eq!(output(run("list", &["/w"])), "0 sessions\n");
    assert_eq!(output(run("blocking", &["/w"])), "0 sessions\n");
    assert_eq!(output(run("tree", &[&path])), "message hello\nmessage hi\n");
    assert!(output(run("follow", &[&path, "0"])).starts_with("appended "));
    let last = std::fs::read_to_string(&path).unwrap();
    let last: Value = serde_json::from_str(last.lines().last().unwrap()).unwrap();
    assert_eq!(last["message"]["content"], "hello from Rust");
}

#[tokio::test]
async fn clients_share_a_daemon_where_they_ask_for_it() {
    let folder = Folder::new();
    // Short, as the path of a socket must be.
    let runtime = folder.path("");
    let options = |shared: bool| {
        let options = folder.options().env("XDG_RUNTIME_DIR", &runtime);
        options.env("SESSIOND_IDLE_EXIT", "0.1").shared(shared)
    };
    let one = Client::spawn(options(true)).await.unwrap();
    let two = Client::spawn(options(true)).await.unwrap();
    let alone = Client::spawn(options(false)).await.unwrap();
    let one = one.daemon_status().await.unwrap();
    let two = two.daemon_status().await.unwrap();
    let alone = alone.daemon_status().await.unwrap();
    assert_eq!((one.pid, one.shared), (two.pid, Some(true)));
    assert_ne!((alone.pid, alone.shared), (one.pid, one.shared));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_daemon_has_a_process_group_of_its_own() {
    // So Ctrl-C in a terminal, which is for the program, does not end it.
    let group = |pid: &str| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let after_name = stat.rsplit_once(')').unwrap().1.to_owned();
        after_name.split_whitespace().nth(2).unwrap().to_owned()
    };
    let folder = Folder::new();
    let client = Client::spawn(folder.options()).await.unwrap();
    let pid = client.daemon_status().await.unwrap().pid.to_string();
    assert_ne!(group(&pid), group("self"));
}

/// Messages that pi reads, although they have no timestamp, by role.
const WITHOUT_TIMESTAMP: [(&str, &str); 8] = [
    ("system", r#"{"role":"system","content":"x"}"#),
    ("user", r#"{"role":"user","content":"hello"}"#),
    (
        "assistant",
        r#"{"role":"assistant","content":[],"api":"a","provider":"p","model":"m","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop"}"#,
    ),
    (
        "toolResult",
        r#"{"role":"toolResult","toolCallId":"1","toolName":"read","content":[],"isError":false}"#,
    ),
    (
        "bashExecution",
        r#"{"role":"bashExecution","command":"ls","output":"","cancelled":false,"truncated":false}"#,
    ),
    (
        "custom",
        r#"{"role":"custom","customType":"c","content":"x","display":true}"#,
    ),
    (
        "branchSummary",
        r#"{"role":"branchSummary","summary":"s","fromId":null}"#,
    ),
    (
        "compactionSummary",
        r#"{"role":"compactionSummary","summary":"s","tokensBefore":1}"#,
    ),
];

/// The role by which a message was read; unknown messages have none.
fn role(message: &Json<Message>) -> &'static str {
    match message.read() {
        Message::System(_) => "system",
        Message::User(_) => "user",
        Message::Assistant(_) => "assistant",
        Message::ToolResult(_) => "toolResult",
        Message::BashExecution(_) => "bashExecution",
        Message::Custom(_) => "custom",
        Message::BranchSummary(_) => "branchSummary",
        Message::CompactionSummary(_) => "compactionSummary",
        _ => "",
    }
}

fn roles<'a>(messages: impl IntoIterator<Item = &'a Json<Message>>) -> Vec<&'static str> {
    messages.into_iter().map(role).collect()
}

fn roles_of<'a>(entries: impl IntoIterator<Item = &'a Json<Entry>>) -> Vec<&'static str> {
    let message = |entry: &Json<Entry>| match entry.read() {
        Entry::Message(entry) => role(&entry.message),
        _ => "",
    };
    entries.into_iter().map(message).collect()
}

#[test]
fn a_message_needs_no_timestamp() {
    for (wanted, text) in WITHOUT_TIMESTAMP {
        for timestamp in ["", r#""timestamp":null,"#, r#""timestamp":5,"#] {
            let text = text.replacen('{', &format!("{{{timestamp}"), 1);
            assert_eq!(role(&Json::from_text(&text).unwrap()), wanted, "{text}");
        }
    }
}

#[tokio::test]
async fn what_was_appended_is_read_as_the_same_type() {
    let folder = Folder::new();
    let client = folder.client().await;
    let session = client.open(folder.write("s.jsonl", &[HEADER])).await;
    let session = session.unwrap();
    let sent = &WITHOUT_TIMESTAMP[..6];
    for (wanted, text) in sent {
        let message = Json::<Message>::from_text(*text).unwrap();
        let added = session.append_message(message).await.unwrap();
        let entry = session.get_entry(added.id).await.unwrap();
        assert_eq!(roles_of(&entry.entry), [*wanted]);
        let leaf = session.get_leaf_entry().await.unwrap();
        assert_eq!(roles_of(&leaf.entry), [*wanted]);
    }
    let wanted: Vec<&str> = sent.iter().map(|(role, _)| *role).collect();
    let page = session.get_entries(GetEntriesParams::new()).await.unwrap();
    assert_eq!(roles_of(&page.entries), wanted);
    let branch = session.get_branch(GetBranchParams::new()).await.unwrap();
    assert_eq!(roles_of(&branch.entries), wanted);
    let params = BuildParams::new();
    let entries = session.build_context_entries(params).await.unwrap();
    assert_eq!(roles_of(&entries.entries), wanted);
    let params = BuildParams::new();
    let context = session.build_session_context(params).await.unwrap();
    assert_eq!(roles(&context.messages), wanted);
    let params = BuildParams::new();
    let projection = session.build_session_projection(params).await.unwrap();
    for (entry, wanted) in projection.entries.iter().zip(&wanted) {
        assert_eq!(roles(&entry.messages), [*wanted]);
        assert_eq!(roles_of([&entry.source_entry]), [*wanted]);
    }
    let view = session.get_view(GetViewParams::new()).await.unwrap();
    let seen: Vec<&str> = view.items.iter().map(|item| item.role.as_str()).collect();
    assert_eq!(seen, wanted);
}

#[tokio::test]
async fn a_number_that_json_cannot_hold_is_refused() {
    let folder = Folder::new();
    let client = folder.client().await;
    let session = client.open(folder.session()).await.unwrap();
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let usage = || Usage::new(1, 1, 0, 0, Cost::new(0.1, 0.1, None, None, number));
        let answer = AssistantMessage::new(Vec::new(), "a", "p", "m", usage(), "stop");
        let refused = [
            session.append_message(answer.clone()).await.err(),
            session
                .append_message(Message::Assistant(answer.clone()))
                .await
                .err(),
            session
                .append_usage(AppendUsageParams::new("k", "p", "m", usage()))
                .await
                .err(),
            session
                .append_compaction(AppendCompactionParams::new("s", 1).usage(usage()))
                .await
                .err(),
            client
                .context_to_llm(
                    ToLlmParams::new().messages(vec![Json::from(Message::from(answer))]),
                )
                .await
                .err(),
            client.gateway_evaluate_freshness(number).await.err(),
            client
                .gateway_evaluate_freshness(EvaluateFreshnessParams::new(1.0).updated_at(number))
                .await
                .err(),
        ];
        for (place, error) in refused.into_iter().enumerate() {
            let Some(Error::Params(source)) = error else {
                panic!("{place}: {error:?} for {number}");
            };
            assert!(source.to_string().contains("JSON cannot hold"), "{source}");
        }
    }
    assert_eq!(session.get_entry_count().await.unwrap().count, 2);
    let usage = Usage::new(1, 1, 0, 0, Cost::new(0.1, 0.1, None, None, 0.2));
    let params = AppendUsageParams::new("k", "p", "m", usage);
    assert!(session.append_usage(params).await.is_ok());
}

#[tokio::test]
async fn a_closed_session_can_be_closed_again_and_refuses_calls() {
    let folder = Folder::new();
    let client = folder.client().await;
    let path = folder.session();
    for _ in 0..20 {
        let session = client.open(&path).await.unwrap();
        let (first, overtaken, second) =
            tokio::join!(session.close(), session.get_entry_count(), session.close());
        assert!(first.is_ok() && second.is_ok(), "{first:?} {second:?}");
        assert!(
            matches!(overtaken, Err(Error::SessionClosed)),
            "{overtaken:?}"
        );
        session.close().await.unwrap();
        let late = session.get_state().await;
        assert!(matches!(late, Err(Error::SessionClosed)), "{late:?}");
    }
}
