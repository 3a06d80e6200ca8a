import type { AnyRoute, schema } from '@switchyard/service/api';
import { Input } from '@switchyard/service/input';

/** @throws {InvalidData} for an answer that is not what the table describes. @param path Of a GET. */
export function mustBeDescribed(routes: readonly AnyRoute[], path: string, status: number, body: unknown): void {
  const { pathname } = new URL(path, 'http://test');
  const found = routes.find(({ method, url }) => method === 'get' && matcher(url).test(pathname));
  const answer = found?.answers[status];
  if (answer === undefined || 'mediaType' in answer) return;
  (answer as schema.Schema<unknown>).read(new Input(body, path));
}

const matcher = (url: string): RegExp => new RegExp(`^${url.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
