import { invalidRequest } from '@switchyard/service';
import {
  type DirectAnswer,
  type DirectRequest,
  failure,
  type JsonRpcServer,
  type RpcContext,
} from '@switchyard/service/json-rpc';
import { COMET, URI_ID } from './dialect.ts';
import type { Methods } from './method.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** CometBFT's other way of calling a method over HTTP: a URL. `/` lists them. */
export async function answerUri(
  { method, path, query }: DirectRequest,
  context: RpcContext,
  { server, methods }: { readonly server: JsonRpcServer; readonly methods: Methods },
): Promise<DirectAnswer> {
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead && method !== 'POST') return { status: 405, headers: { allow: 'GET, POST' }, body: undefined };
  if (path === '/') {
    return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: toList(methods) };
  }
  const name = path.slice(1);
  const called = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (called === undefined) {
    return { status: 404, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: '404 page not found\n' };
  }
  const { text, pieces, isError, release } = await server.call(URI_ID, name, new URLSearchParams(query), context);
  const errorStatus = called.socketOnly ? 404 : 500;
  return { status: isError ? errorStatus : 200, headers: JSON_TYPE, body: pieces ?? text, release };
}

/** CometBFT answers 400 to a body that it does not read, regardless of the fault. */
export function refusedBody(_: number, why: string): DirectAnswer {
  const error = invalidRequest(`error reading request body: request body too large: ${why}`);
  return { status: 400, headers: JSON_TYPE, body: failure(COMET.noId, error) };
}

function toList(methods: Methods): string {
  const rows = Object.entries(methods)
    .filter(([, { socketOnly }]) => !socketOnly)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { params }]) => {
      const query = params.length === 0 ? '' : `?${params.map((param) => `${param}=_`).join('&amp;')}`;
      return `<li><a href="/${name}${query}">/${name}${query}</a></li>`;
    });
  return `<!doctype html><title>RPC</title><p>Methods:<ul>${rows.join('')}</ul>`;
}
