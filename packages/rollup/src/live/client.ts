import type { RollupAction } from '../app/definition.ts';
import type { GivenOf } from '../define/client.ts';
import type {
  Action,
  ActionOf,
  Actions,
  DefinedRollup,
  Parameters,
  Queries,
  Query,
  QueryContext,
} from '../define/definition.ts';
import type { Events } from '../define/events.ts';
import type { Log } from '../define/log.ts';
import type { AnySigner } from '../define/submission.ts';
import type { RecordOf } from '../schema/shapes.ts';
import { LiveCore } from './core.ts';
import type { NewestEntries } from './newest.ts';
import type { ConnectionState, Head, LiveOptions, ProofState, SendOptions } from './options.ts';
import type { Answer, LiveValueOptions } from './queries.ts';
import type { Sent } from './sent.ts';
import type { Live } from './store.ts';

type LiveSubmit<A> = {
  readonly [K in keyof A]: A[K] extends Action<infer F> ? (fields: RecordOf<F>, options?: SendOptions) => Sent : never;
};

type LiveAsk<Q> = {
  readonly [K in keyof Q]: Q[K] extends Query<infer P, infer R>
    ? // A query without required parameters is called without any.
      Record<never, never> extends GivenOf<P>
      ? (parameters?: keyof P extends never ? Readonly<Record<string, never>> : GivenOf<P>) => RecordOf<R>
      : (parameters: GivenOf<P>) => RecordOf<R>
    : never;
};

/** Calls of a live client by the names and types of its definition. */
export interface LiveClient<A, Q> {
  /**
   * A value that follows the blocks and the pending actions while it has subscribers. The function may call several queries, and runs
   * again when rows change that they have read. The value has failed with `NothingThere` if a query has no answer.
   *
   * @param run Takes the context of a handler of queries too, for rows such as `balances`, which every rollup has.
   */
  live<T>(run: (ask: LiveAsk<Q>, context: QueryContext) => T, options?: LiveValueOptions): Live<Answer<T>>;
  /**
   * The newest entries of a log, at most 1,000, and all that blocks append from then on, while the value has subscribers. Pending actions
   * append none.
   */
  newest<V>(log: Log<V>, count: number): Live<NewestEntries<V>>;
  /** One call for each action, whose effect is shown at once. @throws {Error} if the definition of the node lacks parts of this one. */
  readonly submit: LiveSubmit<A>;
  /** Several actions in one transaction, which has an effect as a whole or not at all. */
  send(actions: readonly ActionOf<A>[], options?: SendOptions): Sent<ActionOf<A>>;
  /** Transactions that are not settled, and the newest of the others, in their order. */
  readonly sent: Live<readonly Sent<ActionOf<A>>[]>;
  /** Sends for another account too from now on, beginning with its transactions in the outbox. */
  sendFor(signer: AnySigner): void;
  readonly connection: Live<ConnectionState>;
  /** How far the node is verified. */
  readonly proof: Live<ProofState>;
  /** The newest block, once rows or an account are followed. */
  readonly head: Live<Head | undefined>;
  /** Ends the connection. Transactions that are not settled stay in the outbox. */
  close(): void;
}

/**
 * A client that keeps the rows that its queries read, and executes actions on them at once: in a page, in a bot, and in tests.
 *
 * Actions are sent in their order, one after another, under one nonce each, and survive lost answers and connections.
 * @example
 * ```ts
 * const app = liveClient(counter, { url: 'http://127.0.0.1:3030', signer });
 * const total = app.live((ask) => ask.total());
 * total.subscribe(({ value }) => console.log(value?.total));
 * await app.submit.add({ amount: 5n }).until('executed');
 * ```
 */
export function liveClient<G extends Parameters, A extends Actions, Q extends Queries, E extends Events>(
  defined: DefinedRollup<G, A, Q, E>,
  options: LiveOptions,
): LiveClient<A, Q> {
  const core = new LiveCore(defined, options);
  const send = (actions: readonly RollupAction[], given: SendOptions = {}): Sent => {
    core.mustWrite();
    return core.outgoing.submit(actions, given);
  };
  const client = {
    live: core.live.bind(core),
    newest: core.logs.newest.bind(core.logs),
    send,
    submit: Object.fromEntries(
      Object.keys(defined.actions).map((kind) => [
        kind,
        (fields: object, given?: SendOptions) => send([{ ...fields, kind }], given),
      ]),
    ),
    sent: core.outgoing.sent,
    sendFor: (signer: AnySigner) => core.outgoing.join(signer),
    connection: core.connection,
    proof: core.proof,
    head: core.head,
    close: () => core.close(),
  };
  // The calls are made from the names and types of this definition.
  return client as unknown as LiveClient<A, Q>;
}
