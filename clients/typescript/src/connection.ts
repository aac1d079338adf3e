// One process of the daemon, and the messages to and from it. It does not know about sessions.

import { spawn, type ChildProcessByStdio } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

import { ClientError, SessiondError } from "./errors.js";
import { bodies, framed } from "./framing.js";
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
  constructor(method: string) {
    super(`the daemon ended during ${method}`);
  }
}

/** A message of the daemon. */
interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: Refusal;
}

interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly data?: { readonly kind?: unknown; readonly limit?: unknown };
}

interface Pending {
  readonly method: string;
  /** Of its body, in bytes. */
  readonly size: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
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
const CLOSE_TIMEOUT = 10_000;

export class Connection {
  /** Resolves when the process has ended and all its messages have been handled. */
  readonly closed: Promise<Exit>;
  /** The process id; undefined: streams were given. */
  readonly pid: number | undefined;

  readonly #peer: Peer;
  readonly #closeTimeout: number;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Map<string, (params: unknown) => void>();
  #lastId = 0;
  #over = false;

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
    this.closed = Promise.all([peer.ended, this.#read()]).then(([exit]) => {
      this.#over = true;
      for (const { method, reject } of this.#pending.values()) reject(new ConnectionLost(method));
      this.#pending.clear();
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
    this.#listeners.set(notification, listener);
  }

  /** Send `initialize`. */
  async initialize(params: InitializeParams): Promise<InitializeResult> {
    const offered = { protocolVersions: [PROTOCOL_VERSION], ...params };
    const result = (await this.request("initialize", offered)) as InitializeResult;
    const { protocolVersion } = result;
    if (protocolVersion !== PROTOCOL_VERSION) {
      const text = `the daemon speaks protocol version ${protocolVersion}, and this client version ${PROTOCOL_VERSION}`;
      const data = { kind: "UnsupportedVersion", retryable: false, supported: [protocolVersion] };
      throw new SessiondError("initialize", 1021, text, data);
    }
    this.notify("initialized");
    return result;
  }

  /**
   * Send a request. Throws SessiondError; ConnectionLost if the process ends before it answers; and
   * ClientError if the params cannot be encoded as JSON.
   */
  async request(method: string, params?: object, signal?: AbortSignal): Promise<unknown> {
    const id = (this.#lastId += 1);
    const body = bodyOf({ jsonrpc: "2.0", id, method, params });
    if (this.#over || !this.#peer.stdin.writable) throw new ConnectionLost(method);
    const cancel = () => this.notify("$/cancelRequest", { id });
    try {
      return await new Promise((resolve, reject) => {
        this.#pending.set(id, { method, size: body.length, resolve, reject });
        this.#peer.stdin.write(framed(body));
        signal?.addEventListener("abort", cancel);
        if (signal?.aborted) cancel();
      });
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  /** Send a notification. If the process has ended, the requests in flight fail with that reason. */
  notify(method: string, params?: object): void {
    if (this.#peer.stdin.writable) {
      this.#peer.stdin.write(framed(bodyOf({ jsonrpc: "2.0", method, params })));
    }
  }

  /** Shut the process down, after it has answered the requests in flight. */
  async close(): Promise<Exit> {
    const timer = setTimeout(() => this.#peer.kill(), this.#closeTimeout);
    try {
      await this.request("shutdown");
      this.notify("exit");
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

  /** Handle every message, until there are no more. */
  async #read(): Promise<void> {
    try {
      for await (const body of bodies(this.#peer.stdout)) {
        const message = JSON.parse(body.toString()) as Message;
        if (message.method !== undefined) {
          this.#listeners.get(message.method)?.(message.params);
        } else {
          this.#answered(message);
          // What waited for the answer sees it before the next message.
          await new Promise((resolve) => setImmediate(resolve));
        }
      }
    } catch {
      // Nothing that can be understood comes from there any more.
      this.#peer.kill();
    }
  }

  #answered({ id, result, error }: Message): void {
    const request = this.#pending.get(id as number);
    if (request === undefined) {
      if (error !== undefined) this.#tooLarge(error);
      return;
    }
    this.#pending.delete(id as number);
    if (error === undefined) request.resolve(result);
    else request.reject(refused(request, error));
  }

  /** An answer to a message that was too large has no id; find its request by the size. */
  #tooLarge(error: Refusal): void {
    if (error.data?.kind !== "TooLarge") return;
    for (const [id, request] of this.#pending) {
      if (request.size > Number(error.data.limit)) {
        this.#pending.delete(id);
        request.reject(refused(request, error));
      }
    }
  }
}

function bodyOf(message: object): Buffer {
  try {
    return Buffer.from(encoded(message));
  } catch (error) {
    throw new ClientError("Unsendable", `the params cannot be encoded as JSON: ${String(error)}`, error);
  }
}

function refused({ method }: Pending, { code, message, data }: Refusal): SessiondError {
  return new SessiondError(method, code, message, data);
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
