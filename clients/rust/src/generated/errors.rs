// Generated from protocol/sessiond_protocol/openrpc.json by protocol/generate.py.
// Do not edit; run `make generate`.
//! The kinds of errors that the daemon answers.

use crate::json::{member, Raw};

/// The kind of an error answer, with its data.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The body is not UTF-8 or not JSON. Answered with id `null`. Code -32700.
    ParseError,
    /// Not a JSON-RPC 2.0 message, nested deeper than 512, or sent after `shutdown`. Code -32600.
    InvalidRequest,
    /// This daemon does not serve the method. Code -32601.
    MethodNotFound,
    /// The params do not fit; `data.pointer` is its place, as a JSON pointer: `/message/role`. Code -32602.
    InvalidParams,
    /// A defect of the daemon; its log has the details. Code -32603.
    InternalError,
    /// `$/cancelRequest` named this request. Code -32800.
    RequestCancelled,
    /// No open session has this handle. Open the session again. Code 1001.
    UnknownSession {
        /// The handle as it was sent.
        session: String,
    },
    /// No session file exists at this path, or no session has this id. Code 1002.
    SessionNotFound {
        /// Absolute path of the file; of a session that has no file, its id.
        path: String,
    },
    /// The file is neither empty nor a session. It was not changed. Code 1003.
    InvalidSessionFile {
        /// Absolute path of the file.
        path: String,
        /// Number of the line with the error, from 1.
        line: i64,
    },
    /// The session has no entry with this id. Code 1004.
    EntryNotFound {
        /// The id as it was sent.
        entry_id: String,
    },
    /// The target of a context edit is not on the active branch, or has no content in the context that could be replaced. Code 1005.
    NotEditable {
        /// Id of the entry to edit.
        entry_id: String,
    },
    /// The leaf or the tip is not the one that the client expected. Nothing was written; read the new entries and decide again. Code 1006.
    LeafConflict {
        /// The id that the client expected; null: before the first entry.
        expected: Option<String>,
        /// The handle's present leaf.
        leaf_id: Option<String>,
        /// The last entry of the file at present.
        tip_id: Option<String>,
    },
    /// The operating system refused the write (disk full, permissions). File and memory are as they were before. Code 1007.
    WriteFailed {
        /// Absolute path of the file.
        path: String,
        /// The operating system's error number.
        errno: i64,
        /// The operating system's message.
        strerror: String,
    },
    /// The path is outside the directories of `--root`. Code 1008.
    PathNotAllowed {
        /// Absolute path of the file.
        path: String,
    },
    /// The session was opened for reading only. Code 1009.
    ReadOnly {
        /// Absolute path of the file.
        path: String,
    },
    /// Session ids consist of letters, digits, `-`, `_` and `.`, and start and end with a letter or digit. Code 1010.
    InvalidSessionId {
        /// The session id as it was sent.
        id: String,
    },
    /// A message or value is larger than the daemon accepts. Code 1011.
    TooLarge {
        /// The limit, in bytes.
        limit: i64,
    },
    /// The file exists already; the daemon never replaces it. Code 1012.
    AlreadyExists {
        /// Absolute path of the file.
        path: String,
    },
    /// Another process held the file's lock for longer than `--lock-timeout`. Code 1013.
    Busy {
        /// Absolute path of the file.
        path: String,
        /// The holder of the lock, as far as it is known.
        owner: String,
    },
    /// The search query cannot be understood. Code 1014.
    InvalidQuery,
    /// Not available on this platform, for this profile, or for this store, because OpenClaw keeps its sessions in the database at `path` now. Code 1015.
    Unsupported {
        /// Absolute path of the file or directory that it is about.
        path: String,
        /// Text for people: what to do instead.
        instead: String,
    },
    /// A rule of the gateway's store forbids it. Code 1016.
    GatewayRejected {
        /// Name of the rule.
        rule: String,
    },
    /// The file cannot be read: permissions, a directory, a FIFO, a device, a loop of symbolic links, an I/O error. Code 1017.
    ReadFailed {
        /// Absolute path of the file.
        path: String,
        /// The operating system's error number.
        errno: i64,
        /// The operating system's message.
        strerror: String,
    },
    /// A program has the session open for writing; the message names it. Code 1018.
    InUse {
        /// Absolute path of the file.
        path: String,
        /// Processes that have it open for writing.
        pids: Vec<i64>,
    },
    /// The daemon has no file descriptor, no memory or no thread left for the request. Every method can be answered with it. Code 1019.
    OutOfResources {
        /// The operating system's message.
        strerror: String,
    },
    /// The cursor does not belong to this list. Start again without a cursor. Code 1020.
    InvalidCursor,
    /// The daemon speaks none of the client's `protocolVersions`. Code 1021.
    UnsupportedVersion {
        /// The protocol versions that this daemon speaks.
        supported: Vec<String>,
    },
    /// The answer took too long and was given up; ask for less, or again later. Code 1022.
    TimedOut,
    /// Another entry has the id `newEntryId`: its type, parent or content differs. Nothing was written; choose another id. Code 1023.
    IdConflict {
        /// The id.
        entry_id: String,
    },
    /// A kind that this version does not know, or whose data does not fit.
    Other {
        /// The kind as it is spelled in JSON; empty if there is none.
        kind: String,
    },
}

