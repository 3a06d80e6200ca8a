import type { Hono } from 'hono';
import { pageHeaders } from '../access/headers.ts';
import { toJson } from '../json.ts';
import type { Logger } from '../log.ts';
import { DOCS_STYLE, docsPage } from './docs-page.ts';
import { mountRoutes } from './mount.ts';
import { type ApiInfo, openApiDocument } from './openapi.ts';
import { type AnyRoute, route } from './route.ts';

/** Serves a table of routes, its document at `/v1/openapi.json`, and a page made from it at `/docs`. */
export function serveApi(app: Hono, info: ApiInfo, routes: readonly AnyRoute[], log?: Logger): void {
  let made: { readonly text: string; readonly page: string } | undefined;
  const documented = [...routes, documentRoute(() => rendered().text)];
  const rendered = () => {
    if (made === undefined) {
      const document = openApiDocument(info, documented);
      made = { text: toJson(document), page: docsPage(document) };
    }
    return made;
  };
  mountRoutes(app, documented, log);
  const html = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache', ...pageHeaders() };
  app.get('/docs', () => new Response(rendered().page, { headers: html }));
  app.get(
    '/docs/style.css',
    () => new Response(DOCS_STYLE, { headers: { 'content-type': 'text/css; charset=utf-8' } }),
  );
}

function documentRoute(text: () => string): AnyRoute {
  return route({
    method: 'get',
    url: '/v1/openapi.json',
    id: 'getDocument',
    tag: 'Node',
    summary: 'This description, as an OpenAPI 3.1 document',
    answers: {
      200: { mediaType: 'application/json', description: 'The document', schema: { type: 'object' } },
    },
    handle: () => ({ status: 200, body: text() }),
  });
}
