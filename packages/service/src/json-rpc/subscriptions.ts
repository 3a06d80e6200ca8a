import type { Subscriber } from './context.ts';

/** Subscriptions of connections by name, forgotten with their connection. */
export class SubscriptionTable<S> {
  readonly #bySubscriber = new Map<Subscriber, Map<string, S>>();
  /** Subscribers whose end has a listener already, however often they come back. */
  readonly #followed = new WeakSet<Subscriber>();

  /** Connections with subscriptions. */
  get size(): number {
    return this.#bySubscriber.size;
  }

  /** Connections of one address with subscriptions. */
  computeCount(peer: string): number {
    return [...this.#bySubscriber.keys()].filter((each) => each.peer === peer).length;
  }

  /** Subscriptions of one connection by name. */
  of(subscriber: Subscriber): ReadonlyMap<string, S> {
    return this.#bySubscriber.get(subscriber) ?? new Map();
  }

  set(subscriber: Subscriber, name: string, subscription: S): void {
    let own = this.#bySubscriber.get(subscriber);
    if (own === undefined) {
      own = new Map();
      this.#bySubscriber.set(subscriber, own);
    }
    if (!this.#followed.has(subscriber)) {
      this.#followed.add(subscriber);
      subscriber.onEnd(() => this.clear(subscriber));
    }
    own.set(name, subscription);
  }

  /** @returns whether the connection had it. */
  delete(subscriber: Subscriber, name: string): boolean {
    const own = this.#bySubscriber.get(subscriber);
    if (own?.delete(name) !== true) return false;
    if (own.size === 0) this.#bySubscriber.delete(subscriber);
    return true;
  }

  /** @returns the subscriptions of the connection. */
  clear(subscriber: Subscriber): readonly S[] {
    const own = this.of(subscriber);
    this.#bySubscriber.delete(subscriber);
    return [...own.values()];
  }

  /** A notification can end a connection, so that the maps change while they are gone through; maps allow it. */
  *[Symbol.iterator](): Generator<S> {
    for (const own of this.#bySubscriber.values()) yield* own.values();
  }
}
