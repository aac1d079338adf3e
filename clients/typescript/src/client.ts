import { signalOf, type CallOptions } from "./call-options.js";
import { Calls } from "./calls.js";
import {
  Connection,
  ConnectionLost,
  commandOf,
  type DaemonOptions,
  type Exit,
} from "./connection.js";
import { ClientError, SessiondError, placed } from "./errors.js";
import { Emitter, type Disposable } from "./events.js";
import { notifications } from "./generated/methods.js";
import type { MethodTypes } from "./generated/methods.js";
import type { InitializeResult } from "./generated/types.js";
import { VERSION } from "./generated/version.js";
import { JsonText } from "./json-text.js";
import { factsOf, parsed, prepared, type Call, type Json } from "./pending.js";
import { Open, type Restored } from "./sessions.js";

export interface ClientOptions extends DaemonOptions {
  /** Start the daemon again when it ends unexpectedly; the default is true. */
  readonly restart?: boolean | undefined;
  /** Let this process exit while the client is open, unless calls are in flight. */
  readonly background?: boolean | undefined;
}

/** The daemon ended, was started again, and has opened everything again. */
export interface Reconnected extends Restored {
  readonly exit: Exit;
}

const GIVE_UP = 3;
const PAUSE = 100;

/** A client with its own daemon: every method is a function. Create it with {@link Sessiond.start}. */
export class Sessiond extends Calls {
  readonly #options: ClientOptions;
  readonly #emitters = new Map<string, Emitter<never>>();
  protected override readonly opened = new Open();
  readonly #reconnected = new Emitter<Reconnected>();
  readonly #exited = new Emitter<Exit>();
  readonly #lost = new Emitter<ClientError>();
  /** The calls without an answer, in order. */
  readonly #calls = new Set<Call>();
  #connection: Connection | undefined;
  #settings: InitializeResult | undefined;
  /** Why the client no longer sends anything. */
  #over: ClientError | undefined;
  #closing: Promise<void> | undefined;
  #restarting: Promise<void> | undefined;
  /** Notifications that are passed on after the restart; undefined: there is none in progress. */
  #held: (() => void)[] | undefined;
  /** How many times in a row the daemon ended without an answer. */
  #crashes = 0;

  private constructor(options: ClientOptions) {
    super();
    this.#options = options;
  }

  /** Start a daemon. Throws ClientError `DaemonNotFound` or `DaemonFailed`, or SessiondError. */
  static async start(options: ClientOptions = {}): Promise<Sessiond> {
    const here = placed(Sessiond.start);
    const client = new Sessiond(options);
    try {
      client.#use(await client.#connected());
    } catch (error) {
      throw here(error);
    }
    return client;
  }

