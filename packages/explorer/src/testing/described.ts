import type { AnyRoute, schema } from '@switchyard/service/api';
import { Input } from '@switchyard/service/input';
import { undeclaredMembers } from '@switchyard/service/testing';

/** @throws for an answer that contradicts the table, or that has more than that. @param path Of a GET. */
export function mustBeDescribed(routes: readonly AnyRoute[], path: string, status: number, body: unknown): void {
  const { pathname } = new URL(path, 'http://test');
  const found = routes.find(({ method, url }) => method === 'get' && matcher(url).test(pathname));
  const answer = found?.answers[status];
  if (answer === undefined || 'mediaType' in answer) return;
  const { read, json } = answer as schema.Schema<unknown>;
  read(new Input(body, path));
  const undeclared = undeclaredMembers(json, body, path);
  if (undeclared.length > 0) throw new Error(`the document does not have ${undeclared.join(', ')}`);
}

const matcher = (url: string): RegExp => new RegExp(`^${url.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
