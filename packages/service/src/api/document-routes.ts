import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Hono } from 'hono';
import { packedAnswer } from '../http/packed-answer.ts';
import { pageRoutes } from '../http/page-routes.ts';
import { toJson } from '../input/json.ts';
import type { NetworkPages } from '../settings/network-pages.ts';
import type { Logger } from '../telemetry/log.ts';
import { asyncApiDocument, type Channel } from './asyncapi.ts';
import { mountRoutes } from './mount.ts';
import { type ApiInfo, type ContractModule, openApiDocument } from './openapi.ts';
import { type AnyRoute, route } from './route.ts';

/** Parts of the page that do not follow from the routes. */
export interface ApiReference {
  /** Modules from which clients import contracts of these routes: the examples use them. */
  readonly contracts?: readonly ContractModule[];
  /** The pages of its network, for its menu. */
  readonly pages?: NetworkPages | undefined;
  /** A WebSocket, which is described at `/v1/asyncapi.json` together with the streams of events. */
  readonly socket?: Channel;
}

/** The page that shows a document: Vite puts it into the package of the pages, and packing into this one. */
const PAGE = ['../../../web/dist/reference', '../../page']
  .map((path) => join(import.meta.dirname, path))
  .find((directory) => existsSync(directory));

/** Serves a table of routes, its documents at `/v1/openapi.json` and, with a WebSocket, `/v1/asyncapi.json`, and a page that shows it at `/docs`. */
export function serveApi(
  app: Hono,
  info: ApiInfo,
  routes: readonly AnyRoute[],
  { log, contracts = [], pages, socket }: ApiReference & { readonly log?: Logger | undefined } = {},
): void {
  const documented: readonly AnyRoute[] = [
    ...routes,
    documentRoute('openapi', 'getDocument', 'This description, as an OpenAPI 3.1 document', () =>
      openApiDocument(info, documented, contracts),
    ),
    ...(socket === undefined
      ? []
      : [
          documentRoute('asyncapi', 'getStreams', 'The WebSocket and the streams, as an AsyncAPI 3.0 document', () =>
            asyncApiDocument(info, socket, routes),
          ),
        ]),
  ];
  mountRoutes(app, documented, log);
  if (PAGE !== undefined) pageRoutes(app, PAGE, { at: '/docs', pages });
}

function documentRoute(name: string, id: string, summary: string, make: () => object): AnyRoute {
  let packed: ReturnType<typeof packedAnswer> | undefined;
  return route({
    method: 'get',
    ...{ url: `/v1/${name}.json`, id, tag: 'Node', summary },
    answers: {
      200: { mediaType: 'application/json', description: 'The document', schema: { type: 'object' } },
    },
    handle({ header }) {
      packed ??= packedAnswer(toJson(make()), { 'content-type': 'application/json' });
      const { body, headers } = packed(header('accept-encoding'));
      return { status: 200, body: body ?? '', headers: Object.fromEntries(headers) };
    },
  });
}
