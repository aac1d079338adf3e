// One process of the daemon, and the messages to and from it. It does not know about sessions.

import { spawn, type ChildProcessByStdio } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

import {
  CancellationTokenSource,
  ConnectionError,
  ParameterStructures,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
  createMessageConnection,
  type Message,
  type MessageConnection,
} from "vscode-jsonrpc/node";

import { ClientError, SessiondError } from "./errors.js";
import { encoded } from "./json-text.js";
import type { InitializeParams, InitializeResult } from "./generated/types.js";

const PROTOCOL_VERSION = "1";

export interface DaemonOptions {
  /** The command; default: the environment variable `SESSIOND`, else `sessiond` in `PATH`. */
  readonly path?: string | undefined;
  /** Arguments of the command, such as `--root`. */
  readonly args?: readonly string[] | undefined;
  /** Environment of the process; default: that of this process. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /**
   * Whether to share one daemon with the other clients of this user; default: as the environment
   * variable `SESSIOND_SHARED` says, else not. A daemon that knows no sharing serves alone.
   */
  readonly shared?: boolean | undefined;
  /** Working directory of the process; default: that of this process. */
  readonly cwd?: string | undefined;
  /** Called with every line of the log; without it the log is dropped. */
  readonly log?: ((line: string) => void) | undefined;
  /** Params of `initialize`, in addition to those that describe the client. */
  readonly initialize?: InitializeParams | undefined;
  /**
   * Streams to a daemon that runs already, such as those of an ssh channel, in place of a process:
   * `input` is read by the daemon, `output` written. Such a daemon is not started again.
   */
  readonly streams?: { readonly input: Writable; readonly output: Readable } | undefined;
  /** Milliseconds after which `close` kills a daemon that has not ended. */
  readonly closeTimeout?: number | undefined;
}

/** How a daemon process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last lines of its log. */
  readonly log: readonly string[];
}

/** The process ended before it answered a request. */
export class ConnectionLost extends Error {
  /** Whether the daemon may have received the request. */
  readonly sent: boolean;

  constructor(method: string, cause: unknown) {
    super(`the daemon ended during ${method}`, { cause });
    this.sent = !(cause instanceof ConnectionError);
  }
}

interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly data?: { readonly kind?: unknown; readonly limit?: unknown };
}

/** The other end of the connection: a process, or streams. */
interface Peer {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr?: Readable;
  readonly pid?: number | undefined;
  readonly ended: Promise<Pick<Exit, "code" | "signal">>;
  kill(): void;
  ref(): void;
  unref(): void;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

const LOG_LINES = 20;
const QUIET_TURNS = 8;
const CLOSE_TIMEOUT = 10_000;

/** Codes of errors of the JSON-RPC library itself, which the daemon never answers. */
const OWN_CODES = new Set([-32099, -32097, -32096]);

export class Connection {
  /** Resolves when the process has ended and all its messages have been handled. */
  readonly closed: Promise<Exit>;
  /** The process id; undefined: streams were given. */
  readonly pid: number | undefined;

  readonly #peer: Peer;
  readonly #rpc: MessageConnection;
  readonly #closeTimeout: number;
  /** For the params of each request in flight, the size of its message in bytes. */
  readonly #sizes = new Map<object, { size: number; refuse: (error: Error) => void }>();
  #activity = 0;

