import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";

import type { CallOptions } from "./call-options.js";
import {
  Connection,
  ConnectionLost,
  commandOf,
  type DaemonOptions,
  type Exit,
} from "./connection.js";
import { ClientError, SessiondError } from "./errors.js";
import { Emitter, type Disposable } from "./events.js";
import { methodFacts, notificationShapes, Methods } from "./generated/methods.js";
import type { MethodFacts, MethodTypes } from "./generated/methods.js";
import type { InitializeResult } from "./generated/types.js";
import { JsonText } from "./json-text.js";
import { Handles, type Restored } from "./sessions.js";
import { revive } from "./shapes.js";

export interface ClientOptions extends DaemonOptions {
  /** Start the daemon again when it ends without having been asked to; true unless given. */
  readonly restart?: boolean | undefined;
  /** Let this process end although the client is open, as long as nothing is under way. */
  readonly background?: boolean | undefined;
}

/** A daemon was started in place of one that had ended. */
export interface RestartEvent extends Restored {
  readonly exit: Exit;
}

type Json = Record<string, unknown>;

interface Call {
  readonly method: string;
  readonly params: Json | undefined;
  /** In place of `params`, which then only tells what is in it. */
  readonly text: JsonText | undefined;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** How many daemons have ended during it. */
  interruptions: number;
  sent: boolean;
  readonly forget: () => void;
}

const UNKNOWN: MethodFacts = { result: "any", repeatable: false, appends: false };
const GIVE_UP = 3;
const PAUSE = 100;

const { version: VERSION } = createRequire(import.meta.url)("../package.json") as {
  version: string;
};

/** A daemon, and every method of it as a function. Started with {@link Sessiond.start}. */
export class Sessiond extends Methods {
  readonly #options: ClientOptions;
  readonly #handles = new Handles();
  readonly #emitters = new Map<string, Emitter<never>>();
  readonly #restarted = new Emitter<RestartEvent>();
  readonly #exited = new Emitter<Exit>();
  readonly #failed = new Emitter<ClientError>();
  /** What was asked and not answered, in order. */
  readonly #calls = new Set<Call>();
  #connection: Connection | undefined;
  #settings: InitializeResult | undefined;
  /** Why nothing is sent any more. */
  #over: ClientError | undefined;
  #closing: Promise<void> | undefined;
  #restarting: Promise<void> | undefined;
  /** Daemons that ended in a row without having answered anything. */
  #crashes = 0;

  private constructor(options: ClientOptions) {
    super();
    this.#options = options;
  }

  /** Start a daemon. Raises ClientError `DaemonNotFound` or `DaemonFailed`, and SessiondError. */
  static async start(options: ClientOptions = {}): Promise<Sessiond> {
    const client = new Sessiond(options);
    client.#use(await client.#connected());
    return client;
  }

