/* Blocks and deposits of a rollup, in pages. This file also runs in web pages. */
import type { schema } from '@switchyard/service/contract';
import type { Input } from '@switchyard/service/input';
import { deposit } from './rollup-contract.ts';

/** Cursors from an earlier answer: `older` as `before`, `newer` as `after`. */
export interface PageQuery {
  readonly before?: bigint;
  readonly after?: bigint;
  readonly limit?: number;
}

export interface RollupPage<T> {
  /** Newest first. */
  readonly items: readonly T[];
  /** Undefined where there are none. */
  readonly older: bigint | undefined;
  readonly newer: bigint | undefined;
}

export interface RollupDeposit extends Omit<schema.TypeOf<typeof deposit>, 'amount' | 'account' | 'reason'> {
  readonly amount: bigint;
  /** Account that was credited; undefined where the deposit was refused. */
  readonly account: string | undefined;
  readonly reason: string | undefined;
}

export function depositOf(answer: Input): RollupDeposit {
  const { amount, account, reason, ...rest } = deposit.read(answer);
  return { ...rest, amount: BigInt(amount), account: account ?? undefined, reason: reason ?? undefined };
}

/** @param name Name of the list in the answer. */
export function pageFrom<T>(answer: Input, name: string, read: (item: Input) => T): RollupPage<T> {
  const cursor = (key: string) => answer.at(key).optional((each) => each.big());
  return { items: answer.at(name).list().map(read), older: cursor('older'), newer: cursor('newer') };
}

/** `path` with those of the parameters that are given. */
export function withQuery(path: string, query: Readonly<Record<string, string | number | bigint | undefined>>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? path : `${path}?${given}`;
}
