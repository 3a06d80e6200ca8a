import { httpApi, Input } from '@switchyard/client/http-api';

/** The explorer that served this page, below the same path. What it answers is shown as text and never as markup. */
const service = httpApi('explorer', { url: new URL('.', location.href).href });

export const ask = (path: string): Promise<Input> => service(`/v1${path}`);

/** Text or a number, for people; empty where there is none. */
export const word = ({ value }: Input): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

/** Members that may be absent at each step. */
export function within(input: Input, ...names: readonly string[]): Input {
  return names.reduce((found, name) => (found.isObject ? found.at(name) : new Input(undefined, name)), input);
}

export interface Page {
  readonly items: readonly Input[];
  readonly next: string;
}

export async function pageOf(path: string, cursor: string): Promise<Page> {
  const mark = path.includes('?') ? '&' : '?';
  const answer = await ask(`${path}${cursor === '' ? '' : `${mark}cursor=${encodeURIComponent(cursor)}`}`);
  const list = ['items', 'validators', 'texts'].find((name) => answer.at(name).isPresent) ?? 'items';
  return { items: answer.at(list).list(), next: answer.at('next').isPresent ? word(answer.at('next')) : '' };
}