  /** The daemon's answer to `initialize`. */
  get settings(): InitializeResult {
    if (this.#settings === undefined) throw new Error("the client was not started");
    return this.#settings;
  }

  /** The process id of the daemon; undefined while none is running. */
  get pid(): number | undefined {
    return this.#connection?.pid;
  }

  /** Call a method by its name in the contract. */
  request<M extends keyof MethodTypes>(
    method: M,
    params: MethodTypes[M]["params"],
    options?: CallOptions,
  ): Promise<MethodTypes[M]["result"]>;
  request(method: string, params?: object, options?: CallOptions): Promise<unknown>;
  request(method: string, params?: object, options?: CallOptions): Promise<unknown> {
    return this.call(method, params, options);
  }

  /** Listen for the end of the daemon, whether expected or not. */
  onDidExit(listener: (exit: Exit) => void): Disposable {
    return this.#exited.listen(listener);
  }

  /** Listen for restarts of the daemon after an unexpected end. */
  onReconnected(listener: (event: Reconnected) => void): Disposable {
    return this.#reconnected.listen(listener);
  }

  /** Listen for the final failure: the daemon ended and will not be started again. */
  onLost(listener: (error: ClientError) => void): Disposable {
    return this.#lost.listen(listener);
  }

  /** Wait for the calls in flight, then end the daemon. Resolves when its process has ended. */
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
    const here = placed(this.call);
    return new Promise((resolve, refuse) => {
      const reject = (error: unknown) => refuse(here(error));
      if (this.#over !== undefined || this.#closing !== undefined) {
        return reject(this.#over ?? wasClosed());
      }
      const signal = signalOf(options, here);
      if (signal?.aborted) return refuse(signal.reason);
      const aborted = () => {
        if (this.#calls.has(call)) this.#settle(call, () => refuse(signal?.reason));
      };
      const call: Call = {
        method,
        params: params instanceof JsonText ? parsed(params) : prepared(method, params),
        text: params instanceof JsonText ? params : undefined,
        signal,
        resolve,
        reject,
        interruptions: 0,
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
    try {
      this.opened.check(call.params);
    } catch (error) {
      return this.#settle(call, () => call.reject(error));
    }
    connection.request(call.method, call.text ?? call.params, call.signal).then(
      (result) => {
        if (!this.#calls.has(call)) return this.#closeUnused(connection, call, result);
        this.#crashes = 0;
        this.opened.answered(call.method, call.params ?? {}, result);
        this.#settle(call, () => call.resolve(result));
      },
      (error: unknown) => {
        // The call is sent again after the restart, or fails if there is none.
        if (error instanceof ConnectionLost) return;
        if (error instanceof SessiondError) this.#crashes = 0;
        this.#settle(call, () => call.reject(error));
      },
    );
  }

  /** Handle the answer to a call that was given up: nobody will use what it opened. */
  #closeUnused(connection: Connection, call: Call, result: unknown): void {
    const { opens } = factsOf(call.method);
    if (opens === undefined) return this.opened.answered(call.method, call.params ?? {}, result);
    const ending =
      opens === "session" ? "session/close" : call.method.replace(/[^/]*$/, "unsubscribe");
    const handle = (result as Json)[opens];
    // If the daemon ends instead, there is nothing left to close.
    connection.request(ending, { [opens]: handle }).catch(() => {});
  }

  #settle(call: Call, settle: () => void): void {
    this.#calls.delete(call);
    call.forget();
    if (this.#options.background && this.#calls.size === 0) this.#connection?.hold(false);
    settle();
  }

  /** Start a process and send `initialize`. */
  async #connected(): Promise<Connection> {
    const connection = await Connection.start(this.#options);
    for (const name of notifications) {
      connection.on(name, (params) => {
        const told = (params ?? {}) as Json;
        if (!this.opened.notified(told)) return;
        const pass = () => {
          this.#emitters.get(name)?.fire(told as never);
          this.opened.pass(name, told);
        };
        if (this.#held === undefined) pass();
        else this.#held.push(pass);
      });
    }
    try {
      this.#settings = await connection.initialize({
        clientInfo: { name: "sessiond-client (TypeScript)", version: VERSION },
        // A daemon at the other end of given streams may be on another host.
        ...(this.#options.streams === undefined ? { processId: process.pid } : {}),
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
    });
  }

  async #restart(exit: Exit): Promise<void> {
    if (this.#options.restart === false || this.#options.streams !== undefined) {
      return this.#fail(this.#ended(exit, "unexpectedly"));
    }
    this.#dropUnrepeatable();
    let failure = this.#ended(exit, `${GIVE_UP} times in a row without answering anything`);
    while ((this.#crashes += 1) < GIVE_UP) {
      let connection: Connection | undefined;
      // What the new daemon tells while sessions are opened again follows `reconnected`.
      this.#held = [];
      try {
        connection = await this.#connected();
        const restored = await this.opened.restore(connection);
        if (this.#closing !== undefined) await connection.close();
        else this.#reopened(connection, { ...restored, exit });
        return;
      } catch (error) {
        connection?.kill();
        if (!(error instanceof ConnectionLost)) failure = asFailure(error);
        await new Promise((resolve) => setTimeout(resolve, PAUSE * this.#crashes));
      }
      if (this.#closing !== undefined) return;
    }
    this.#fail(failure);
  }

  #reopened(connection: Connection, event: Reconnected): void {
    this.#use(connection);
    for (const call of [...this.#calls]) this.#send(connection, call);
    this.opened.restored(event);
    this.#reconnected.fire(event);
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const pass of held) pass();
  }

  /** Fail the calls that cannot be repeated, and later calls to the same session. */
  #dropUnrepeatable(): void {
    const broken = new Set<unknown>();
    for (const call of this.#calls) {
      call.interruptions += 1;
      const session = call.params?.["session"];
      if (
        !factsOf(call.method).repeatable ||
        call.text !== undefined ||
        call.interruptions >= GIVE_UP ||
        (session !== undefined && broken.has(session))
      ) {
        if (session !== undefined) broken.add(session);
        const text = `the daemon ended during ${call.method}, which may have been carried out`;
        this.#settle(call, () => call.reject(new ClientError("Interrupted", text)));
      }
    }
  }

  async #close(): Promise<void> {
    // Wait for a restart in progress, which sees `#closing` and ends its process.
    if (this.#connection === undefined) await this.#restarting;
    const connection = this.#connection;
    if (connection !== undefined) {
      connection.hold(true);
      await connection.close();
    }
    this.#end(wasClosed());
  }

  #fail(error: ClientError): void {
    this.opened.end(error);
    this.#end(error);
    this.#lost.fire(error);
  }

  #end(error: ClientError): void {
    this.#over ??= error;
    this.opened.end();
    for (const call of [...this.#calls]) this.#settle(call, () => call.reject(error));
  }

  #ended({ code, signal, log }: Exit, when: string): ClientError {
    if (this.#options.streams !== undefined) {
      return new ClientError("DaemonFailed", `the stream of the daemon ended ${when}`);
    }
    const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
    const last = log.length > 0 ? `; its last log lines:\n${log.join("\n")}` : "";
    const text = `${commandOf(this.#options)} ended ${when} (${how})${last}`;
    return new ClientError("DaemonFailed", text);
  }
}

function wasClosed(): ClientError {
  return new ClientError("Closed", "the client was closed");
}

function asFailure(error: unknown): ClientError {
  return error instanceof ClientError
    ? error
    : new ClientError("DaemonFailed", "the daemon could not be started again", error);
}
