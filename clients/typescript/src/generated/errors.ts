// Generated from protocol/sessiond_protocol/openrpc.json by protocol/generate.py.
// Do not edit; run `make generate`.

/** The members of an error's `data` other than `kind` and `retryable`, by kind. */
export interface ErrorData {
  /** The body is not UTF-8 or not JSON. Answered with id `null`. */
  ParseError: { readonly [member: string]: unknown };
  /** Not a JSON-RPC 2.0 message, nested deeper than 512, or sent after `shutdown`. */
  InvalidRequest: { readonly [member: string]: unknown };
  /** This daemon does not serve the method. */
  MethodNotFound: { readonly [member: string]: unknown };
  /** The params do not fit; `data.pointer` is its place, as a JSON pointer: `/message/role`. */
  InvalidParams: { readonly [member: string]: unknown };
  /** A defect of the daemon; its log has the details. */
  InternalError: { readonly [member: string]: unknown };
  /** `$/cancelRequest` named this request. */
  RequestCancelled: { readonly [member: string]: unknown };
  /** No open session has this handle. Open the session again. */
  UnknownSession: {
    /** The handle as it was sent. */
    readonly session: string;
  };
  /** No session file exists at this path, or no session has this id. */
  SessionNotFound: {
    /** Absolute path of the file; of a session that has no file, its id. */
    readonly path: string;
  };
  /** The file is neither empty nor a session. It was not changed. */
  InvalidSessionFile: {
    /** Absolute path of the file. */
    readonly path: string;
    /** Number of the line with the error, from 1. */
    readonly line: number;
  };
  /** The session has no entry with this id. */
  EntryNotFound: {
    /** The id as it was sent. */
    readonly entryId: string;
  };
  /**
   * The target of a context edit is not on the active branch, or has no content in the context
   * that could be replaced.
   */
  NotEditable: {
    /** Id of the entry to edit. */
    readonly entryId: string;
  };
  /**
   * The leaf or the tip is not the one that the client expected. Nothing was written; read the
   * new entries and decide again.
   */
  LeafConflict: {
    /** The id that the client expected; null: before the first entry. */
    readonly expected: string | null;
    /** The handle's present leaf. */
    readonly leafId: string | null;
    /** The last entry of the file at present. */
    readonly tipId: string | null;
  };
  /**
   * The operating system refused the write (disk full, permissions). File and memory are as they
   * were before.
   */
  WriteFailed: {
    /** Absolute path of the file. */
    readonly path: string;
    /** The operating system's error number. */
    readonly errno: number;
    /** The operating system's message. */
    readonly strerror: string;
  };
  /** The path is outside the directories of `--root`. */
  PathNotAllowed: {
    /** Absolute path of the file. */
    readonly path: string;
  };
  /** The session was opened for reading only. */
  ReadOnly: {
    /** Absolute path of the file. */
    readonly path: string;
  };
  /**
   * Session ids consist of letters, digits, `-`, `_` and `.`, and start and end with a letter or
   * digit.
   */
  InvalidSessionId: {
    /** The session id as it was sent. */
    readonly id: string;
  };
  /** A message or value is larger than the daemon accepts. */
  TooLarge: {
    /** The limit, in bytes. */
    readonly limit: number;
  };
  /** The file exists already; the daemon never replaces it. */
  AlreadyExists: {
    /** Absolute path of the file. */
    readonly path: string;
  };
  /** Another process held the file's lock for longer than `--lock-timeout`. */
  Busy: {
    /** Absolute path of the file. */
    readonly path: string;
    /** The holder of the lock, as far as it is known. */
    readonly owner: string;
  };
  /** The search query cannot be understood. */
  InvalidQuery: {};
  /**
   * Not available on this platform, for this profile, or for this store, because OpenClaw keeps
   * its sessions in the database at `path` now.
   */
  Unsupported: {
    /** Absolute path of the file or directory that it is about. */
    readonly path: string;
    /** Text for people: what to do instead. */
    readonly instead: string;
  };
  /** A rule of the gateway's store forbids it. */
  GatewayRejected: {
    /** Name of the rule. */
    readonly rule: string;
  };
  /**
   * The file cannot be read: permissions, a directory, a FIFO, a device, a loop of symbolic
   * links, an I/O error.
   */
  ReadFailed: {
    /** Absolute path of the file. */
    readonly path: string;
    /** The operating system's error number. */
    readonly errno: number;
    /** The operating system's message. */
    readonly strerror: string;
  };
  /** A program has the session open for writing; the message names it. */
  InUse: {
    /** Absolute path of the file. */
    readonly path: string;
    /** Processes that have it open for writing. */
    readonly pids: number[];
  };
  /**
   * The daemon has no file descriptor, no memory or no thread left for the request. Every method
   * can be answered with it.
   */
  OutOfResources: {
    /** The operating system's message. */
    readonly strerror: string;
  };
  /** The cursor does not belong to this list. Start again without a cursor. */
  InvalidCursor: {};
  /** The daemon speaks none of the client's `protocolVersions`. */
  UnsupportedVersion: {
    /** The protocol versions that this daemon speaks. */
    readonly supported: string[];
  };
  /** The answer took too long and was given up; ask for less, or again later. */
  TimedOut: {};
  /**
   * Another entry has the id `newEntryId`: its type, parent or content differs. Nothing was
   * written; choose another id.
   */
  IdConflict: {
    /** The id. */
    readonly entryId: string;
  };
}

/** Names of errors without `kind` in `data`, by code. */
export const jsonRpcErrors: Readonly<Record<number, keyof ErrorData>> = {
  [-32700]: "ParseError",
  [-32600]: "InvalidRequest",
  [-32601]: "MethodNotFound",
  [-32602]: "InvalidParams",
  [-32603]: "InternalError",
  [-32800]: "RequestCancelled",
};
