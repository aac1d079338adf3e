//! Replay the vectors of the contract, as `protocol/vectors/README.md` describes, with a real daemon.
//! Bytes are compared where a vector requires it.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{json, Value};
use sessiond_client::{Client, Error, Notifications, Raw, Told};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

#[path = "support/daemon.rs"]
mod daemon;

const AT_ONCE: usize = 4;
const DEADLINE: Duration = Duration::from_secs(60);

type Outcome<T = ()> = Result<T, String>;

#[tokio::main]
async fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../protocol/vectors");
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the vectors are in the repository")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    paths.sort();
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let mut running = JoinSet::new();
    for path in paths {
        let places = Arc::clone(&places);
        running.spawn(async move {
            let _place = places.acquire().await;
            let name = path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let outcome = timeout(DEADLINE, replay(&name, &path)).await;
            (
                name,
                outcome.unwrap_or_else(|_| Err("took too long".to_owned())),
            )
        });
    }
    let outcomes = running.join_all().await;
    let mut passed = 0;
    for (name, outcome) in &outcomes {
        match outcome {
            Ok(()) => passed += 1,
            Err(why) => println!("FAILED {name}: {why}"),
        }
    }
    println!("vectors: {passed} of {} passed", outcomes.len());
    ExitCode::from(u8::from(passed == 0 || passed < outcomes.len()))
}

async fn replay(name: &str, path: &Path) -> Outcome {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let vector: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let folder =
        std::env::temp_dir().join(format!("sessiond-vector-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).expect("a temporary folder");
    let folder = folder.canonicalize().expect("a real path");
    let outcome = replay_in(&vector, &folder).await;
    let _ = fs::remove_dir_all(&folder);
    outcome
}

async fn replay_in(vector: &Value, folder: &Path) -> Outcome {
    let mut values = HashMap::from([("dir".to_owned(), json!(folder))]);
    for (name, generated) in vector["generate"].as_object().into_iter().flatten() {
        let times = usize::try_from(generated[1].as_u64().unwrap_or(0)).unwrap_or(0);
        let text = generated[0].as_str().unwrap_or_default();
        values.insert(name.clone(), json!(text.repeat(times)));
    }
    for file in items(&vector["files"]) {
        lay(file, &values);
    }
    let mut options = daemon::options().without_initialize().restarts(0);
    options = options.arg("--agent-dir").arg(folder.join("agent"));
    for option in items(&vector["options"]) {
        options = options.arg(fill_text(option.as_str().unwrap_or_default(), &values));
    }
    let client = Client::spawn(options)
        .await
        .map_err(|error| error.to_string())?;
    let mut replay = Replay {
        told: client.notifications(),
        client,
        values,
        kept: Vec::new(),
    };
    let mut opening = vector["initialize"].clone();
    if opening.is_null() {
        opening = json!({});
    }
    opening["request"] = json!("initialize");
    if opening["params"].is_null() {
        opening["params"] = json!({});
    }
    if vector["fidelity"] == "plain" {
        opening["params"]["capabilities"] = json!({ "plainJson": true });
    }
    let steps = std::iter::once(&opening).chain(items(&vector["steps"]));
    for (number, step) in steps.enumerate() {
        let done = replay.step(step).await;
        done.map_err(|why| format!("step {number}: {why}"))?;
    }
    let _ = replay.client.close().await;
    Ok(())
}

struct Replay {
    client: Client,
    told: Notifications,
    values: HashMap<String, Value>,
    kept: Vec<Told>,
}

impl Replay {
    async fn step(&mut self, step: &Value) -> Outcome {
        let text = |name: &str| step[name].as_str();
        if let Some(method) = text("request") {
            self.request(method, step).await
        } else if let Some(method) = text("notify") {
            self.notify(method, step).await
        } else if let Some(method) = text("notification") {
            let params = self.notification(method).await?;
            same(&fill(&step["params"], &self.values), &params, "params")?;
            self.capture(step, &params)
        } else if let Some(path) = text("edit") {
            edit(&fill_text(path, &self.values), step, &self.values);
            Ok(())
        } else if let Some(path) = text("check") {
            check(&fill_text(path, &self.values), step, &self.values)
        } else {
            Err(format!("a step of an unknown kind: {step}"))
        }
    }

    async fn request(&mut self, method: &str, step: &Value) -> Outcome {
        let params = match (&step["paramsText"], step.get("params")) {
            (Value::String(text), _) => Some(fill_text(text, &self.values)),
            (_, Some(params)) => Some(fill(params, &self.values).to_string()),
            _ => None,
        };
        let answer = self.client.call_text(method, params.as_deref()).await;
        if let Some(expected) = step.get("error") {
            let expected = fill(&json!({ "$subset": expected }), &self.values);
            return match answer {
                Err(Error::Daemon(failure)) => {
                    let data = failure.data.as_ref().map_or(Ok(Value::Null), Raw::parse);
                    let data = data.map_err(|error| error.to_string())?;
                    let mut error = json!({ "code": failure.code, "message": failure.message });
                    if failure.data.is_some() {
                        error["data"] = data;
                    }
                    same(&expected, &error, "error")
                }
                other => Err(format!("expected the error {expected}, got {other:?}")),
            };
        }
        let result = answer.map_err(|error| error.to_string())?;
        if let Some(expected) = step["resultText"].as_str() {
            let expected = fill_text(expected, &self.values);
            if result.text() != expected {
                return Err(format!("expected {expected}, got {}", result.text()));
            }
        }
        if step.get("result").is_some() || step.get("capture").is_some() {
            let parsed: Value = result.parse().map_err(|error| error.to_string())?;
            if let Some(expected) = step.get("result") {
                same(&fill(expected, &self.values), &parsed, "result")?;
            }
            self.capture(step, &parsed)?;
        }
        Ok(())
    }

    async fn notify(&mut self, method: &str, step: &Value) -> Outcome {
        let params = step
            .get("params")
            .map(|params| fill(params, &self.values).to_string());
        let sent = self.client.notify_text(method, params.as_deref());
        sent.map_err(|error| error.to_string())?;
        if let Some(expected) = step["exitCode"].as_i64() {
            let status = self.client.wait().await.status;
            let code = status.and_then(|status| status.code());
            same(&json!(expected), &json!(code), "exit code")?;
        }
        Ok(())
    }

    async fn notification(&mut self, method: &str) -> Outcome<Value> {
        loop {
            if let Some(index) = self.kept.iter().position(|told| told.method == method) {
                let params = self.kept.remove(index).params;
                return params.parse().map_err(|error| error.to_string());
            }
            match timeout(Duration::from_secs(30), self.told.next()).await {
                Ok(Some(told)) => self.kept.push(told),
                _ => return Err(format!("{method} did not come")),
            }
        }
    }

    fn capture(&mut self, step: &Value, result: &Value) -> Outcome {
        for (name, path) in step["capture"].as_object().into_iter().flatten() {
            let path = path.as_str().unwrap_or_default();
            let pointer = format!("/{}", path.replace('.', "/"));
            let value = result.pointer(&pointer);
            let value = value.ok_or_else(|| format!("nothing to capture at {path}"))?;
            self.values.insert(name.clone(), value.clone());
        }
        Ok(())
    }
}

fn items(value: &Value) -> std::slice::Iter<'_, Value> {
    value
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default()
        .iter()
}

fn fill(value: &Value, values: &HashMap<String, Value>) -> Value {
    match value {
        Value::String(text) => {
            let name = text
                .strip_prefix("${")
                .and_then(|rest| rest.strip_suffix('}'));
            match name.and_then(|name| values.get(name)) {
                Some(value) => value.clone(),
                None => Value::String(fill_text(text, values)),
            }
        }
        Value::Array(items) => items.iter().map(|item| fill(item, values)).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), fill(value, values)))
            .collect(),
        other => other.clone(),
    }
}

