/**
 * Routes of an HTTP API without their handlers: the source of the document, the server and a typed client. It needs
 * nothing of Node, so pages load it too.
 */
import type { JsonSchema, Members, Schema, TypeOf } from './schema.ts';

export type { JsonSchema, Members, ObjectOf, RecordOf, Schema, TypeOf } from './schema.ts';
export * as schema from './schema.ts';

/** An answer that is not JSON, such as a stream of events. */
export interface RawAnswer {
  readonly mediaType: string;
  readonly description: string;
  readonly schema: JsonSchema;
  /** Schema of the data of each event, which is JSON, of a stream of events. */
  readonly events?: JsonSchema;
}

export type Answers = Readonly<Record<number, Schema<unknown> | RawAnswer>>;

/** How the body of a request is read, for each media type; a body of another one is read as the first. */
export type BodyForms<B> = Readonly<Record<string, BodyForm<B>>>;

export interface BodyForm<B> {
  readonly schema: JsonSchema;
  read(bytes: Uint8Array): B;
}

/** One route of an API. */
export interface Contract<
  P extends Members = Members,
  Q extends Members = Members,
  B = unknown,
  A extends Answers = Answers,
> {
  readonly method: 'get' | 'post';
  /** With parameters in braces. */
  readonly url: string;
  /** Whether the last parameter takes the rest of the path, slashes and all. */
  readonly restOfPath?: boolean;
  /** Whether it takes any query parameters, which its handler reads from the address. */
  readonly takesAnyQuery?: boolean;
  /** Unique; names the function in generated clients. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly path?: P;
  readonly query?: Q;
  readonly headers?: Members;
  readonly body?: BodyForms<B>;
  readonly answers: A;
  /** Statuses of its errors, each with its meaning here. Statuses that every route has are added. */
  readonly errors?: Readonly<Record<number, string>>;
}

type None = Record<never, never>;

/** Checks the types of a contract; it does nothing. */
export function contract<
  const P extends Members = None,
  const Q extends Members = None,
  B = undefined,
  const A extends Answers = Answers,
>(definition: Contract<P, Q, B, A>): Contract<P, Q, B, A> {
  return definition;
}

type Given = string | number | bigint | boolean;

/** Parameters of a request as a client gives them: those of the path, and any of the query. */
export type ParamsOf<C> =
  C extends Contract<infer P, infer Q, unknown, Answers>
    ? { readonly [K in keyof P]: Given } & { readonly [K in keyof Q]?: Given | undefined }
    : never;

/** The JSON that a route answers. */
export type AnswerOf<C> = C extends { readonly answers: infer A } ? TypeOf<A[keyof A]> : never;

/** The address of a request below that of the service. */
export function requestPath<C extends Pick<Contract, 'url' | 'path'>>(
  { url, path = {} }: C,
  params: Readonly<Record<string, Given | undefined>>,
): string {
  const place = url.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(Object.hasOwn(params, name) ? (params[name] ?? '') : '')),
  );
  const query = Object.entries(params).flatMap(([name, value]) =>
    value === undefined || Object.hasOwn(path, name) ? [] : [`${name}=${encodeURIComponent(String(value))}`],
  );
  return query.length === 0 ? place : `${place}?${query.join('&')}`;
}
