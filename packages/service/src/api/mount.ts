import type { Context, Hono } from 'hono';
import { clientOf } from '../access/client.ts';
import { answerError, HttpError } from '../http/http-error.ts';
import { InvalidData } from '../input/index.ts';
import { toJson } from '../input/json.ts';
import type { Logger } from '../telemetry/log.ts';
import type { BodyForms } from './contract.ts';
import { mustBeKnown } from './known-query.ts';
import { type AnyReply, type AnyRoute, type ApiRequest, isRaw, Rendered } from './route.ts';
import { membersReader } from './schema.ts';

/** Makes an application answer the routes of a table. Another method on a path of the table is answered with 405. */
export function mountRoutes(app: Hono, routes: readonly AnyRoute[], log?: Logger): void {
  const methods = new Map<string, string[]>();
  const taken = new Map<string, string>();
  for (const route of routes) {
    const path = honoPath(route);
    const address = `${route.method.toUpperCase()} ${route.url}`;
    const other = taken.get(address);
    // The route mounted first would answer for both.
    if (other !== undefined) throw new Error(`the routes ${other} and ${route.id} both answer ${address}`);
    taken.set(address, route.id);
    methods.set(path, [...(methods.get(path) ?? []), route.method.toUpperCase()]);
    const read = requestReader(route);
    app.on(route.method.toUpperCase(), path, async (c) => {
      try {
        return await getResponse(route, await route.handle((await read(c)) as never), c);
      } catch (error) {
        return answerError(error, c, log);
      }
    });
  }
  for (const [path, allowed] of methods) {
    const allow = [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
    app.all(path, (c) => {
      const error = new HttpError(405, 'method-not-allowed', `expected ${allow}, got ${c.req.method}`);
      const response = answerError(error, c);
      response.headers.set('allow', allow);
      return response;
    });
  }
}

function honoPath({ url, restOfPath }: AnyRoute): string {
  const path = url.replaceAll(/\{(\w+)\}/g, ':$1');
  return restOfPath === true ? `${path}{.+}` : path;
}

type RequestReader = (c: Context) => Promise<ApiRequest<unknown, unknown, unknown>>;

/** It throws an {@link HttpError} 400 for requests that violate the schemas of the route. */
function requestReader({ path = {}, query = {}, takesAnyQuery = false, headers = {}, body }: AnyRoute): RequestReader {
  const names = Object.keys(query);
  const [readPath, readQuery, readHeaders] = [membersReader(path), membersReader(query), membersReader(headers)];
  return async (c) => {
    if (!takesAnyQuery) mustBeKnown(c, names);
    try {
      readHeaders((name) => c.req.header(name));
      return {
        path: readPath((name) => c.req.param(name)),
        query: readQuery((name) => c.req.query(name)),
        body: body === undefined ? undefined : await readBody(body, c),
        url: c.req.url,
        header: (name: string) => c.req.header(name),
        client: clientOf(c.env),
        signal: c.req.raw.signal,
      };
    } catch (error) {
      throw error instanceof InvalidData ? invalid(error) : error;
    }
  };
}

async function readBody(forms: BodyForms<unknown>, c: Context): Promise<unknown> {
  const [first] = Object.values(forms);
  const stated = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  const form = Object.hasOwn(forms, stated) ? forms[stated] : first;
  return form?.read(new Uint8Array(await c.req.arrayBuffer()));
}

async function getResponse({ answers }: AnyRoute, { status, body, headers = {}, etag }: AnyReply, c: Context) {
  const answer = answers[Number(status)];
  if (answer === undefined) throw new Error(`${c.req.method} ${c.req.path} has no answer ${String(status)}`);
  const caching = etag === undefined ? undefined : { etag: `"${etag}"`, 'cache-control': 'no-cache' };
  if (caching !== undefined && isKnown(c.req.header('if-none-match'), caching.etag)) {
    return new Response(null, { status: 304, headers: caching });
  }
  const type = { 'content-type': isRaw(answer) ? answer.mediaType : 'application/json' };
  const content = isRaw(answer) ? await rawContent(body, c) : body instanceof Rendered ? body.text : toJson(body);
  return new Response(content, { status: Number(status), headers: { ...type, ...caching, ...headers } });
}

/** A request for the head alone would leave a stream open that has no reader. */
async function rawContent(body: unknown, c: Context): Promise<string | ReadableStream<Uint8Array> | null> {
  if (!(body instanceof ReadableStream)) return String(body);
  if (c.req.method !== 'HEAD') return body;
  await body.cancel();
  return null;
}

/** Whether the client states that it has this answer. A proxy that compresses answers marks their tags as weak. */
function isKnown(header: string | undefined, etag: string): boolean {
  return header?.split(',').some((each) => ['*', etag].includes(each.trim().replace(/^W\//, ''))) === true;
}

function invalid({ problems, message }: InvalidData): HttpError {
  const [first] = problems;
  return new HttpError(
    400,
    'malformed',
    message.replaceAll('\n', '; '),
    first === undefined ? {} : { field: first.path },
  );
}