fn fill_text(text: &str, values: &HashMap<String, Value>) -> String {
    let mut parts = text.split("${");
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once('}').expect("a placeholder has an end");
        match &values[name] {
            Value::String(value) => filled.push_str(value),
            other => filled.push_str(&other.to_string()),
        }
        filled.push_str(rest);
    }
    filled
}

fn content(text: &Value, values: &HashMap<String, Value>) -> Vec<u8> {
    match text {
        Value::String(text) => fill_text(text, values).into_bytes(),
        lines => items(lines)
            .flat_map(|line| {
                let line = fill_text(line.as_str().unwrap_or_default(), values);
                format!("{line}\n").into_bytes()
            })
            .collect(),
    }
}

fn lay(file: &Value, values: &HashMap<String, Value>) {
    let path = PathBuf::from(fill_text(file["path"].as_str().unwrap_or_default(), values));
    fs::create_dir_all(path.parent().expect("an absolute path")).expect("a folder");
    let bytes = match file["base64"].as_str() {
        Some(text) => base64(text),
        None => content(&file["text"], values),
    };
    fs::write(&path, bytes).expect("a file");
    if let Some(seconds) = file["modified"].as_f64() {
        let time = std::time::UNIX_EPOCH + Duration::from_secs_f64(seconds);
        let file = fs::File::options()
            .append(true)
            .open(&path)
            .expect("the file");
        file.set_modified(time).expect("a time");
    }
}

fn edit(path: &str, step: &Value, values: &HashMap<String, Value>) {
    if let Some(text) = step.get("append") {
        let mut bytes = fs::read(path).unwrap_or_default();
        let old = bytes.len();
        bytes.extend(content(text, values));
        let mut file = fs::File::options()
            .append(true)
            .create(true)
            .open(path)
            .expect("a file");
        std::io::Write::write_all(&mut file, &bytes[old..]).expect("room");
    } else if let Some(text) = step.get("write") {
        fs::write(path, content(text, values)).expect("a file");
    } else if let Some(text) = step.get("replace") {
        let beside = format!("{path}.new");
        fs::write(&beside, content(text, values)).expect("a file");
        fs::rename(beside, path).expect("a rename");
    } else if let Some(size) = step["truncate"].as_u64() {
        let file = fs::File::options().write(true).open(path).expect("a file");
        file.set_len(size).expect("a shorter file");
    } else {
        fs::remove_file(path).expect("a file to delete");
    }
}