  /** The settings in force, as the daemon answered `initialize`. */
  get settings(): InitializeResult {
    if (this.#settings === undefined) throw new Error("the client was not started");
    return this.#settings;
  }

  /** Id of the daemon's process; undefined while there is none. */
  get pid(): number | undefined {
    return this.#connection?.pid;
  }

  /** Call a method by its name on the wire. */
  request<M extends keyof MethodTypes>(
    method: M,
    params: MethodTypes[M]["params"],
    options?: CallOptions,
  ): Promise<MethodTypes[M]["result"]>;
  request(method: string, params?: object, options?: CallOptions): Promise<unknown>;
  request(method: string, params?: object, options?: CallOptions): Promise<unknown> {
    return this.call(method, params, options);
  }

  /** Send a notification by its name on the wire; while no daemon runs it is dropped. */
  async notify(method: string, params?: object): Promise<void> {
    await this.#connection?.notify(method, params);
  }

  /** Hear of every daemon that ended, asked to or not. */
  onDidExit(listener: (exit: Exit) => void): Disposable {
    return this.#exited.listen(listener);
  }

  /** Hear of daemons that were started in place of one that had ended. */
  onDidRestart(listener: (event: RestartEvent) => void): Disposable {
    return this.#restarted.listen(listener);
  }

  /** Hear that the client has given up, because the daemon ended and will not be started again. */
  onDidFail(listener: (error: ClientError) => void): Disposable {
    return this.#failed.listen(listener);
  }

  /** Answer what is under way, then end the daemon. Settles when its process is gone. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  protected override call(
    method: string,
    params: object | undefined,
    options: CallOptions | undefined,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#over !== undefined || this.#closing !== undefined) {
        return reject(this.#over ?? new ClientError("Closed", "the client was closed"));
      }
      const signal = options?.signal;
      if (signal?.aborted) return reject(signal.reason);
      const aborted = () => {
        if (!call.sent && this.#calls.has(call)) this.#settle(call, () => reject(signal?.reason));
      };
      const call: Call = {
        method,
        params: params instanceof JsonText ? parsed(params) : prepared(method, params),
        text: params instanceof JsonText ? params : undefined,
        signal,
        resolve,
        reject,
        interruptions: 0,
        sent: false,
        forget: () => signal?.removeEventListener("abort", aborted),
      };
      signal?.addEventListener("abort", aborted);
      this.#calls.add(call);
      if (this.#options.background) this.#connection?.hold(true);
      if (this.#connection !== undefined) this.#send(this.#connection, call);
    });
  }

  protected override listen(
    notification: string,
    listener: (params: never) => void,
  ): Disposable {
    let emitter = this.#emitters.get(notification);
    if (emitter === undefined) this.#emitters.set(notification, (emitter = new Emitter()));
    return emitter.listen(listener);
  }

  #send(connection: Connection, call: Call): void {
    let sent: object | undefined = call.text;
    try {
      if (call.params !== undefined) sent ??= this.#handles.outward(call.params);
    } catch (error) {
      return this.#settle(call, () => call.reject(error));
    }
    call.sent = true;
    connection.request(call.method, sent, call.signal).then(
      (result) => this.#settle(call, () => this.#resolve(call, result)),
      (error: unknown) => {
        // What a dead daemon owes is settled when a new one is there, or none will be.
        if (error instanceof ConnectionLost) {
          call.sent &&= error.sent;
          return;
        }
        if (error instanceof SessiondError) this.#crashes = 0;
        const cancelled = call.signal?.aborted && isCancelled(error);
        const reason = cancelled
          ? call.signal?.reason
          : this.#handles.refused(call.params, error);
        this.#settle(call, () => call.reject(reason));
      },
    );
  }

  #resolve({ method, params, resolve, reject }: Call, result: unknown): void {
    this.#crashes = 0;
    const facts = factsOf(method);
    try {
      const revived = revive(facts.result, result);
      resolve(this.#handles.answered(method, params ?? {}, facts, revived));
    } catch (error) {
      reject(error);
    }
  }

  #settle(call: Call, settle: () => void): void {
    this.#calls.delete(call);
    call.forget();
    if (this.#options.background && this.#calls.size === 0) this.#connection?.hold(false);
    settle();
  }

  /** Start a process and settle its settings. */
  async #connected(): Promise<Connection> {
    const connection = await Connection.spawn(this.#options);
    for (const [name, shape] of Object.entries(notificationShapes)) {
      connection.on(name, (params) => {
        const told = this.#handles.notified((params ?? {}) as Json);
        if (told !== undefined) this.#emitters.get(name)?.fire(revive(shape, told) as never);
      });
    }
    try {
      this.#settings = await connection.initialize({
        clientInfo: { name: "sessiond-client (TypeScript)", version: VERSION },
        processId: process.pid,
        ...this.#options.initialize,
      });
    } catch (error) {
      connection.kill();
      const exit = await connection.closed;
      if (error instanceof ConnectionLost) throw this.#ended(exit, "before it was ready");
      throw error;
    }
    return connection;
  }

  #use(connection: Connection): void {
    this.#connection = connection;
    if (this.#options.background) connection.hold(this.#calls.size > 0);
    void connection.closed.then((exit) => {
      if (this.#connection !== connection) return;
      this.#connection = undefined;
      this.#exited.fire(exit);
      if (this.#closing === undefined) this.#restarting = this.#restart(exit);
      else this.#end(new ClientError("Closed", "the client was closed"));
    });
  }

  async #restart(exit: Exit): Promise<void> {
    if (this.#options.restart === false) return this.#fail(this.#ended(exit, "unexpectedly"));
    this.#dropUnrepeatable();
    let failure = this.#ended(exit, `${GIVE_UP} times in a row without answering anything`);
    while ((this.#crashes += 1) < GIVE_UP) {
      let connection: Connection | undefined;
      try {
        connection = await this.#connected();
        const restored = await this.#handles.restore(connection);
        if (this.#closing !== undefined) {
          await connection.close();
          return this.#end(new ClientError("Closed", "the client was closed"));
        }
        this.#use(connection);
        this.#resend(connection);
        this.#restarted.fire({ ...restored, exit });
        return;
      } catch (error) {
        connection?.kill();
        if (!(error instanceof ConnectionLost)) failure = asFailure(error);
        await new Promise((resolve) => setTimeout(resolve, PAUSE * this.#crashes));
      }
      if (this.#closing !== undefined) {
        return this.#end(new ClientError("Closed", "the client was closed"));
      }
    }
    this.#fail(failure);
  }

  /** Fail what cannot be asked twice, and what was to come after it in the same session. */
  #dropUnrepeatable(): void {
    const broken = new Set<unknown>();
    for (const call of this.#calls) {
      if (!call.sent) continue;
      call.sent = false;
      call.interruptions += 1;
      const session = call.params?.["session"];
      if (
        call.signal?.aborted ||
        !factsOf(call.method).repeatable ||
        call.text !== undefined ||
        call.interruptions >= GIVE_UP ||
        (session !== undefined && broken.has(session))
      ) {
        if (session !== undefined && !call.signal?.aborted) broken.add(session);
        const text = `the daemon ended during ${call.method}; nobody knows whether it was done`;
        const reason = call.signal?.aborted
          ? (call.signal.reason as unknown)
          : new ClientError("Interrupted", text);
        this.#settle(call, () => call.reject(reason));
      }
    }
  }

  #resend(connection: Connection): void {
    for (const call of [...this.#calls]) {
      this.#send(connection, call);
      const { session, entryId, newEntryId } = call.params ?? {};
      if (call.interruptions > 0 && entryId !== undefined && newEntryId !== undefined) {
        // An entry that is there already moves the leaf only from its own parent.
        const params = { session, entryId: newEntryId };
        connection.request("session/branch", this.#handles.outward(params)).catch(() => {});
      }
    }
  }

  async #close(): Promise<void> {
    // What has begun to start must not be left behind; it sees that it is not wanted any more.
    if (this.#connection === undefined) await this.#restarting;
    const connection = this.#connection;
    if (connection !== undefined) {
      connection.hold(true);
      await connection.close();
    }
    this.#end(new ClientError("Closed", "the client was closed"));
  }

  #fail(error: ClientError): void {
    this.#end(error);
    this.#failed.fire(error);
  }

  #end(error: ClientError): void {
    this.#over ??= error;
    for (const call of [...this.#calls]) this.#settle(call, () => call.reject(error));
  }

  #ended({ code, signal, log }: Exit, when: string): ClientError {
    const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
    const last = log.length > 0 ? `; its last words:\n${log.join("\n")}` : "";
    const text = `${commandOf(this.#options)} ended ${when} (${how})${last}`;
    return new ClientError("DaemonFailed", text);
  }
}

/** Own copy of the params, with an id for a new entry that makes sending it again safe. */
function prepared(method: string, params: object | undefined): Json | undefined {
  if (params === undefined) return undefined;
  const own: Json = { ...params };
  if (factsOf(method).appends) own["newEntryId"] ??= randomBytes(8).toString("hex");
  return own;
}

/** What a text says, as far as it can be told. */
function parsed({ text }: JsonText): Json {
  try {
    return { ...(JSON.parse(text) as object) };
  } catch {
    return {};
  }
}

function factsOf(method: string): MethodFacts {
  return (Object.hasOwn(methodFacts, method) ? methodFacts[method] : undefined) ?? UNKNOWN;
}

function isCancelled(error: unknown): boolean {
  return error instanceof SessiondError && error.is("RequestCancelled");
}

function asFailure(error: unknown): ClientError {
  return error instanceof ClientError
    ? error
    : new ClientError("DaemonFailed", "the daemon could not be started again", error);
}
