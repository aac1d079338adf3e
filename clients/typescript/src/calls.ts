import type { CallOptions } from "./call-options.js";
import { Methods } from "./generated/methods.js";
import type {
  CatalogDidChangeParams,
  CatalogSearchParams,
  CatalogSearchResult,
  CatalogSubscribeParams,
  CatalogSubscribeResult,
  ContinueRecentParams,
  CreateParams,
  ForkFromParams,
  GatewayDidChangeParams,
  GatewaySubscribeParams,
  GatewaySubscribeResult,
  InMemoryParams,
  ListAllParams,
  ListResult,
  OpenParams,
  SearchHit,
  SessionInfo,
  SessionState,
} from "./generated/types.js";
import { pages, type Items, type Paged } from "./pages.js";
import { Session, Subscription, type Caller } from "./session.js";
import type { Open } from "./sessions.js";
import { withRest } from "./short-form.js";

/** Sizes of pages. */
const SESSIONS = 100;
const HITS = 50;

type OfDirectory = Paged<ListAllParams> & { readonly cwd?: string | undefined };

/** The methods of a client that return objects with methods, and iterators over pages. */
export abstract class Calls extends Methods implements Caller {
  protected abstract readonly opened: Open;

  abstract request(method: string, params?: object, options?: CallOptions): Promise<unknown>;

  /** Open a session by its file or its `id`; with `mustExist: false` a missing file becomes a new one. */
  open(path: string, params?: Omit<OpenParams, "path">, options?: CallOptions): Promise<Session>;
  open(params: OpenParams, options?: CallOptions): Promise<Session>;
  async open(first: unknown, second?: object, third?: CallOptions): Promise<Session> {
    const [params, options] = withRest("path", first, second, third);
    const { mustExist = true, ...rest } = params as OpenParams;
    return this.#opened(await this.sessionOpen({ ...rest, mustExist }, options));
  }

  /** Create a session; its file is written with the first user or assistant message. */
  create(cwd: string, params?: Omit<CreateParams, "cwd">, options?: CallOptions): Promise<Session>;
  create(params: CreateParams, options?: CallOptions): Promise<Session>;
  async create(first: unknown, second?: object, third?: CallOptions): Promise<Session> {
    const [params, options] = withRest("cwd", first, second, third);
    return this.#opened(await this.sessionCreate(params as CreateParams, options));
  }

  /** Open the most recent session of a working directory, or create one. */
  continueRecent(
    cwd: string,
    params?: Omit<ContinueRecentParams, "cwd">,
    options?: CallOptions,
  ): Promise<Session>;
  continueRecent(params: ContinueRecentParams, options?: CallOptions): Promise<Session>;
  async continueRecent(first: unknown, second?: object, third?: CallOptions): Promise<Session> {
    const [params, options] = withRest("cwd", first, second, third);
    const recent = await this.sessionContinueRecent(params as ContinueRecentParams, options);
    return this.#opened(recent);
  }

  /** Create a session without a file. */
  async inMemory(params: InMemoryParams = {}, options?: CallOptions): Promise<Session> {
    return this.#opened(await this.sessionInMemory(params, options));
  }

  /** Copy a session into a new file for another working directory, and open the copy. */
  async forkFrom(params: ForkFromParams, options?: CallOptions): Promise<Session> {
    return this.#opened(await this.sessionForkFrom(params, options));
  }

  /** Subscribe to the sessions of a directory, or to all. */
  async subscribeCatalog(
    params: CatalogSubscribeParams = {},
    options?: CallOptions,
  ): Promise<Subscription<CatalogSubscribeResult, CatalogDidChangeParams>> {
    return this.#subscribed(await this.catalogSubscribe(params, options), (subscription) =>
      this.catalogUnsubscribe({ subscription }),
    );
  }

  /** Subscribe to the session stores of a gateway. */
  async subscribeGateway(
    params: GatewaySubscribeParams = {},
    options?: CallOptions,
  ): Promise<Subscription<GatewaySubscribeResult, GatewayDidChangeParams>> {
    return this.#subscribed(await this.gatewaySubscribe(params, options), (subscription) =>
      this.gatewayUnsubscribe({ subscription }),
    );
  }

  /** All sessions of a working directory, or of all if there is no `cwd`, the latest first. */
  sessions(cwd: string, params?: Paged<ListAllParams>, options?: CallOptions): Items<SessionInfo>;
  sessions(params?: OfDirectory, options?: CallOptions): Items<SessionInfo>;
  sessions(first?: unknown, second?: object, third?: CallOptions): Items<SessionInfo> {
    const [params, options] = withRest("cwd", first, second, third);
    const { cwd, pageSize = SESSIONS, ...rest } = params as OfDirectory;
    const read = (position: object): Promise<ListResult> =>
      cwd === undefined
        ? this.sessionListAll({ ...rest, ...position }, options)
        : this.sessionList({ ...rest, ...position, cwd }, options);
    return pages(read, (page) => page.sessions, pageSize);
  }

  /** All results of a search. */
  search(
    query: string,
    params?: Omit<Paged<CatalogSearchParams>, "query">,
    options?: CallOptions,
  ): Items<SearchHit>;
  search(params: Paged<CatalogSearchParams>, options?: CallOptions): Items<SearchHit>;
  search(first: unknown, second?: object, third?: CallOptions): Items<SearchHit> {
    const [params, options] = withRest("query", first, second, third);
    const { pageSize = HITS, ...rest } = params as Paged<CatalogSearchParams>;
    const read = (position: object): Promise<CatalogSearchResult> =>
      this.catalogSearch({ ...rest, ...position }, options);
    return pages(read, (page) => page.hits, pageSize);
  }

  #opened(state: SessionState): Session {
    const { session } = state;
    return new Session(this, state, this.opened.session(session), this.opened.known(session));
  }

  #subscribed<Snapshot extends { readonly subscription: string }, Change>(
    snapshot: Snapshot,
    end: (handle: string) => Promise<void>,
  ): Subscription<Snapshot, Change> {
    return new Subscription(snapshot, this.opened.subscription(snapshot.subscription), end);
  }
}
