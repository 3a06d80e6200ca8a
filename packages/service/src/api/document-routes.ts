import type { Hono } from 'hono';
import { pageHeaders } from '../access/headers.ts';
import { toJson } from '../json.ts';
import type { Logger } from '../log.ts';
import type { NetworkPages } from '../network-pages.ts';
import { packedAnswer } from '../packed-answer.ts';
import { mountRoutes } from './mount.ts';
import { type ApiInfo, type ContractModule, openApiDocument } from './openapi.ts';
import { referencePage } from './reference/page.ts';
import { pageScript } from './reference/script/script.ts';
import { ICON, STYLE } from './reference/style.ts';
import { type AnyRoute, route } from './route.ts';

/** Parts of the page that do not follow from the routes. */
export interface ApiReference {
  /** Modules from which clients import contracts of these routes: the examples use them. */
  readonly contracts?: readonly ContractModule[];
  /** The pages of its network, for its menu. */
  readonly pages?: NetworkPages | undefined;
}

/** Serves a table of routes, its document at `/v1/openapi.json`, and a page made from it at `/docs`. */
export function serveApi(
  app: Hono,
  info: ApiInfo,
  routes: readonly AnyRoute[],
  { log, contracts = [], pages }: ApiReference & { readonly log?: Logger | undefined } = {},
): void {
  const documented: readonly AnyRoute[] = [...routes, documentRoute(() => text())];
  const document = once(() => openApiDocument(info, documented));
  const text = once(() => toJson(document()));
  mountRoutes(app, documented, log);
  const page = once(async () => String(await referencePage(document(), contracts, pages)));
  const script = () => `(${pageScript.toString()})();`;
  const files = [
    ['/docs', 'text/html', page],
    ['/docs/style.css', 'text/css', () => STYLE],
    ['/docs/script.js', 'text/javascript', script],
    ['/docs/icon.svg', 'image/svg+xml', () => ICON],
  ] as const;
  for (const [path, type, content] of files) {
    const headers = { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-cache', ...pageHeaders() };
    const answer = once(async () => packedAnswer(await content(), headers));
    app.get(path, async (c) => (await answer())(c));
  }
}

/** The result of the first call. */
function once<T>(make: () => T): () => T {
  let made: { readonly result: T } | undefined;
  return () => {
    made ??= { result: make() };
    return made.result;
  };
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
