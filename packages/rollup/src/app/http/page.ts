/** A client's request for a page of a list whose items have consecutive numbers. */
export interface PageQuery {
  readonly before?: bigint | undefined;
  readonly after?: bigint | undefined;
  readonly limit: number;
}

export interface Page {
  /** Both inclusive; `last` is below `first` if the page is empty. */
  readonly first: bigint;
  readonly last: bigint;
  /** Value of `before` for the page of older items; null if there are none. */
  readonly older: bigint | null;
  /** Value of `after` for the page of newer items, which may be yet to come. */
  readonly newer: bigint;
}

/**
 * Which items are on a page. With `after` it begins directly above that number, else it ends below `before` or at the
 * newest item.
 *
 * @param items The first stored one, and the number of the next one to come.
 */
export function toPage(items: { readonly first: bigint; readonly next: bigint }, query: PageQuery): Page {
  const { after, before, limit } = query;
  const end = before === undefined || before > items.next ? items.next : before;
  const start = after === undefined || after + 1n < items.first ? items.first : after + 1n;
  const size = BigInt(limit);
  const isForward = after !== undefined;
  const first = isForward || end - size < start ? start : end - size;
  const last = (isForward && first + size < end ? first + size : end) - 1n;
  const isEmpty = last < first;
  return {
    first,
    last,
    older: !isEmpty && first > items.first ? first : null,
    newer: isEmpty ? (after ?? items.next - 1n) : last,
  };
}