impl ErrorKind {
    pub(crate) fn read(code: i64, data: Option<&Raw>) -> Self {
        Self::of_code(code)
            .or_else(|| Self::of_data(data?.text()))
            .unwrap_or_else(|| Self::Other {
                kind: data
                    .and_then(|data| member::<String>(data.text(), "kind"))
                    .unwrap_or_default(),
            })
    }

    fn of_code(code: i64) -> Option<Self> {
        Some(match code {
            -32700 => Self::ParseError,
            -32600 => Self::InvalidRequest,
            -32601 => Self::MethodNotFound,
            -32602 => Self::InvalidParams,
            -32603 => Self::InternalError,
            -32800 => Self::RequestCancelled,
            _ => return None,
        })
    }

    fn of_data(data: &str) -> Option<Self> {
        Some(match member::<String>(data, "kind")?.as_str() {
            "UnknownSession" => Self::UnknownSession {
                session: member::<String>(data, "session")?,
            },
            "SessionNotFound" => Self::SessionNotFound {
                path: member::<String>(data, "path")?,
            },
            "InvalidSessionFile" => Self::InvalidSessionFile {
                path: member::<String>(data, "path")?,
                line: member::<i64>(data, "line")?,
            },
            "EntryNotFound" => Self::EntryNotFound {
                entry_id: member::<String>(data, "entryId")?,
            },
            "NotEditable" => Self::NotEditable {
                entry_id: member::<String>(data, "entryId")?,
            },
            "LeafConflict" => Self::LeafConflict {
                expected: member::<String>(data, "expected"),
                leaf_id: member::<String>(data, "leafId"),
                tip_id: member::<String>(data, "tipId"),
            },
            "WriteFailed" => Self::WriteFailed {
                path: member::<String>(data, "path")?,
                errno: member::<i64>(data, "errno")?,
                strerror: member::<String>(data, "strerror")?,
            },
            "PathNotAllowed" => Self::PathNotAllowed {
                path: member::<String>(data, "path")?,
            },
            "ReadOnly" => Self::ReadOnly {
                path: member::<String>(data, "path")?,
            },
            "InvalidSessionId" => Self::InvalidSessionId {
                id: member::<String>(data, "id")?,
            },
            "TooLarge" => Self::TooLarge {
                limit: member::<i64>(data, "limit")?,
            },
            "AlreadyExists" => Self::AlreadyExists {
                path: member::<String>(data, "path")?,
            },
            "Busy" => Self::Busy {
                path: member::<String>(data, "path")?,
                owner: member::<String>(data, "owner")?,
            },
            "InvalidQuery" => Self::InvalidQuery,
            "Unsupported" => Self::Unsupported {
                path: member::<String>(data, "path")?,
                instead: member::<String>(data, "instead")?,
            },
            "GatewayRejected" => Self::GatewayRejected {
                rule: member::<String>(data, "rule")?,
            },
            "ReadFailed" => Self::ReadFailed {
                path: member::<String>(data, "path")?,
                errno: member::<i64>(data, "errno")?,
                strerror: member::<String>(data, "strerror")?,
            },
            "InUse" => Self::InUse {
                path: member::<String>(data, "path")?,
                pids: member::<Vec<i64>>(data, "pids")?,
            },
            "OutOfResources" => Self::OutOfResources {
                strerror: member::<String>(data, "strerror")?,
            },
            "InvalidCursor" => Self::InvalidCursor,
            "UnsupportedVersion" => Self::UnsupportedVersion {
                supported: member::<Vec<String>>(data, "supported")?,
            },
            "TimedOut" => Self::TimedOut,
            "IdConflict" => Self::IdConflict {
                entry_id: member::<String>(data, "entryId")?,
            },
            _ => return None,
        })
    }
}
