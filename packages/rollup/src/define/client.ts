import {
  type RollupClient,
  type RollupClientOptions,
  rollupClient,
  type TransactionOutcome,
  type WaitOptions,
  withQuery,
} from '@switchyard/client/rollup';
import { Input, InvalidData } from '@switchyard/service/input';
import type { NamedEvent } from '../app/commits.ts';
import type { RollupAction } from '../app/definition.ts';
import type { Flat, RecordOf } from '../schema/shapes.ts';
import { openJson, type Type, type ValueOf } from '../schema/type.ts';
import { getRows, type RowsOptions, type RowsPage } from './client-rows.ts';
import type { Contract, QueryCall } from './contract.ts';
import type { Action, ActionOf, Actions, DefinedRollup, Fallback, Parameters, Queries, Query } from './definition.ts';
import type { Parameter } from './document.ts';
import type { EventOf, Events } from './events.ts';
import { type AnySigner, type OutcomeOf, type SubmitOptions, TransactionRefused } from './submission.ts';
import { createSubmitter } from './submitter.ts';
import type { Rows } from './table.ts';
import { signTransaction } from './transaction.ts';

/* Clients of a rollup by its definition, in Node and in web pages. */

export interface DefinitionClientOptions extends RollupClientOptions {
  /** Blocks after the newest one in which a transaction may be executed: 64, if undefined; 0 is without end. */
  readonly validFor?: number;
}

type OptionalNames<P> = {
  [K in keyof P]: P[K] extends Fallback<unknown>
    ? K
    : P[K] extends Type<unknown>
      ? undefined extends ValueOf<P[K]>
        ? K
        : never
      : never;
}[keyof P];
type Value<P> = P extends Fallback<infer T> ? T : ValueOf<P>;
/** Parameters as a caller gives them. */
export type GivenOf<P> = Flat<
  { readonly [K in Exclude<keyof P, OptionalNames<P>>]: Value<P[K]> } & {
    readonly [K in OptionalNames<P>]?: Value<P[K]> | undefined;
  }
>;

/** An event with its place. */
export interface PlacedEvent<V> {
  readonly block: bigint;
  readonly transaction: string;
  /** Position of the transaction in its block. */
  readonly index: number;
  /** Position of the event in its transaction. */
  readonly position: number;
  readonly event: V;
}

export interface EventsOptions<K extends string> {
  /** All kinds, if undefined. */
  readonly kinds?: readonly K[];
  /** First block; the next one, if undefined. */
  readonly from?: bigint;
  readonly signal: AbortSignal;
}

type KindOf<V> = V extends { readonly kind: infer K extends string } ? K : never;

type Submit<A, V> = {
  readonly [K in keyof A]: A[K] extends Action<infer F>
    ? (fields: RecordOf<F>, signer: AnySigner, options?: SubmitOptions) => Promise<OutcomeOf<V>>
    : never;
};

type Ask<Q> = {
  readonly [K in keyof Q]: Q[K] extends Query<infer P, infer R>
    ? // A query without required parameters is called without any.
      Record<never, never> extends GivenOf<P>
      ? (
          parameters?: keyof P extends never ? Readonly<Record<string, never>> : GivenOf<P>,
          signal?: AbortSignal,
        ) => Promise<RecordOf<R>>
      : (parameters: GivenOf<P>, signal?: AbortSignal) => Promise<RecordOf<R>>
    : never;
};

/** Calls of a rollup by the names and types of its definition. */
export interface DefinitionClient<A, Q, E extends Events = readonly never[]> {
  /** One call for each action. @throws {TransactionRefused}, or {SubmissionFailed} for any other failure after signing. */
  readonly submit: Submit<A, EventOf<E>>;
  /** One call for each query. @throws {RollupRefused} 404 if there is nothing of its parameters. */
  readonly query: Ask<Q>;
  /** Several actions in one transaction, which has an effect as a whole or not at all. */
  send(actions: readonly ActionOf<A>[], signer: AnySigner, options?: SubmitOptions): Promise<OutcomeOf<EventOf<E>>>;
  /** Waits for the outcome of a transaction. @throws {TransactionRefused} */
  wait(hash: string, options?: WaitOptions): Promise<OutcomeOf<EventOf<E>> | undefined>;
  /** Events of executed transactions once committed, each once, until the signal aborts. Lost connections are made again. */
  events<K extends KindOf<EventOf<E>>>(
    options: EventsOptions<K>,
  ): AsyncGenerator<PlacedEvent<Extract<EventOf<E>, { readonly kind: K }>>, void, undefined>;
  /** Rows of a table, in pages: all, or those with some words. */
  rows<K, V>(table: Rows<K, V>, options?: RowsOptions): Promise<RowsPage<K, V>>;
  /** Everything that every rollup answers. */
  readonly rollup: RollupClient;
}

