//! A folder, a daemon, and a proxy that makes the daemon crash.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use sessiond_client::{Client, Options};

pub mod daemon;

pub const HEADER: &str = r#"{"type":"session","version":3,"id":"test","timestamp":"2025-06-01T10:00:00.000Z","cwd":"/w"}"#;
pub const USER: &str = r#"{"type":"message","id":"u1","parentId":null,"timestamp":"2025-06-01T10:00:01.000Z","message":{"role":"user","content":"hello","timestamp":1}}"#;
pub const ASSISTANT: &str = r#"{"type":"message","id":"a1","parentId":"u1","timestamp":"2025-06-01T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"hi"}],"api":"x","provider":"p","model":"m","usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":2}}"#;

/// The folder of one test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("sessiond-client-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path.canonicalize().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, lines: &[&str]) -> String {
        let path = self.path(name);
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// A session of two messages, `u1` and `a1`.
    pub fn session(&self) -> String {
        self.write("s.jsonl", &[HEADER, USER, ASSISTANT])
    }

    pub fn options(&self) -> Options {
        self.agent(daemon::options())
    }

    fn agent(&self, options: Options) -> Options {
        options.arg("--agent-dir").arg(self.path("agent"))
    }

    pub async fn client(&self) -> Client {
        Client::spawn(self.options()).await.unwrap()
    }

    /// A daemon that crashes during a call: `once`, or every time.
    #[allow(dead_code)] // in the tests that use no proxy
    pub fn crashing(&self, method: &str, moment: &str, count: u32, once: bool) -> Options {
        let proxy = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/two_clients/proxy.py");
        let fuse = self.path("fuse");
        let options = daemon::options()
            .program("python3")
            .arg(proxy)
            .arg(self.path("log"))
            .arg(if once { fuse.as_os_str() } else { "-".as_ref() })
            .arg(method)
            .arg(moment)
            .arg(count.to_string())
            .arg("--")
            .arg(daemon::program());
        self.agent(options)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub async fn soon<T>(future: impl std::future::Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), future)
        .await
        .expect("it takes too long")
}
