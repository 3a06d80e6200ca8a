import { type Contract, schema } from '@switchyard/service/contract';
import * as parameter from './parameters.ts';

type Members = schema.Members;
type None = Record<never, never>;
type Errors = Readonly<Record<number, string>>;

/** A route that is called with GET and answers JSON. */
export type Get<P extends Members = Members, Q extends Members = Members, T = unknown> = Contract<
  P,
  Q,
  undefined,
  { readonly 200: schema.Schema<T> }
>;

export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** A route that answers a list in pages. */
export type List<P extends Members = Members, T = unknown> = Get<P, typeof parameter.page, Page<T>>;

export type Options<P extends Members, Q extends Members> = Pick<
  Contract<P, Q>,
  'path' | 'query' | 'restOfPath' | 'takesAnyQuery' | 'description' | 'errors'
>;

export const INDEX_ERRORS: Errors = { 503: 'The index does not answer' };

/** Errors of requests to another process while the client waits. */
export const NODE_ERRORS: Errors = {
  410: 'The node no longer has it',
  502: 'The node refused, or answered what cannot be read',
  503: 'The node or the index does not answer',
  504: 'The node did not answer in time',
};

/** A row of a {@link table}. */
export function get<T, const P extends Members = None, const Q extends Members = None>(
  url: string,
  summary: string,
  answer: schema.Schema<T>,
  options: Options<P, Q> = {},
): Get<P, Q, T> {
  return { method: 'get', url, id: '', tag: '', summary, ...options, answers: { 200: answer } };
}

export type ListOptions<P extends Members> = Omit<Options<P, never>, 'query'> & { readonly page?: string };

/** A row of a {@link table}: records in pages, newest or greatest first unless the summary states another order. */
export function list<M extends Members, const P extends Members = None>(
  url: string,
  summary: string,
  item: schema.RecordOf<M>,
  { errors, page = `${item.name}Page`, ...options }: ListOptions<P> = {},
): List<P, schema.ObjectOf<M>> {
  const answer = schema.record(page, {
    items: schema.list<schema.ObjectOf<M>>(item),
    next: schema.nullable(schema.text('`cursor` of the page after')),
  });
  const all = { ...options, query: parameter.page, errors: { ...INDEX_ERRORS, ...errors } };
  return get<Page<schema.ObjectOf<M>>, P, typeof parameter.page>(url, summary, answer, all);
}

/** Routes with the ids of their keys. */
export function table<T extends Readonly<Record<string, { readonly tag: string }>>>(tag: string, routes: T): T {
  // Only the values of two members change.
  return Object.fromEntries(Object.entries(routes).map(([id, route]) => [id, { ...route, id, tag }])) as unknown as T;
}

/** A list with nothing more to come. */
export const items = <T>(name: string, item: schema.Schema<T>) => schema.record(name, { items: schema.list(item) });
