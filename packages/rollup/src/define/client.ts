import {
  type RollupClient,
  type RollupClientOptions,
  rollupClient,
  submitNext,
  type TransactionOutcome,
  type WaitOptions,
} from '@switchyard/client/rollup';
import { type AsyncSigner, formatAddress, type Signer, type TxHash } from '@switchyard/protocol';
import { type Input, InvalidData } from '@switchyard/service/input';
import type { RollupAction } from '../app/definition.ts';
import type { Flat, RecordOf } from '../schema/shapes.ts';
import { openJson, type Type, type ValueOf } from '../schema/type.ts';
import { type Contract, contractFrom, type Parameter, type QueryCall } from './contract.ts';
import type { Action, ActionOf, Actions, DefinedRollup, Fallback, Parameters, Queries, Query } from './definition.ts';
import { signTransaction } from './transaction.ts';

/* Clients of a rollup by its definition, in Node and in web pages. */

export type AnySigner = Signer | AsyncSigner;

export interface SubmitOptions extends Omit<WaitOptions, 'until'> {
  /** The call resolves with the outcome when this is reached: `executed`, if undefined. */
  readonly until?: 'accepted' | 'executed' | 'firm';
}

/** A transaction was in a block and did nothing. */
export class TransactionRefused extends Error {
  override readonly name = 'TransactionRefused';

  constructor(readonly outcome: TransactionOutcome) {
    super(`transaction ${outcome.hash} was refused: ${outcome.reason ?? 'its block has the reason no more'}`);
  }
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
type GivenOf<P> = Flat<
  { readonly [K in Exclude<keyof P, OptionalNames<P>>]: Value<P[K]> } & {
    readonly [K in OptionalNames<P>]?: Value<P[K]> | undefined;
  }
>;

type Submit<A> = {
  readonly [K in keyof A]: A[K] extends Action<infer F>
    ? (fields: RecordOf<F>, signer: AnySigner, options?: SubmitOptions) => Promise<TransactionOutcome>
    : never;
};

type Ask<Q> = {
  readonly [K in keyof Q]: Q[K] extends Query<infer P, infer R>
    ? // A query without required parameters is called without any.
      Record<never, never> extends GivenOf<P>
      ? (parameters?: GivenOf<P>, signal?: AbortSignal) => Promise<RecordOf<R>>
      : (parameters: GivenOf<P>, signal?: AbortSignal) => Promise<RecordOf<R>>
    : never;
};

export interface DefinitionClient<A, Q> {
  /** One call for each action. @throws {TransactionRefused}, or `RollupRefused` where the node does not accept it. */
  readonly submit: Submit<A>;
  /** One call for each query. @throws {RollupRefused} 404 where there is nothing of its parameters. */
  readonly query: Ask<Q>;
  /** Several actions in one transaction, which has an effect as a whole or not at all. */
  send(actions: readonly ActionOf<A>[], signer: AnySigner, options?: SubmitOptions): Promise<TransactionOutcome>;
  /** Waits for the outcome of a transaction. @throws {TransactionRefused} */
  wait(hash: string, options?: WaitOptions): Promise<TransactionOutcome | undefined>;
  /** Everything that every rollup answers. */
  readonly rollup: RollupClient;
}

/**
 * A client whose calls have the types of the definition. Before its first submission it compares the definition with that of the node.
 *
 * Calls with one signer are signed one after another, so that each gets the next nonce.
 */
export function clientOf<G extends Parameters, A extends Actions, Q extends Queries>(
  defined: DefinedRollup<G, A, Q>,
  options: RollupClientOptions,
): DefinitionClient<A, Q> {
  const client = createClient(defined, options, async (rollup) => {
    const answer = await rollup.get('/v1/definition');
    const stated = answer.at('fingerprint');
    if (stated.value !== defined.fingerprint)
      stated.fail(
        `${defined.fingerprint}, the definition of this client`,
        `${String(stated.value)} of the node at ${options.url}`,
      );
    return answer.at('chainId').text();
  });
  // The calls are made from the names and types of this definition.
  return client as unknown as DefinitionClient<A, Q>;
}

type UntypedSubmit = (fields: object, signer: AnySigner, options?: SubmitOptions) => Promise<TransactionOutcome>;

/** A client without the types of a definition: names and values are checked when they are used. */
export interface UntypedClient {
  readonly contract: Contract;
  readonly submit: Readonly<Record<string, UntypedSubmit>>;
  readonly query: Readonly<Record<string, (parameters?: object, signal?: AbortSignal) => Promise<object>>>;
  send(actions: readonly RollupAction[], signer: AnySigner, options?: SubmitOptions): Promise<TransactionOutcome>;
  wait(hash: string, options?: WaitOptions): Promise<TransactionOutcome | undefined>;
  readonly rollup: RollupClient;
}

/** A client of any rollup of schemas, which it reads from the node. @throws {InvalidData} where the node has none. */
export async function clientAt(options: RollupClientOptions): Promise<UntypedClient> {
  const answer: Input = await rollupClient(options).get('/v1/definition');
  const contract = contractFrom(answer);
  const chainId = answer.at('chainId').text();
  return createClient(contract, options, async () => chainId);
}

function createClient(
  contract: Contract,
  options: RollupClientOptions,
  chainIdOf: (rollup: RollupClient) => Promise<string>,
): UntypedClient {
  const rollup = rollupClient(options);
  let asked: Promise<string> | undefined;
  const chainId = (): Promise<string> => {
    asked ??= chainIdOf(rollup).catch((error: unknown) => {
      asked = undefined;
      throw error;
    });
    return asked;
  };
  /** The newest submission of each account, which the next one waits for. */
  const last = new Map<string, Promise<unknown>>();

  async function submit(
    actions: readonly RollupAction[],
    signer: AnySigner,
    signal: AbortSignal | undefined,
  ): Promise<TxHash> {
    const chain = await chainId();
    const { submitted } = await submitNext(
      {
        nonce: () => rollup.nonce(formatAddress(signer.account), signal && { signal }),
        submit: (bytes) => rollup.submit(bytes, signal),
      },
      (nonce) => signTransaction(contract, { nonce, chainId: chain, actions }, signer),
    );
    return submitted.hash;
  }

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

  async function wait(hash: string, waiting: WaitOptions = {}): Promise<TransactionOutcome | undefined> {
    const outcome = await rollup.waitForTransaction(hash, waiting);
    if (outcome?.state === 'refused') throw new TransactionRefused(outcome);
    return outcome;
  }

  async function send(
    actions: readonly RollupAction[],
    signer: AnySigner,
    { until = 'executed', ...waiting }: SubmitOptions = {},
  ): Promise<TransactionOutcome> {
    const hash = await inTurn(signer.account, () => submit(actions, signer, waiting.signal));
    const accepted: TransactionOutcome = { hash, state: 'queued' };
    return until === 'accepted' ? accepted : ((await wait(hash, { until, ...waiting })) ?? accepted);
  }

  return {
    contract,
    rollup,
    send,
    wait,
    submit: Object.fromEntries(
      [...contract.fields].map(([name, fields]) => [
        name,
        async (given: object, signer: AnySigner, options?: SubmitOptions) => {
          const wrong = Object.keys(given).find((key) => !Object.hasOwn(fields, key));
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