/**
 * A client whose calls have the types of the definition. Before its first submission it compares the definition with that of the node.
 *
 * Calls with one signer are signed one after another, so that each gets the next nonce.
 * @example
 * ```ts
 * const { submit, query } = clientOf(counter, { url: 'http://127.0.0.1:3030' });
 * await submit.add({ amount: 5n }, signer);
 * const { total } = await query.total();
 * const untyped = await clientAt({ url: 'http://127.0.0.1:3030' });
 * ```
 */
export function clientOf<G extends Parameters, A extends Actions, Q extends Queries, E extends Events>(
  defined: DefinedRollup<G, A, Q, E>,
  options: DefinitionClientOptions,
): DefinitionClient<A, Q, E> {
  const client = createClient(defined, options, async (rollup) => {
    const answer = await rollup.get('/v1/definition');
    const chainId = answer.at('chainId').text();
    const stated = answer.at('fingerprint');
    if (stated.value === defined.fingerprint) return { chainId, typeUrl: defined.typeUrl };
    // A chain may have begun with less than both know now.
    const [{ contractFrom }, { lacking }] = await Promise.all([
      import('./contract-from.ts'),
      import('./differences.ts'),
    ]);
    const { typeUrl, document } = contractFrom(answer);
    const missing = lacking(defined.document, document);
    if (missing.length > 0)
      stated.fail(
        `${defined.fingerprint}, the definition of this client`,
        `${String(stated.value)} of the node at ${options.url}: ${missing.join('; ')}`,
      );
    return { chainId, typeUrl };
  });
  // The calls are made from the names and types of this definition.
  return client as unknown as DefinitionClient<A, Q, E>;
}

type Outcome = OutcomeOf<NamedEvent>;
type UntypedSubmit = (fields: object, signer: AnySigner, options?: SubmitOptions) => Promise<Outcome>;

/** A client without the types of a definition: names and values are checked when they are used. */
export interface UntypedClient {
  readonly contract: Contract;
  readonly submit: Readonly<Record<string, UntypedSubmit>>;
  readonly query: Readonly<Record<string, (parameters?: object, signal?: AbortSignal) => Promise<object>>>;
  send(actions: readonly RollupAction[], signer: AnySigner, options?: SubmitOptions): Promise<Outcome>;
  wait(hash: string, options?: WaitOptions): Promise<Outcome | undefined>;
  events(options: EventsOptions<string>): AsyncGenerator<PlacedEvent<NamedEvent>, void, undefined>;
  rows<K, V>(table: Rows<K, V>, options?: RowsOptions): Promise<RowsPage<K, V>>;
  readonly rollup: RollupClient;
}

/** A client of any rollup of schemas, read from its node. See the example of {@link clientOf}. @throws {InvalidData} if it has none. */
export async function clientAt(options: DefinitionClientOptions): Promise<UntypedClient> {
  const answer: Input = await rollupClient(options).get('/v1/definition');
  const { contractFrom } = await import('./contract-from.ts');
  const contract = contractFrom(answer);
  const chain = { chainId: answer.at('chainId').text(), typeUrl: contract.typeUrl };
  return createClient(contract, options, async () => chain);
}

/** The chain for which transactions are signed. */
interface Chain {
  readonly chainId: string;
  readonly typeUrl: string;
}

