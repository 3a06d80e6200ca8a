import type { Data, Hash } from '@switchyard/evm-machine/types';
import { type Subscriber, SubscriptionTable } from '@switchyard/service/json-rpc';
import type { Committed, FoundLog } from '../chain/chain.ts';
import { iterateLogs } from '../chain/logs.ts';
import { headerJson, logJson, receiptsJson, removedLogJson } from '../json/format.ts';
import { transactionJson } from '../json/format-transaction.ts';
import type { PoolTransaction } from '../pool/pool.ts';
import type { RpcDeps } from './deps.ts';
import { getTerms, type LogFilter, matches } from './log-query.ts';

/** Events that a client can subscribe to. */
export type Interest =
  | { readonly kind: 'newHeads' }
  | { readonly kind: 'logs'; readonly filter: LogFilter }
  | { readonly kind: 'newPendingTransactions'; readonly full: boolean }
  /** Receipts of these transactions, or of all if the list is empty; one list for each block that has some. */
  | { readonly kind: 'transactionReceipts'; readonly hashes: readonly Hash[] }
  /** Never happens: this node does not know its gaps. */
  | { readonly kind: 'syncing' };

interface Subscription {
  readonly id: Data;
  readonly interest: Interest;
  readonly subscriber: Subscriber;
  /** Notifications from before the client knows the subscription's name; undefined once it does. */
  waiting: string[] | undefined;
}

/** With this many waiting, the client gets them before it knows the name. */
const MAX_WAITING = 10_000;

type CommittedBlock = Committed['blocks'][number];

/** Notifies connections of blocks, logs and pending transactions. A notification for several is encoded once. */
export class Subscriptions {
  readonly #subscriptions = new SubscriptionTable<Subscription>();

  constructor({ chain, pool }: Pick<RpcDeps, 'chain' | 'pool'>) {
    chain.onCommit(({ blocks }) => {
      if (this.#subscriptions.size === 0) return;
      for (const block of blocks) this.#committed(block);
    });
    chain.onDrop?.(({ logs }) => {
      for (const found of this.#subscriptions.size > 0 ? logs : []) this.#removed(found);
    });
    pool.onPending((transaction) => {
      if (this.#subscriptions.size > 0) this.#pending(transaction);
    });
  }

  computeCount(subscriber: Subscriber): number {
    return this.#subscriptions.of(subscriber).size;
  }

  /** Addresses, topics and hashes of the subscriptions of one address. */
  termsOfPeer(peer: string): number {
    return computeSum([...this.#subscriptions].filter(({ subscriber }) => subscriber.peer === peer));
  }

  /** Addresses, topics and hashes of the subscriptions of one connection, or of all connections. */
  getTerms(subscriber?: Subscriber): number {
    const each = subscriber === undefined ? this.#subscriptions : this.#subscriptions.of(subscriber).values();
    return computeSum([...each]);
  }

  /** Nothing is sent before `begin` is called. */
  add(id: Data, interest: Interest, subscriber: Subscriber): { begin(): void } {
    const subscription: Subscription = { id, interest, subscriber, waiting: [] };
    this.#subscriptions.set(subscriber, id, subscription);
    return { begin: () => begin(subscription) };
  }

  /** @returns whether the connection had it. */
  remove(id: string, subscriber: Subscriber): boolean {
    return this.#subscriptions.delete(subscriber, id);
  }

  #committed(committed: CommittedBlock): void {
    const { block } = committed;
    const head = once(() => JSON.stringify(headerJson(block.hash, block.header)));
    const logs = once(() => [...iterateLogs(block, committed.receipts)].map(written));
    const receipts = once(() => receiptsJson(block, committed.receipts));
    for (const subscription of this.#subscriptions) {
      const { interest } = subscription;
      if (interest.kind === 'newHeads') notify(subscription, head());
      if (interest.kind === 'logs') {
        for (const { found, json } of logs()) if (matches(interest.filter, found.log)) notify(subscription, json());
      }
      if (interest.kind === 'transactionReceipts') {
        const wanted = receipts().filter(
          (_, position) => interest.hashes.length === 0 || isIn(interest.hashes, block.transactions[position]?.hash),
        );
        if (wanted.length > 0) notify(subscription, JSON.stringify(wanted));
      }
    }
  }

  #removed(found: FoundLog): void {
    const json = once(() => JSON.stringify(removedLogJson(found)));
    for (const subscription of this.#subscriptions) {
      const { interest } = subscription;
      if (interest.kind === 'logs' && matches(interest.filter, found.log)) notify(subscription, json());
    }
  }

  #pending(transaction: PoolTransaction): void {
    const hash = JSON.stringify(transaction.hash);
    const whole = once(() => JSON.stringify(transactionJson(transaction, undefined)));
    for (const subscription of this.#subscriptions) {
      const { interest } = subscription;
      if (interest.kind === 'newPendingTransactions') notify(subscription, interest.full ? whole() : hash);
    }
  }
}

/** Addresses, topics and hashes that a subscription keeps. */
export function computeWeight(interest: Interest): number {
  if (interest.kind === 'logs') return getTerms(interest.filter);
  return interest.kind === 'transactionReceipts' ? interest.hashes.length : 0;
}

function computeSum(subscriptions: readonly Subscription[]): number {
  return subscriptions.reduce((sum, { interest }) => sum + computeWeight(interest), 0);
}

function notify(subscription: Subscription, result: string): void {
  const { id, subscriber, waiting } = subscription;
  const text = `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":${result}}}`;
  if (waiting === undefined) subscriber.notify(text);
  else if (waiting.push(text) >= MAX_WAITING) begin(subscription);
}

function begin(subscription: Subscription): void {
  const { waiting = [], subscriber } = subscription;
  subscription.waiting = undefined;
  for (const text of waiting) subscriber.notify(text);
}

function written(found: FoundLog): { readonly found: FoundLog; readonly json: () => string } {
  return { found, json: once(() => JSON.stringify(logJson(found))) };
}

function isIn(hashes: readonly Hash[], hash: Hash | undefined): boolean {
  return hash !== undefined && hashes.includes(hash);
}

/** Computes at the first call and remembers. */
function once<T>(compute: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}
