import type { EngineLog } from '../../engine.ts';
import type { RpcId } from './json-rpc.ts';
import { failed, failure } from './json-rpc.ts';
import type { Subscriber } from './method.ts';
import { type EventKeys, matches, type Query } from './query.ts';

/** An event of the chain, rendered only if a subscription matches, and then once for all of them. */
export interface ChainEvent {
  /** What every query may ask for cheaply. */
  readonly keys: EventKeys;
  /** All keys with their values, those the application gave included. */
  allKeys(): EventKeys;
  /** JSON of the `data` member, and of the `events` member beside it. */
  data(): Uint8Array;
  events(): Uint8Array;
}

const MAX_SUBSCRIBERS = 100;
const MAX_PER_SUBSCRIBER = 10;
/** A subscriber that lags by more than this is cut off. Large enough for a few of the largest blocks. */
const MAX_BUFFERED = 48 * 1024 * 1024;
const MAX_BUFFERED_TOTAL = 128 * 1024 * 1024;

interface Subscription {
  readonly subscriber: Subscriber;
  readonly query: Query;
  readonly id: RpcId;
}

/** Who wants to hear of what. */
export class Subscriptions {
  readonly #bySubscriber = new Map<Subscriber, Map<string, Subscription>>();
  readonly #log: EngineLog;

  constructor(log: EngineLog) {
    this.#log = log;
  }

  get isEmpty(): boolean {
    return this.#bySubscriber.size === 0;
  }

  /** @throws {JsonRpcError} */
  add(subscriber: Subscriber, query: Query, id: RpcId): void {
    const own = this.#bySubscriber.get(subscriber);
    if (own === undefined && this.#bySubscriber.size >= MAX_SUBSCRIBERS) {
      throw failed(`max_subscription_clients ${MAX_SUBSCRIBERS} reached`);
    }
    if (own !== undefined && own.size >= MAX_PER_SUBSCRIBER) {
      throw failed(`max_subscriptions_per_client ${MAX_PER_SUBSCRIBER} reached`);
    }
    if (own?.has(query.text) === true) throw failed('already subscribed');
    const subscriptions = own ?? new Map<string, Subscription>();
    subscriptions.set(query.text, { subscriber, query, id });
    this.#bySubscriber.set(subscriber, subscriptions);
  }

  /** @throws {JsonRpcError} */
  remove(subscriber: Subscriber, query: string): void {
    const own = this.#bySubscriber.get(subscriber);
    if (own?.delete(query) !== true) throw failed('subscription not found');
    if (own.size === 0) this.#bySubscriber.delete(subscriber);
  }

  /** @returns whether there was anything to remove. */
  removeAll(subscriber: Subscriber): boolean {
    return this.#bySubscriber.delete(subscriber);
  }

  publish(event: ChainEvent): void {
    for (const subscriptions of this.#bySubscriber.values()) {
      for (const subscription of subscriptions.values()) this.#offer(subscription, event);
    }
  }

  #offer({ subscriber, query, id }: Subscription, event: ChainEvent): void {
    // What is at hand decides about most; the application's events are read only for those that it leaves open.
    const { conditions } = query;
    if (
      !matches(
        conditions.filter(({ key }) => event.keys.has(key)),
        event.keys,
      )
    )
      return;
    if (!conditions.every(({ key }) => event.keys.has(key)) && !matches(conditions, event.allKeys())) return;
    const lagging = this.#lagging(subscriber);
    if (lagging !== undefined) this.#cutOff(lagging);
    if (lagging === subscriber) return;
    const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"query":${JSON.stringify(query.text)},"data":`;
    subscriber.send([head, event.data(), ',"events":', event.events(), '}}']);
  }

  /** Who is to be cut off before more is kept for this one: itself, or where all together lag, who lags most. */
  #lagging(subscriber: Subscriber): Subscriber | undefined {
    if (subscriber.buffered === 0) return undefined;
    if (subscriber.buffered > MAX_BUFFERED) return subscriber;
    let total = 0;
    let most = subscriber;
    for (const each of this.#bySubscriber.keys()) {
      total += each.buffered;
      if (each.buffered > most.buffered) most = each;
    }
    return total > MAX_BUFFERED_TOTAL ? most : undefined;
  }

  #cutOff(subscriber: Subscriber): void {
    const subscriptions = this.#bySubscriber.get(subscriber);
    this.#bySubscriber.delete(subscriber);
    const reason = failed('subscription was canceled (reason: client is not pulling messages fast enough)');
    for (const { id } of subscriptions?.values() ?? []) subscriber.send([failure(id, reason, this.#log)]);
  }
}
