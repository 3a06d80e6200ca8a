import { undeclaredMembers } from '@switchyard/service/testing';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Hono } from 'hono';
import { expect } from 'vitest';

/** Checks answers against the document of the API that gave them. */
export interface Contract {
  /** Asks the application, and fails unless the document describes the answer. */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** `METHOD url status` of every answer that was checked. */
  readonly seen: ReadonlySet<string>;
  readonly document: ApiDocument;
}

interface ApiDocument {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Responses;
}
type Responses = Readonly<Record<string, { readonly content: Readonly<Record<string, unknown>> }>>;

const pointer = (...parts: readonly string[]) =>
  parts.map((part) => `/${encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

export async function describeContract(app: Hono): Promise<Contract> {
  const document = (await (await app.request('/v1/openapi.json')).json()) as ApiDocument;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, 'api');
  const urls = Object.keys(document.paths).map((url) => ({
    url,
    pattern: new RegExp(`^${url.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }));
  // A path without parameters comes before one with them.
  urls.sort((left, right) => Number(left.url.includes('{')) - Number(right.url.includes('{')));
  const seen = new Set<string>();

  async function request(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await app.request(path, init);
    const { pathname } = new URL(path, 'http://node');
    const url = urls.find(({ pattern }) => pattern.test(pathname))?.url;
    const method = (init.method ?? 'GET').toLowerCase();
    if (url === undefined || response.status === 304) return response;
    const responses = document.paths[url]?.[method]?.responses;
    if (responses === undefined) {
      expect(response.status).toBe(405);
      return response;
    }
    const type = response.headers.get('content-type') ?? '';
    const status = String(response.status);
    const place = `${method.toUpperCase()} ${url} ${status} ${type}`;
    expect(Object.keys(responses[status]?.content ?? {}), place).toContain(type);
    seen.add(`${method.toUpperCase()} ${url} ${status}`);
    if (!type.includes('json')) return response;
    const ref = `api#${pointer('paths', url, method, 'responses', status, 'content', type, 'schema')}`;
    const validate = ajv.compile({ $ref: ref });
    const body: unknown = await response.clone().json();
    expect(validate(body) ? [] : validate.errors, `${place}: ${JSON.stringify(body)}`).toEqual([]);
    const { schema = {} } = Object(responses[status]?.content[type]);
    const isFree = url === '/v1/transactions:decode';
    const undeclared = undeclaredMembers(schema, body, place, document.components.schemas);
    // The members of an event are those of its kind.
    if (!isFree) expect(undeclared.filter((each) => !/\.events\.\d+\./.test(each))).toEqual([]);
    return response;
  }
  return { request, seen, document };
}
