import {
  type AnswerOf,
  ApiRefused,
  contractApi,
  httpApi,
  type Input,
  object,
  type ParamsOf,
  type Read,
  requestPath,
} from '@switchyard/client/http-api';
import type { List } from '@switchyard/explorer/contract';
import type { NameUse } from '../ui/look-alike.ts';
import { namesOfMessages } from './parts/names.ts';
import { elements, word } from './word.ts';

/** The explorer that served this page, below the same path. Its answers are shown as text and never as markup. */
export const BASE = new URL('.', location.href).href;

export const call = httpApi('explorer', { url: BASE });
export const ask = contractApi(call);

/** Stream of the newest heights. */
export const EVENTS = `${BASE}v1/events`;

/** A list in pages. */
export interface Source<T> {
  readonly key: string;
  /** Whether it begins with the lowest key, and not with the newest row. */
  readonly isByKey?: boolean;
  load(cursor: string, limit: number | undefined): Promise<Page<T>>;
  /** Names that strangers chose in the rows, those of the first users first. */
  getNames?(rows: readonly T[]): readonly NameUse[];
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Null if there is no more. */
  readonly next: string | null;
}

type ItemOf<C> = AnswerOf<C> extends { readonly items: readonly (infer T)[] } ? T : never;

export const toList = <C extends List>(route: C, params: ParamsOf<C>): Source<ItemOf<C>> => ({
  key: requestPath(route, params),
  // Every answer of a list is a page of its items.
  load: async (cursor, limit) =>
    (await ask(route, { ...params, cursor: cursor || undefined, limit })) as Page<ItemOf<C>>,
});

/** A list without pages. */
export const wholeList = <T>(key: string, load: () => Promise<readonly T[]>): Source<T> => ({
  key,
  load: async () => ({ items: await load(), next: null }),
});

type Query = Readonly<Record<string, string | number | undefined>>;

/** An answer of the node of a rollup, which has its own form. @param path Below `/v1`. */
export const askNode = (rollup: string, path: string, query: Query = {}): Promise<Input> =>
  call(requestPath({ url: `/v1${rollupPath(rollup)}/views/${path}` }, query));

/** A list of the node of a rollup. @param items Member with the items of a page. */
const nodeList = <T>(
  rollup: string,
  path: string,
  items: string,
  read: Read<T>,
  query: Query = {},
  isByKey = false,
): Source<T> => ({
  key: [rollup, path, ...Object.values(query)].join(' '),
  isByKey,
  async load(cursor, limit) {
    const from = { [isByKey ? 'after' : 'before']: cursor || undefined };
    const answer = await askNode(rollup, path, { ...query, ...from, limit });
    return { items: answer.at(items).list().map(read), next: word(answer.at(isByKey ? 'next' : 'older')) || null };
  },
});

const message = object({ sender: word, address: word, message: word, time: word, hash: word });
export type Message = ReturnType<typeof message>;

export const getMessages = (rollup: string, sender?: string): Source<Message> => ({
  ...nodeList(rollup, 'messages', 'messages', message, { sender }),
  getNames: namesOfMessages,
});

const entry = object({ kind: word, time: word, from: word, to: word, asset: word, amount: word, hash: word });
export type Entry = ReturnType<typeof entry>;

export const getHistory = (rollup: string, address: string): Source<Entry> =>
  nodeList(rollup, `accounts/${encodeURIComponent(address)}/history`, 'entries', entry);

/** An object of any members. */
const anyObject: Read<Input> = (input) => (input.isObject ? input : input.fail('an object'));
const event = object({ block: word, transaction: word, event: anyObject });
export type Event = ReturnType<typeof event>;

export const getEvents = (rollup: string): Source<Event> => nodeList(rollup, 'events', 'events', event);

const row = object({ key: (input) => elements(input).map(word), value: (input) => input });
export type Row = ReturnType<typeof row>;

export const getRows = (rollup: string, table: string, query: Query): Source<Row> =>
  nodeList(rollup, `tables/${encodeURIComponent(table)}`, 'rows', row, query, true);

const account = object({
  address: word,
  nonce: word,
  balances: (input) => input.optional((each) => each.list().map(object({ asset: word, amount: word }))),
});
export const getAccount = async (rollup: string, address: string) =>
  account(await askNode(rollup, `accounts/${encodeURIComponent(address)}`));

export const isNotFound = (error: unknown): boolean => error instanceof ApiRefused && error.status === 404;

/** The page of a rollup, of which an id or a name is given. */
export const rollupPath = (rollup: string): string => `/rollups/${encodeURIComponent(rollup)}`;

export function getMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