fn check(path: &str, step: &Value, values: &HashMap<String, Value>) -> Outcome {
    let actual = fs::read(path).ok();
    let expected = match step["base64"].as_str() {
        Some(text) => Some(base64(text)),
        None if step["text"].is_null() => None,
        None => Some(content(&step["text"], values)),
    };
    if actual == expected {
        return Ok(());
    }
    let shown =
        |bytes: &Option<Vec<u8>>| bytes.as_ref().map(|bytes| bytes.escape_ascii().to_string());
    Err(format!(
        "{path}: expected {:?}, got {:?}",
        shown(&expected),
        shown(&actual)
    ))
}

fn base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0u32, 0);
    for byte in text.bytes().filter(|byte| *byte != b'=') {
        let digit = DIGITS
            .iter()
            .position(|digit| *digit == byte)
            .expect("base64");
        bits = bits << 6 | u32::try_from(digit).expect("a digit");
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held & 0xff) as u8);
        }
    }
    bytes
}

fn same(expected: &Value, actual: &Value, place: &str) -> Outcome {
    let differs = || Err(format!("{place}: expected {expected}, got {actual}"));
    if let Value::Object(members) = expected {
        if let (1, Some((name, operand))) = (members.len(), members.iter().next()) {
            if let Some(matches) = special(name, operand, actual, place) {
                return if matches? { Ok(()) } else { differs() };
            }
        }
    }
    match (expected, actual) {
        (Value::Object(wanted), Value::Object(found)) if wanted.len() == found.len() => {
            for (name, value) in wanted {
                match found.get(name) {
                    Some(other) => same(value, other, &format!("{place}.{name}"))?,
                    None => return differs(),
                }
            }
            Ok(())
        }
        (Value::Array(wanted), Value::Array(found)) if wanted.len() == found.len() => {
            for (index, (value, other)) in wanted.iter().zip(found).enumerate() {
                same(value, other, &format!("{place}[{index}]"))?;
            }
            Ok(())
        }
        (Value::Number(wanted), Value::Number(found)) if wanted.as_f64() == found.as_f64() => {
            Ok(())
        }
        _ if expected == actual => Ok(()),
        _ => differs(),
    }
}

/// The outcome of a matcher; None if `name` is not a matcher.
fn special(name: &str, operand: &Value, actual: &Value, place: &str) -> Option<Outcome<bool>> {
    Some(match name {
        "$any" => Ok(any(operand.as_str().unwrap_or_default(), actual)),
        "$oneOf" => Ok(items(operand).any(|value| same(value, actual, place).is_ok())),
        "$between" => {
            let [begin, end] = [0, 1].map(|index| operand[index].as_str().unwrap_or_default());
            Ok(actual.as_str().is_some_and(|text| {
                text.len() >= begin.len() + end.len()
                    && text.starts_with(begin)
                    && text.ends_with(end)
            }))
        }
        "$subset" => match actual {
            Value::Object(found) => {
                for (name, value) in operand.as_object()? {
                    let Some(other) = found.get(name) else {
                        return Some(Ok(false));
                    };
                    if let Err(why) = same(value, other, &format!("{place}.{name}")) {
                        return Some(Err(why));
                    }
                }
                Ok(true)
            }
            _ => Ok(false),
        },
        "$unordered" => {
            let mut left: Vec<&Value> = items(actual).collect();
            let taken = items(operand).all(|value| {
                let index = left
                    .iter()
                    .position(|other| same(value, other, place).is_ok());
                index.map(|index| left.remove(index)).is_some()
            });
            Ok(actual.is_array() && taken && left.is_empty())
        }
        _ => return None,
    })
}

fn any(kind: &str, actual: &Value) -> bool {
    let like = |pattern: &str| {
        actual.as_str().is_some_and(|text| {
            text.len() == pattern.len()
                && text
                    .chars()
                    .zip(pattern.chars())
                    .all(|(char, expected)| match expected {
                        '0' => char.is_ascii_digit(),
                        'x' => matches!(char, '0'..='9' | 'a'..='f'),
                        other => char == other,
                    })
        })
    };
    match kind {
        "value" => true,
        "string" => actual.is_string(),
        "integer" => actual.is_i64() || actual.is_u64(),
        "array" => actual.is_array(),
        "object" => actual.is_object(),
        "time" => like("0000-00-00T00:00:00.000Z"),
        "id" => like("xxxxxxxx") || like("xxxxxxxxxxxxxxxx"),
        "uuid" => like("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"),
        other => panic!("no matcher for {other}"),
    }
}
