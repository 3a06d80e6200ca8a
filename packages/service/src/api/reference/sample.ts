import { html } from 'hono/html';
import type { ContractModule } from '../openapi.ts';
import { type ApiDocument, type Call, componentOf, isStream, type Json, type Parameter } from './document.ts';
import type { Html } from './html.ts';
import { isJson } from './schema-html.ts';

/*
 * Examples of calls. Their parts that a reader may change are marked, so that the script of the page follows the input
 * into the form of the call.
 */

/** In the place of the node, which the script replaces by that of the page. */
export const NODE = 'http://NODE';

/** How a typed client names the contract of a call. */
interface TypedCall {
  readonly specifier: string;
  readonly imported: string;
  readonly expression: string;
}

/** Calls with a contract by their method and path. */
export function typedCalls(modules: readonly ContractModule[]): ReadonlyMap<string, TypedCall> {
  const found = new Map<string, TypedCall>();
  for (const { specifier, exports } of modules) {
    for (const [imported, value] of Object.entries(exports)) {
      const group = isContract(value) ? { '': value } : isJson(value) ? value : {};
      for (const [name, each] of Object.entries(group)) {
        if (!isContract(each)) continue;
        const expression = name === '' ? imported : `${imported}.${name}`;
        found.set(`${each.method} ${each.url}`, { specifier, imported, expression });
      }
    }
  }
  return found;
}

const isContract = (value: unknown): value is { readonly method: string; readonly url: string } =>
  isJson(value) && typeof value.method === 'string' && typeof value.url === 'string' && isJson(value.answers);

/** A value for the form and the examples: taken from the document; none for optional parameters. */
export function exampleValue({ required, schema }: Parameter): string {
  if (!required) return '';
  const { examples, enum: words } = schema;
  const [first] = (Array.isArray(examples) ? examples : Array.isArray(words) ? words : []) as unknown[];
  return first === undefined ? '' : String(first);
}

/** A JSON body with the members that have to be there; undefined if the call takes no JSON. */
export function bodyOf({ requestBody }: Call, { components }: ApiDocument): string | undefined {
  const schema = requestBody?.content['application/json']?.schema;
  return schema === undefined
    ? undefined
    : JSON.stringify(exampleOf(schema, components.schemas as Json, 0), undefined, 2);
}

const MAX_DEPTH = 8;

function exampleOf(schema: Json, components: Json, depth: number): unknown {
  const deeper = (each: unknown): unknown =>
    depth < MAX_DEPTH && isJson(each) ? exampleOf(each, components, depth + 1) : null;
  const name = componentOf(schema);
  if (name !== undefined) return deeper(components[name]);
  const { examples, enum: words, anyOf, oneOf, type, properties, required = [], items, minimum = 0 } = schema;
  const [given] = [examples, words].find(Array.isArray) ?? [];
  if (given !== undefined) return given;
  const union = anyOf ?? oneOf;
  if (Array.isArray(union)) return deeper(union[0]);
  if (isJson(properties))
    return Object.fromEntries((required as string[]).map((key) => [key, deeper(properties[key])]));
  if (type === 'array') return [deeper(items)];
  if (type === 'boolean') return true;
  return type === 'integer' || type === 'number' ? minimum : '...';
}

/** A call with a body is a POST by that. */
export function curlHtml(call: Call, body: string | undefined): Html {
  const { parameters, requestBody } = call;
  const [type] = Object.keys(requestBody?.content ?? {});
  const sent =
    body !== undefined
      ? html` \\
  -H 'content-type: application/json' \\
  -d '<span data-body="shell">${body.replaceAll("'", "'\\''")}</span>'`
      : type !== undefined
        ? html` \\
  -H 'content-type: ${type}' --data-binary @FILE`
        : '';
  const headers = parameters.filter((each) => each.in === 'header' && each.required);
  const stated = headers.map(
    (each) => html` \\
  -H '${each.name}: ${exampleValue(each) || each.name.toUpperCase()}'`,
  );
  return html`curl -s${isStream(call) ? 'N' : ''} '<span data-origin>${NODE}</span><span data-path>${pathOf(call)}</span>'${stated}${sent}`;
}

// No line of this file begins with an import of an example: what packs the package reads its imports.
const importOf = (names: string, specifier: string): Html => html`import { ${names} } from '${specifier}';`;

const fromFile = html`${importOf('readFile', 'node:fs/promises')}

const bytes = await readFile('FILE');
`;

/** With the typed client if the call has a contract, else with `fetch`. */
export function typescriptHtml(call: Call, typed: TypedCall | undefined, body: string | undefined): Html {
  const url = html`<span data-origin>${NODE}</span>`;
  const path = html`<span data-path>${pathOf(call)}</span>`;
  if (isStream(call)) {
    return html`${importOf('rollupClient', '@switchyard/client/rollup')}

const { signal } = new AbortController();
const client = rollupClient({ url: '${url}' });
for await (const event of client.follow('${path}', { signal })) {
  console.log(event.kind, event.id, event.data.value);
}`;
  }
  if (typed !== undefined && body === undefined) {
    return html`${importOf('contractApi, httpApi', '@switchyard/client/http-api')}
${importOf(typed.imported, typed.specifier)}

const call = contractApi(httpApi('node', { url: '${url}' }));
const answer = await call(${typed.expression}, <span data-params>${paramsOf(call)}</span>);`;
  }
  const [type] = Object.keys(call.requestBody?.content ?? {});
  const sent =
    body !== undefined
      ? html`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(<span data-body="json">${body}</span>),
}`
      : type !== undefined
        ? html`, {
  method: 'POST',
  headers: { 'content-type': '${type}' },
  body: bytes,
}`
        : '';
  const from = body === undefined && type !== undefined ? fromFile : '';
  return html`${from}const response = await fetch('${url}${path}'${sent});
if (!response.ok) throw new Error(await response.text());
const answer = await response.json();`;
}

const quotable = (text: string) => encodeURIComponent(text).replaceAll("'", '%27');

/** The path with values, and names in capital letters in the place of missing values. */
function pathOf({ url, parameters }: Call): string {
  const given = (parameter: Parameter) => quotable(exampleValue(parameter) || parameter.name.toUpperCase());
  const inPath = parameters.filter((each) => each.in === 'path');
  const path = inPath.reduce((text, each) => text.replace(`{${each.name}}`, () => given(each)), url);
  const query = parameters.filter((each) => each.in === 'query' && each.required);
  return query.length === 0 ? path : `${path}?${query.map((each) => `${each.name}=${given(each)}`).join('&')}`;
}

function paramsOf({ parameters }: Call): string {
  const given = parameters.filter((each) => each.in !== 'header' && each.required);
  if (given.length === 0) return '{}';
  const members = given.map((each) => {
    const value = exampleValue(each) || each.name.toUpperCase();
    return `${each.name}: ${/^\d{1,15}$/.test(value) ? value : `'${value.replace(/[\\']/g, '\\$&')}'`}`;
  });
  return `{ ${members.join(', ')} }`;
}
