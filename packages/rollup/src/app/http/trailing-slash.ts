import type { Hono } from 'hono';

/** Tolerates one trailing slash, as the wire has it. */
export function tolerateTrailingSlash(app: Hono): Hono {
  const fetch = app.fetch.bind(app);
  app.fetch = (request, ...rest) => fetch(withoutTrailingSlash(request), ...rest);
  return app;
}

function withoutTrailingSlash(request: Request): Request {
  if (!/[^/]\/(?:\?|$)/.test(request.url)) return request;
  const url = new URL(request.url);
  if (url.pathname === '/' || !url.pathname.endsWith('/')) return request;
  url.pathname = url.pathname.slice(0, -1);
  return new Request(url, request);
}
