import { exactJsonText, internalError } from '@switchyard/service';
import { failure, type RpcId, type Subscriber, SubscriptionTable } from '@switchyard/service/json-rpc';
import { type EventKeys, matches, type Query } from './query.ts';

/** An event of the chain, rendered only if a subscription matches, and then once for all of them. */
export interface ChainEvent {
  /** Keys that every query may ask for cheaply. */
  readonly keys: EventKeys;
  /** All keys with their values, those the application gave included. */
  allKeys(): EventKeys;
  /** JSON of the `data` member, and of the `events` member next to it. */
  data(): Uint8Array;
  events(): Uint8Array;
}

/** Connections, of which one address has half at most. */
const MAX_SUBSCRIBERS = 100;
const MAX_PER_SUBSCRIBER = 10;
const TOO_SLOW = internalError('subscription was canceled (reason: client is not pulling messages fast enough)');

interface Subscription {
  readonly subscriber: Subscriber;
  readonly query: Query;
  readonly id: RpcId;
}

/** Subscriptions by connection. */
export class Subscriptions {
  readonly #table = new SubscriptionTable<Subscription>();

  get isEmpty(): boolean {
    return this.#table.size === 0;
  }

  /** @throws {JsonRpcError} */
  add(subscriber: Subscriber, query: Query, id: RpcId): void {
    const own = this.#table.of(subscriber);
    const left = MAX_SUBSCRIBERS - this.#table.size;
    if (own.size === 0 && this.#table.computeCount(subscriber.peer) >= left) {
      throw internalError(`max_subscription_clients ${MAX_SUBSCRIBERS} reached`);
    }
    if (own.size >= MAX_PER_SUBSCRIBER) {
      throw internalError(`max_subscriptions_per_client ${MAX_PER_SUBSCRIBER} reached`);
    }
    if (own.has(query.text)) throw internalError('already subscribed');
    this.#table.set(subscriber, query.text, { subscriber, query, id });
  }

  /** @throws {JsonRpcError} */
  remove(subscriber: Subscriber, query: string): void {
    if (!this.#table.delete(subscriber, query)) throw internalError('subscription not found');
  }

  /** @throws {JsonRpcError} */
  removeAll(subscriber: Subscriber): void {
    if (this.#table.clear(subscriber).length === 0) throw internalError('subscription not found');
  }

  /** Ends those of a subscriber that does not read. @returns the replacement. */
  cancel(subscriber: Subscriber): readonly string[] {
    return this.#table.clear(subscriber).map(({ id }) => failure(id, TOO_SLOW));
  }

  publish(event: ChainEvent): void {
    for (const { subscriber, query, id } of this.#table) {
      if (!isMatch(query, event)) continue;
      const text = JSON.stringify(query.text);
      const head = `{"jsonrpc":"2.0","id":${exactJsonText(id)},"result":{"query":${text},"data":`;
      subscriber.notify(head, event.data(), ',"events":', event.events(), '}}');
    }
  }
}

/** The keys at hand decide most queries; the application's events are read only for the undecided ones. */
function isMatch({ conditions }: Query, event: ChainEvent): boolean {
  const known = conditions.filter(({ key }) => event.keys.has(key));
  if (!matches(known, event.keys)) return false;
  return known.length === conditions.length || matches(conditions, event.allKeys());
}
