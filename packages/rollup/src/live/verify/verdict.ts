/** Result of a check of something that a node shows. */
export type Verdict =
  /** `unkept` is the reason why the executed chain is not kept for the next start. */
  | { readonly kind: 'verified'; readonly block: bigint; readonly unkept?: string }
  /** It may be true; nothing shows it. `trust` accepts validators that this client does not know. */
  | { readonly kind: 'unproven'; readonly reason: string; readonly trust?: () => void }
  /** A check failed: `by` gave a false statement, or withholds a block. */
  | { readonly kind: 'false'; readonly by: string; readonly problem: string };

/** Ends a check. */
export class Decided extends Error {
  constructor(readonly verdict: Verdict) {
    super(verdict.kind);
  }
}

export const unproven = (reason: string): Verdict => ({ kind: 'unproven', reason });

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** @throws {Decided} that names who gave the statement, if the check of it throws. */
export function by<T>(who: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw new Decided({ kind: 'false', by: who, problem: messageOf(error) });
  }
}

export const verdictOf = (check: () => Promise<Verdict>): Promise<Verdict> =>
  check().catch((error: unknown) => (error instanceof Decided ? error.verdict : unproven(messageOf(error))));
