import type { Hono } from 'hono';

const ANY_ORIGIN = ['access-control-allow-origin', '*'] as const;
const PREFLIGHT = {
  [ANY_ORIGIN[0]]: ANY_ORIGIN[1],
  'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
  'access-control-allow-headers': 'content-type',
  'access-control-max-age': '86400',
};

/**
 * Lets web pages of any origin call every route and read every answer: there are no cookies to abuse. Also tolerates
 * one trailing slash, as the wire has it.
 *
 * The header goes straight to the connection, where there is one. Setting it on the answer, as Hono's own middleware
 * does, has the answer made three times and doubles the cost of a small request.
 */
export function openToPages(app: Hono): Hono {
  const fetch = app.fetch.bind(app);
  app.fetch = (request, connection, ...rest) => {
    if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: PREFLIGHT });
    const outgoing = outgoingOf(connection);
    outgoing?.setHeader(...ANY_ORIGIN);
    const answer = fetch(withoutTrailingSlash(request), connection, ...rest);
    return outgoing === undefined ? Promise.resolve(answer).then(withAnyOrigin) : answer;
  };
  return app;
}

function withAnyOrigin(answer: Response): Response {
  answer.headers.set(...ANY_ORIGIN);
  return answer;
}

function withoutTrailingSlash(request: Request): Request {
  if (!/[^/]\/(?:\?|$)/.test(request.url)) return request;
  const url = new URL(request.url);
  if (url.pathname === '/' || !url.pathname.endsWith('/')) return request;
  url.pathname = url.pathname.slice(0, -1);
  return new Request(url, request);
}

/** Node's side of the connection, which a request in memory does not have. */
function outgoingOf(connection: unknown): { setHeader(name: string, value: string): unknown } | undefined {
  const { outgoing } = (connection ?? {}) as { outgoing?: { setHeader(name: string, value: string): unknown } };
  return outgoing;
}
