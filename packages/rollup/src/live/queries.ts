import type { StateReader } from '@switchyard/machine/browser';
import { isRequired, queryPath } from '../define/client.ts';
import type { QueryCall } from '../define/contract.ts';
import type { AnyRollup, QueryContext } from '../define/definition.ts';
import type { Parameter } from '../define/document.ts';
import { type KeptTable, pagesOver } from './kept-table.ts';
import { Missing, type Reads } from './reads.ts';
import type { Value } from './store.ts';

/** Result of a query of a page. */
export interface Answer<T> {
  /** `loading` before the first value, and while rows of another block are on their way. */
  readonly state: 'loading' | 'ready' | 'failed';
  /** The newest value. */
  readonly value?: T;
  readonly error?: Error;
  /** The value is that after this block, with the effects of pending actions. */
  readonly block?: bigint;
}

/** State that queries are run on. */
export interface Ground extends Omit<QueryContext, 'state'> {
  readonly state: StateReader;
}

/** Options of a live value. */
export interface LiveValueOptions {
  /** `false` for rows as blocks have left them, without the effects of pending actions. */
  readonly pending?: boolean;
}

/** The queries of a definition as functions. */
export type Ask = Readonly<Record<string, (parameters?: object) => unknown>>;

/** The query has no answer for its parameters. */
export class NothingThere extends Error {
  override readonly name = 'NothingThere';
}

/** Queries that run on rows in memory, or on the node if these are not all, and the state for their handlers. @param askNode Its answer; undefined if it is under way. */
export function queriesOn(
  defined: AnyRollup,
  tables: readonly KeptTable[],
  { state, block, time }: Ground,
  reads: Reads,
  askNode: (call: QueryCall, path: string) => unknown,
): { readonly ask: Ask; readonly context: QueryContext } {
  const tracked = reads.track(state);
  const snapshot = pagesOver(tables, {
    ...{ height: block, root: new Uint8Array(32), get: tracked.get, range: tracked.range },
    prove: () => {
      throw new Error('a page has no proofs of rows: getProof of the client asks the node');
    },
  });
  const context = { state: snapshot, block, time };
  const run = (call: QueryCall, given: object): unknown => {
    const path = queryPath(call, given);
    reads.isUncovered = false;
    try {
      return defined.queries[call.name].handle(withFallbacks(call.parameters, given), context);
    } catch (error) {
      if (reads.want !== undefined || !reads.isUncovered) throw error;
      const found = askNode(call, path);
      if (found === undefined) throw new Missing(`the node is asked for ${path}`);
      return found;
    }
  };
  const ask = Object.fromEntries(
    [...defined.calls.values()].map((call) => [
      call.name,
      (given = {}) => {
        const found = run(call, given);
        if (found === undefined) throw new NothingThere(`the query ${call.name} has no answer for these parameters`);
        return found;
      },
    ]),
  );
  return { ask, context };
}

function withFallbacks(parameters: Readonly<Record<string, Parameter>>, given: object): object {
  const own = new Map(Object.entries(given));
  const entries = Object.entries(parameters).map(([name, parameter]) => [
    name,
    own.get(name) ?? (isRequired(parameter) ? undefined : parameter.fallback),
  ]);
  return Object.fromEntries(entries);
}

/** A query of a page, with its newest result. */
export interface LiveQuery {
  readonly answer: Value<Answer<unknown>>;
  readonly run: (ask: Ask, context: QueryContext) => unknown;
  readonly options: LiveValueOptions;
  /** Rows that its last run has read; undefined before the first run. */
  reads: Reads | undefined;
}

/** The next answer of a query. */
export function evaluated(before: Answer<unknown>, reads: Reads, block: bigint, run: () => unknown): Answer<unknown> {
  try {
    const value = run();
    if (reads.want === undefined) return { state: 'ready', value, block };
  } catch (error) {
    if (!(error instanceof Missing) && reads.want === undefined)
      return { state: 'failed', error: error instanceof Error ? error : new Error(String(error)), block };
  }
  const { value, block: of } = before;
  return { state: 'loading', ...(of !== undefined && { value, block: of }) };
}