  private constructor(peer: Peer, options: DaemonOptions) {
    this.#peer = peer;
    this.pid = peer.pid;
    this.#closeTimeout = options.closeTimeout ?? CLOSE_TIMEOUT;
    // A broken pipe is handled when the process ends.
    for (const stream of streamsOf(peer)) stream.on("error", () => {});
    const log: string[] = [];
    if (peer.stderr !== undefined) {
      createInterface({ input: peer.stderr }).on("line", (line) => {
        log.push(line);
        if (log.length > LOG_LINES) log.shift();
        options.log?.(line);
      });
    }
    this.#rpc = createMessageConnection(this.#reader(), this.#writer(), undefined, {
      messageStrategy: {
        handleMessage: (message, next) => {
          this.#activity += 1;
          return next(message);
        },
      },
    });
    this.#rpc.onError(() => {});
    this.closed = peer.ended.then(async (exit) => {
      await this.#drained();
      this.#rpc.dispose();
      return { ...exit, log };
    });
  }

  /** Start the daemon, but send nothing yet. Throws `DaemonNotFound`. */
  static async start(options: DaemonOptions): Promise<Connection> {
    if (options.streams !== undefined) return new Connection(given(options.streams), options);
    const path = commandOf(options);
    const env = options.env ?? process.env;
    const child = spawn(path, options.args ?? [], {
      cwd: options.cwd,
      env: options.shared === undefined ? env : { ...env, SESSIOND_SHARED: options.shared ? "1" : "0" },
      stdio: ["pipe", "pipe", "pipe"],
      // Ctrl-C in a terminal is for the program; the daemon ends with its input.
      detached: process.platform !== "win32",
    });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error: NodeJS.ErrnoException) => {
        reject(new ClientError("DaemonNotFound", notStarted(path, options, error), error));
      });
    });
    child.on("error", () => {});
    return new Connection(spawned(child), options);
  }

  on(notification: string, listener: (params: unknown) => void): void {
    this.#rpc.onNotification(notification, listener);
  }

  /** Start to listen, and send `initialize`. */
  async initialize(params: InitializeParams): Promise<InitializeResult> {
    this.#rpc.listen();
    const offered = { protocolVersions: [PROTOCOL_VERSION], ...params };
    const result = (await this.request("initialize", offered)) as InitializeResult;
    const { protocolVersion } = result;
    if (protocolVersion !== PROTOCOL_VERSION) {
      const text = `the daemon speaks protocol version ${protocolVersion}, and this client version ${PROTOCOL_VERSION}`;
      const data = { kind: "UnsupportedVersion", retryable: false, supported: [protocolVersion] };
      throw new SessiondError("initialize", 1021, text, data);
    }
    await this.notify("initialized");
    return result;
  }

  /**
   * Send a request. `params` must be a different object for every request.
   * Throws SessiondError; ConnectionLost if the process ends before it answers; and ClientError
   * if the params cannot be encoded as JSON.
   */
  async request(method: string, params?: object, signal?: AbortSignal): Promise<unknown> {
    const cancellation = signal === undefined ? undefined : new CancellationTokenSource();
    const cancel = () => cancellation?.cancel();
    signal?.addEventListener("abort", cancel);
    if (signal?.aborted) cancel();
    const token = cancellation === undefined ? [] : [cancellation.token];
    try {
      if (params === undefined) return await this.#rpc.sendRequest(method, ...token);
      return await new Promise((resolve, reject) => {
        this.#sizes.set(params, { size: 0, refuse: reject });
        this.#rpc
          .sendRequest(method, ParameterStructures.byName, params, ...token)
          .then(resolve, reject);
      });
    } catch (error) {
      throw understood(method, error);
    } finally {
      if (params !== undefined) this.#sizes.delete(params);
      signal?.removeEventListener("abort", cancel);
      cancellation?.dispose();
    }
  }

  async notify(method: string, params?: object): Promise<void> {
    try {
      if (params === undefined) await this.#rpc.sendNotification(method);
      else await this.#rpc.sendNotification(method, ParameterStructures.byName, params);
    } catch {
      // The process has ended, and the requests in flight fail with that reason.
    }
  }

  /** Shut the process down, after it has answered the requests in flight. */
  async close(): Promise<Exit> {
    const timer = setTimeout(() => this.#peer.kill(), this.#closeTimeout);
    try {
      await this.request("shutdown");
      await this.notify("exit");
    } catch {
      // The process was already ending.
    }
    this.#peer.stdin.end();
    const exit = await this.closed;
    clearTimeout(timer);
    return exit;
  }

  kill(): void {
    this.#peer.kill();
  }

  /** Choose whether the child process keeps this process alive. */
  hold(held: boolean): void {
    const streams = streamsOf(this.#peer) as { ref?(): void; unref?(): void }[];
    for (const each of [this.#peer, ...streams]) {
      if (held) each.ref?.();
      else each.unref?.();
    }
  }

  #reader(): StreamMessageReader {
    return new StreamMessageReader(this.#peer.stdout, {
      charset: "utf-8",
      contentTypeDecoder: {
        name: "application/json",
        decode: async (body) => {
          this.#activity += 1;
          const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
          const message = JSON.parse(bytes.toString("utf-8")) as Message;
          this.#noteRefusal(message);
          return message;
        },
      },
    });
  }

  #writer(): StreamMessageWriter {
    return new StreamMessageWriter(this.#peer.stdin, {
      charset: "utf-8",
      contentTypeEncoder: {
        name: "application/json",
        encode: async (message) => {
          const request = (message as { params?: object }).params;
          const sized = request === undefined ? undefined : this.#sizes.get(request);
          try {
            const body = Buffer.from(encoded(message), "utf-8");
            if (sized !== undefined) sized.size = body.byteLength;
            return body;
          } catch (error) {
            const text = `the params cannot be encoded as JSON: ${String(error)}`;
            sized?.refuse(new ClientError("Unsendable", text, error));
            throw error;
          }
        },
      },
    });
  }

  /** An answer to a message that was too large has no id; find its request by the size. */
  #noteRefusal(message: Message): void {
    const { id, error } = message as { id?: unknown; error?: Refusal };
    if (id !== null || error?.data?.kind !== "TooLarge") return;
    for (const { size, refuse } of this.#sizes.values()) {
      if (size > Number(error.data.limit)) {
        refuse(new ResponseError(error.code, error.message, error.data));
      }
    }
  }

  /** Wait until the library, which works in several turns of the event loop, has handled everything. */
  async #drained(): Promise<void> {
    for (let quiet = 0, seen = -1; quiet < QUIET_TURNS; quiet += 1) {
      if (this.#activity !== seen) quiet = 0;
      seen = this.#activity;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

function spawned(child: Child): Peer {
  const ended = new Promise<Pick<Exit, "code" | "signal">>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  const { stdin, stdout, stderr, pid } = child;
  return {
    ...{ stdin, stdout, stderr, pid, ended },
    kill: () => child.kill("SIGKILL"),
    ref: () => child.ref(),
    unref: () => child.unref(),
  };
}

function given({ input, output }: NonNullable<DaemonOptions["streams"]>): Peer {
  const ended = new Promise<Pick<Exit, "code" | "signal">>((resolve) => {
    for (const event of ["end", "close"]) {
      output.once(event, () => resolve({ code: null, signal: null }));
    }
  });
  const kill = () => void [input.destroy(), output.destroy()];
  return { stdin: input, stdout: output, ended, kill, ref: () => {}, unref: () => {} };
}

function streamsOf({ stdin, stdout, stderr }: Peer): (Readable | Writable)[] {
  return stderr === undefined ? [stdin, stdout] : [stdin, stdout, stderr];
}

export function commandOf(options: DaemonOptions): string {
  return options.path ?? (options.env ?? process.env)["SESSIOND"] ?? "sessiond";
}

function notStarted(path: string, options: DaemonOptions, error: NodeJS.ErrnoException): string {
  if (error.code === "ENOENT" && options.cwd === undefined) {
    return (
      `the command ${path} was not found: install sessiond (\`pip install .\` in a checkout of it), or name` +
      " the command with the option `path` or the environment variable SESSIOND"
    );
  }
  return `the command ${path} cannot be started: ${error.message}`;
}

function understood(method: string, error: unknown): unknown {
  if (error instanceof ClientError) return error;
  if (error instanceof ResponseError && !OWN_CODES.has(error.code)) {
    return new SessiondError(method, error.code, error.message, error.data);
  }
  return new ConnectionLost(method, error);
}
