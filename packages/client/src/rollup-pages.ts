/* Blocks and deposits of a rollup, in pages. This file also runs in web pages. */
import type { Input } from '@switchyard/service/input';

/** Of an answer before: `older` as `before`, `newer` as `after`. */
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

export interface RollupBlock {
  readonly number: bigint;
  readonly hash: string;
  readonly parentHash: string;
  /** RFC 3339. */
  readonly time: string;
  readonly sequencerBlockHash: string;
  readonly stateRoot: string;
  readonly executed: number;
  readonly refused: number;
  readonly deposits: number;
  readonly skippedDeposits: number;
}

export interface RollupDeposit {
  readonly id: bigint;
  readonly block: bigint;
  readonly bridge: string;
  readonly asset: string;
  readonly amount: bigint;
  /** As the depositor wrote it. */
  readonly destination: string;
  readonly sourceTransaction: string;
  readonly state: 'credited' | 'refused';
  /** Who got it; undefined where it was refused. */
  readonly account: string | undefined;
  readonly reason: string | undefined;
}

export function blockOf(answer: Input): RollupBlock {
  const word = (name: string) => answer.at(name).text();
  const count = (name: string) => answer.at(name).integer();
  return {
    number: answer.at('number').big(),
    hash: word('hash'),
    parentHash: word('parentHash'),
    time: word('time'),
    sequencerBlockHash: word('sequencerBlockHash'),
    stateRoot: word('stateRoot'),
    executed: count('executed'),
    refused: count('refused'),
    deposits: count('deposits'),
    skippedDeposits: count('skippedDeposits'),
  };
}

export function depositOf(answer: Input): RollupDeposit {
  const state = answer.at('state').text();
  return {
    id: answer.at('id').big(),
    block: answer.at('block').big(),
    bridge: answer.at('bridge').text(),
    asset: answer.at('asset').text(),
    amount: answer.at('amount').big(),
    destination: answer.at('destination').text(),
    sourceTransaction: answer.at('sourceTransaction').text(),
    state: state === 'credited' || state === 'refused' ? state : answer.at('state').fail('credited or refused'),
    account: answer.at('account').optional((each) => each.text()),
    reason: answer.at('reason').optional((each) => each.text()),
  };
}

/** @param name Of the list in the answer. */
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