function createClient(
  contract: Contract,
  options: DefinitionClientOptions,
  getChain: (rollup: RollupClient) => Promise<Chain>,
): UntypedClient {
  const rollup = rollupClient(options);
  let wanted: Promise<Chain> | undefined;
  const chain = (): Promise<Chain> => {
    wanted ??= getChain(rollup).catch((error: unknown) => {
      wanted = undefined;
      throw error;
    });
    return wanted;
  };
  /** The newest submission of each account, which the next one waits for. */
  const last = new Map<string, Promise<unknown>>();

  function inTurn<T>(account: string, work: () => Promise<T>): Promise<T> {
    const mine = (last.get(account) ?? Promise.resolve()).then(work, work);
    const done = mine.then(
      () => undefined,
      () => undefined,
    );
    last.set(account, done);
    void done.then(() => {
      if (last.get(account) === done) last.delete(account);
    });
    return mine;
  }

  /** A newer node may have events of other kinds. */
  function knownEvent(value: unknown): readonly NamedEvent[] {
    const { eventUnion } = contract;
    const input = new Input(value, 'event');
    const kind = input.at('kind').value;
    return eventUnion?.cases.some(({ name }) => name === kind) ? [openJson(eventUnion)(input)] : [];
  }

  async function* events({ kinds = [], from, signal }: EventsOptions<string>) {
    await chain();
    const path = withQuery('/v1/streams/events', { kinds: kinds.length === 0 ? undefined : kinds.join(','), from });
    for await (const { kind, data } of rollup.follow(path, { signal })) {
      if (kind !== 'event') continue;
      for (const event of knownEvent(data.at('event').value)) {
        const [index, position] = [data.at('index').integer(), data.at('position').integer()];
        yield { block: data.at('block').big(), transaction: data.at('transaction').text(), index, position, event };
      }
    }
  }

  async function wait(hash: string, waiting: WaitOptions = {}): Promise<Outcome | undefined> {
    const outcome = await rollup.waitForTransaction(hash, waiting);
    if (outcome?.state === 'refused' || outcome?.state === 'expired') {
      throw new TransactionRefused(outcome, factsOf(contract, outcome));
    }
    return outcome && { ...outcome, events: (outcome.events ?? []).flatMap(knownEvent) };
  }

  const submitter = createSubmitter({
    rollup,
    wait,
    validFor: options.validFor,
    async sign(body, signer) {
      const { chainId, typeUrl } = await chain();
      return signTransaction({ ...contract, typeUrl }, { ...body, chainId }, signer);
    },
  });

  async function send(
    actions: readonly RollupAction[],
    signer: AnySigner,
    given: SubmitOptions = {},
  ): Promise<Outcome> {
    const signed = await inTurn(signer.account, () => submitter.submit(actions, signer, given));
    return submitter.follow(signed, given);
  }

  return {
    contract,
    rollup,
    send,
    wait,
    events,
    rows: (table, wanted) => getRows(rollup, table, wanted),
    submit: Object.fromEntries(
      [...contract.fields].map(([name, fields]) => [
        name,
        async (given: object, signer: AnySigner, options?: SubmitOptions) => {
          const wrong = Object.keys(given).find((key) => key !== 'kind' && !Object.hasOwn(fields, key));
          if (wrong !== undefined) throw misused(name, wrong, 'a field of this action');
          return send([{ ...given, kind: name }], signer, options);
        },
      ]),
    ),
    query: Object.fromEntries(
      [...contract.calls].map(([name, call]) => [
        name,
        async (parameters: object = {}, signal?: AbortSignal) =>
          openJson(call.answer)(await rollup.get(queryPath(call, parameters), signal)),
      ]),
    ),
  };
}

/** Facts of an own refusal; undefined if they are not kept, or a newer node has another kind. */
export function factsOf({ refusalUnion }: Contract, { refusal }: TransactionOutcome): object | undefined {
  const found = refusalUnion?.cases.find(({ name }) => name === refusal?.kind);
  return found && refusal?.facts !== undefined ? openJson(found.type)(new Input(refusal.facts, 'facts')) : undefined;
}

/** The address of a query below that of the node. @throws {InvalidData} for parameters that it has not, or that are missing. */
export function queryPath(
  { name, url, parameters }: Pick<QueryCall, 'name' | 'url' | 'parameters'>,
  given: object,
): string {
  const values = new Map(Object.entries(given));
  const unknown = [...values.keys()].find((key) => !Object.hasOwn(parameters, key));
  if (unknown !== undefined) throw misused(name, unknown, 'a parameter of this query');
  const parts = Object.entries(parameters).flatMap(([key, parameter]) => {
    const value: unknown = values.get(key);
    if (value !== undefined) return [`${key}=${encodeURIComponent(String(parameter.type.toJson(value)))}`];
    if (isRequired(parameter)) throw misused(name, key, 'a value');
    return [];
  });
  return parts.length === 0 ? url : `${url}?${parts.join('&')}`;
}

export function isRequired({ type, fallback }: Parameter): boolean {
  return fallback === undefined && type.presence !== 'optional';
}

function misused(query: string, parameter: string, expected: string): InvalidData {
  return new InvalidData([{ path: `${query}.${parameter}`, message: `expected ${expected}` }]);
}
