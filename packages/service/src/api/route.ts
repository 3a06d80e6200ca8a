import type { Answers, Contract, RawAnswer } from './contract.ts';
import type { Members, ObjectOf, Schema, TypeOf } from './schema.ts';

/** A JSON answer of a schema, as text that was made before. */
export class Rendered<T> {
  // Only the type: nothing else ties the text to its schema.
  declare readonly of: T;

  constructor(readonly text: string) {}
}

/** One of the documented answers of a route. */
export type Reply<A extends Answers> = {
  [S in keyof A]: {
    readonly status: S;
    readonly body: A[S] extends RawAnswer ? string | ReadableStream<Uint8Array> : TypeOf<A[S]> | Rendered<TypeOf<A[S]>>;
    readonly headers?: Readonly<Record<string, string>>;
    /** Without quotes. An answer that has one is not sent again to who has it. */
    readonly etag?: string;
  };
}[keyof A];

export interface ApiRequest<P, Q, B> {
  readonly path: P;
  readonly query: Q;
  readonly body: B;
  /** The address as sent. */
  readonly url: string;
  readonly header: (name: string) => string | undefined;
  /** The client's address, for limits. */
  readonly client: string;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
}

type Handle<P extends Members, Q extends Members, B, A extends Answers> = (
  request: ApiRequest<ObjectOf<P>, ObjectOf<Q>, B>,
) => Reply<A> | Promise<Reply<A>>;

/** A route with its types forgotten, as a row of the table that routing, validation and documentation are made from. */
export interface AnyRoute extends Contract {
  // The parameters were read by the schemas of the same row.
  handle(request: never): AnyReply | Promise<AnyReply>;
}

export interface AnyReply {
  readonly status: PropertyKey;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly etag?: string;
}

/** Checks the types of a row; it does nothing. */
export function route<
  const P extends Members = Record<never, never>,
  const Q extends Members = Record<never, never>,
  B = undefined,
  const A extends Answers = Answers,
>(definition: Contract<P, Q, B, A> & { readonly handle: Handle<P, Q, B, A> }): AnyRoute {
  return definition as unknown as AnyRoute;
}

/** The row of a contract. */
export function serve<P extends Members, Q extends Members, B, A extends Answers>(
  contract: Contract<P, Q, B, A>,
  handle: Handle<NoInfer<P>, NoInfer<Q>, NoInfer<B>, NoInfer<A>>,
): AnyRoute {
  return { ...contract, handle } as unknown as AnyRoute;
}

export function isRaw(answer: Schema<unknown> | RawAnswer): answer is RawAnswer {
  return 'mediaType' in answer;
}

/** Errors of every route. */
export const COMMON_ERRORS: Readonly<Record<number, string>> = {
  400: 'A parameter or the body is not valid, or a query parameter is unknown',
  403: 'The host or the origin of the request is not allowed',
  429: 'Too many requests of this address',
  500: 'A fault of this node, which has logged it',
};

/** The statuses of all errors that a route may answer. */
export function toErrors({ body, errors }: AnyRoute): Readonly<Record<number, string>> {
  return {
    ...(body !== undefined && { 413: 'The body is too large' }),
    ...COMMON_ERRORS,
    ...errors,
  };
}
