interface Page {
  readonly nextCursor?: string | undefined;
}

/** Params of a method that answers page by page; `pageSize` is the `limit` of each page. */
export type Paged<Params> = Omit<Params, "cursor" | "limit" | "session"> & {
  readonly pageSize?: number | undefined;
};

/** The items of all pages, one after the other. */
export type Items<T> = AsyncGenerator<T, undefined, undefined>;

/** Yield the items of all pages. Each page is read when it is needed. */
export async function* pages<P extends Page, T>(
  read: (position: { limit: number; cursor?: string }) => Promise<P>,
  items: (page: P) => readonly T[],
  pageSize: number,
): Items<T> {
  let page = await read({ limit: pageSize });
  for (;;) {
    yield* items(page);
    if (page.nextCursor === undefined) return undefined;
    page = await read({ limit: pageSize, cursor: page.nextCursor });
  }
}
