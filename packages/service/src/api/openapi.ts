import { PROBLEM_TYPE, problemSchema, TITLES } from '../http/problem.ts';
import { toJson } from '../input/json.ts';
import { type AnyRoute, isRaw, toErrors } from './route.ts';
import { type JsonSchema, type Members, NAME } from './schema.ts';

export interface ApiInfo {
  readonly title: string;
  readonly version: string;
  readonly description: string;
}

/** A module with contracts of routes, alone or in groups, and under which name clients import it. */
export interface ContractModule {
  readonly specifier: string;
  readonly exports: Readonly<Record<string, unknown>>;
}

/**
 * The OpenAPI 3.1 document of a table of routes.
 *
 * @param contracts Modules from which clients import the contracts of some of the routes, which are then in `x-contract`.
 */
export function openApiDocument(info: ApiInfo, routes: readonly AnyRoute[], contracts: readonly ContractModule[] = []) {
  const components = new Components();
  const typed = typedCalls(contracts);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const contract = typed.get(toAddress(route));
    const described = { ...operation(route, components), ...(contract && { 'x-contract': contract }) };
    paths[route.url] = { ...paths[route.url], [route.method]: described };
  }
  return {
    openapi: '3.1.1',
    info: { ...info, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: '/', description: 'This node' }],
    security: [],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: { schemas: components.found },
    'x-errors': TITLES,
  };
}

/** How a typed client names the contract of a call. */
interface TypedCall {
  readonly specifier: string;
  readonly imported: string;
  readonly expression: string;
}

/** Calls with a contract by their method and path. */
function typedCalls(modules: readonly ContractModule[]): ReadonlyMap<string, TypedCall> {
  const found = new Map<string, TypedCall>();
  for (const { specifier, exports } of modules) {
    for (const [imported, value] of Object.entries(exports)) {
      const contracts = isContract(value) ? [['', value] as const] : Object.entries(Object(value));
      for (const [name, each] of contracts) {
        const expression = name === '' ? imported : `${imported}.${name}`;
        if (isContract(each)) found.set(toAddress(each), { specifier, imported, expression });
      }
    }
  }
  return found;
}

type Address = Pick<AnyRoute, 'method' | 'url'>;

const toAddress = ({ method, url }: Address): string => `${method} ${url}`;

function isContract(value: unknown): value is Address {
  const { method, url, answers } = Object(value) as Readonly<Record<string, unknown>>;
  return typeof method === 'string' && typeof url === 'string' && typeof answers === 'object';
}

function operation(route: AnyRoute, components: Components) {
  const { id, tag, summary, description, path = {}, query = {}, headers = {}, body, answers } = route;
  const problem = { [PROBLEM_TYPE]: { schema: components.hoist(problemSchema) } };
  const succeeded = Object.entries(answers).map(([status, answer]) => {
    const type = isRaw(answer) ? answer.mediaType : 'application/json';
    const schema = isRaw(answer) ? answer.schema : answer.json;
    const text = isRaw(answer) ? answer.description : summary;
    return [status, { description: text, content: { [type]: { schema: components.hoist(schema) } } }];
  });
  const failed = Object.entries(toErrors(route)).map(([status, text]) => [
    status,
    { description: text, content: problem },
  ]);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    parameters: [
      ...getParameters('path', path, components),
      ...getParameters('query', query, components),
      ...getParameters('header', headers, components),
    ],
    ...(body !== undefined && {
      requestBody: {
        required: true,
        content: Object.fromEntries(
          Object.entries(body).map(([type, { schema }]) => [type, { schema: components.hoist(schema) }]),
        ),
      },
    }),
    responses: Object.fromEntries([...succeeded, ...failed]),
  };
}

function getParameters(place: 'path' | 'query' | 'header', members: Members, components: Components) {
  return Object.entries(members).map(([name, { json, isOptional }]) => {
    const { description, ...schema } = json;
    const required = isOptional !== true;
    return {
      name,
      in: place,
      required,
      ...(description !== undefined && { description }),
      schema: components.hoist(schema),
    };
  });
}

/** Schemas with a name, each described once. */
export class Components {
  readonly found: Record<string, unknown> = {};

  /** The schema with references in the place of named schemas. */
  hoist(schema: JsonSchema): unknown {
    return this.#walk(schema);
  }

  #walk(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#walk(each));
    if (typeof value !== 'object' || value === null) return value;
    const { [NAME]: name, ...rest } = value as JsonSchema;
    // Without it, some generated clients refuse further members, and some drop them.
    if ('properties' in rest && rest.additionalProperties === undefined)
      throw new Error(`an object with ${Object.keys(Object(rest.properties)).join(', ')}: may it have other members?`);
    const walked = Object.fromEntries(Object.entries(rest).map(([key, each]) => [key, this.#walk(each)]));
    if (typeof name !== 'string') return walked;
    const known = this.found[name];
    if (known !== undefined && toJson(known) !== toJson(walked)) throw new Error(`two schemas are named ${name}`);
    this.found[name] = walked;
    return { $ref: `#/components/schemas/${name}` };
  }
}
