import { ApiRefused, httpApi, Input } from '@switchyard/client/http-api';
import { shown } from './shown.ts';

const base = new URL('.', location.href).href;

/** The explorer that served this page, below the same path. Its answers are shown as text and never as markup. */
const service = httpApi('explorer', { url: base });

export const ask = (path: string): Promise<Input> => service(`/v1${path}`);

/** Where the newest heights are pushed from. */
export const EVENTS = `${base}v1/events`;

/** Text, a number or a flag for people; empty where there is none. */
export const word = ({ value }: Input): string =>
  ['string', 'number', 'bigint', 'boolean'].includes(typeof value) ? String(value) : '';

/** A member that may be absent at each step. */
export function within(input: Input, ...names: readonly string[]): Input {
  return names.reduce((found, name) => (found.isObject ? found.at(name) : new Input(undefined, name)), input);
}

/** The text of a member, ready to be shown: it may be from a stranger. */
export const textOf = (input: Input, ...names: readonly string[]): string => shown(word(within(input, ...names)));

/** The number of a member; undefined where there is none. */
export function numberOf(input: Input, ...names: readonly string[]): number | undefined {
  const text = word(within(input, ...names));
  return text === '' || Number.isNaN(Number(text)) ? undefined : Number(text);
}

export interface Page {
  readonly items: readonly Input[];
  readonly next: string;
}

/** Where the node of a rollup answers itself, its lists have names and cursors of their own. */
const LISTS = ['items', 'validators', 'messages', 'entries'];

export async function pageOf(path: string, cursor: string): Promise<Page> {
  const mark = path.includes('?') ? '&' : '?';
  const name = path.includes('/messages') || path.includes('/history') ? 'before' : 'cursor';
  const answer = await ask(`${path}${cursor === '' ? '' : `${mark}${name}=${encodeURIComponent(cursor)}`}`);
  const list = LISTS.find((each) => answer.at(each).isPresent) ?? 'items';
  return { items: answer.at(list).list(), next: word(answer.at('next')) || word(answer.at('older')) };
}

export const isNotFound = (error: unknown): boolean => error instanceof ApiRefused && error.status === 404;

/** A member that holds an account on the page, in the form of the page's addresses. */
export const rollupPath = (rollup: Input): string => `/rollups/${encodeURIComponent(word(rollup))}`;

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
