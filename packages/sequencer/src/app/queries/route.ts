import type { Snapshot } from '@switchyard/machine';
import { type AccountId, ForeseenError, parseAddress, Rejected } from '@switchyard/protocol';
import type { CodeName } from '../codes.ts';

/** Input of a query: one committed version of the state, and the caller's parameters. */
export interface QueryInput {
  readonly snapshot: Snapshot;
  readonly height: bigint;
  /** The last segment of the path, for routes that take one; else empty. */
  readonly parameter: string;
  readonly data: Uint8Array;
}

/** Answers one ABCI path. @throws {QueryProblem} */
export type QueryRoute = (input: QueryInput) => Uint8Array;

/** A query that cannot be answered, with its code. */
export class QueryProblem extends ForeseenError {
  override readonly name = 'QueryProblem';
  readonly code: CodeName;

  constructor(code: CodeName, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Any prefix is accepted: the wire's queries are about the account, regardless of the chain of its address. */
export function addressParameter(text: string): AccountId {
  return orProblem('invalidParameter', () => parseAddress(text));
}

/** Runs `read`, turning a refusal into a problem with this code. */
export function orProblem<T>(code: CodeName, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Rejected) throw new QueryProblem(code, error.message, { cause: error });
    throw error;
  }
}
