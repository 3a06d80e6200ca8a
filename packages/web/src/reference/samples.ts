import { type ApiDocument, type Call, componentName, isJson, isStream, type Json, type Parameter } from './document.ts';

/* Examples of a call, with the values that its form has. */

/** Texts by the names of parameters; an empty one is absent. `body` is undefined where the call takes no JSON. */
export interface Values {
  readonly parameters: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export function firstValues(call: Call, document: ApiDocument): Values {
  const schema = call.requestBody?.content['application/json']?.schema;
  return {
    parameters: Object.fromEntries(call.parameters.map((each) => [each.name, exampleValue(each)])),
    body: schema && JSON.stringify(exampleJson(schema, document.components.schemas, 0), undefined, 2),
  };
}

/** A value from the document; none for an optional parameter. */
function exampleValue({ required, schema: { examples, enum: words } }: Parameter): string {
  if (!required) return '';
  const [first] = [examples, words].find(Array.isArray) ?? [];
  return first === undefined ? '' : String(first);
}

const MAX_DEPTH = 8;

/** JSON of a schema, with the members that are required. */
function exampleJson(schema: Json, components: Json, depth: number): unknown {
  const deeper = (each: unknown): unknown =>
    depth < MAX_DEPTH && isJson(each) ? exampleJson(each, components, depth + 1) : null;
  const name = componentName(schema);
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
export function curl(call: Call, values: Values, origin: string): string {
  const type = bodyType(call);
  const headers = given(call, values, 'header').map(([name, value]) => ` \\\n  -H '${name}: ${inShell(value)}'`);
  const sent =
    values.body !== undefined
      ? ` \\\n  -H 'content-type: application/json' \\\n  -d '${inShell(values.body)}'`
      : type !== undefined
        ? ` \\\n  -H 'content-type: ${type}' --data-binary @FILE`
        : '';
  return `curl -s${isStream(call) ? 'N' : ''} '${origin}${requestPath(call, values)}'${headers.join('')}${sent}`;
}

/** With the typed client if the call has a contract, else with `fetch`. */
export function typescript(call: Call, values: Values, origin: string): string {
  const path = requestPath(call, values);
  const { body } = values;
  const typed = call['x-contract'];
  if (isStream(call)) {
    return `${importLine('rollupClient', '@switchyard/client/rollup')}

const { signal } = new AbortController();
const client = rollupClient({ url: '${origin}' });
for await (const event of client.follow('${path}', { signal })) {
  console.log(event.kind, event.id, event.data.value);
}`;
  }
  if (typed !== undefined && body === undefined) {
    return `${importLine('contractApi, httpApi', '@switchyard/client/http-api')}
${importLine(typed.imported, typed.specifier)}

const call = contractApi(httpApi('node', { url: '${origin}' }));
const answer = await call(${typed.expression}, ${typedParameters(call, values)});`;
  }
  const type = body === undefined ? bodyType(call) : 'application/json';
  const init = type && sentBy(type, body === undefined ? 'bytes' : `JSON.stringify(${body})`);
  const file = `${importLine('readFile', 'node:fs/promises')}\n\nconst bytes = await readFile('FILE');\n`;
  return `${init !== undefined && body === undefined ? file : ''}const response = await fetch('${origin}${path}'${init ?? ''});
if (!response.ok) throw new Error(await response.text());
const answer = await response.json();`;
}

const importLine = (names: string, specifier: string) => `import { ${names} } from '${specifier}';`;

const sentBy = (type: string, body: string) => `, {
  method: 'POST',
  headers: { 'content-type': '${type}' },
  body: ${body},
}`;

const bodyType = ({ requestBody }: Call): string | undefined => Object.keys(requestBody?.content ?? {})[0];

const inShell = (text: string) => text.replaceAll("'", "'\\''");

/** Values of one kind of parameters. A missing required value is its name in capital letters, or as `missing` makes it. */
function given(call: Call, { parameters }: Values, kind: Parameter['in'], missing = capitals) {
  return call.parameters.flatMap(({ name, required, in: found }) => {
    const value = parameters[name] || (required ? missing(name) : '');
    return found === kind && (required || value !== '') ? [[name, value] as const] : [];
  });
}

const capitals = (name: string) => name.toUpperCase();

/** @param missing Stands for a required value that is empty. */
export function requestPath(call: Call, values: Values, missing = capitals): string {
  // Halves of surrogate pairs cannot be encoded.
  const encoded = (text: string) =>
    encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd')).replaceAll("'", '%27');
  const path = given(call, values, 'path', missing).reduce(
    (text, [name, value]) => text.replace(`{${name}}`, () => encoded(value)),
    call.url,
  );
  const query = given(call, values, 'query', missing).filter(([, value]) => value !== '');
  return query.length === 0 ? path : `${path}?${query.map(([name, value]) => `${name}=${encoded(value)}`).join('&')}`;
}

function typedParameters(call: Call, values: Values): string {
  const members = [...given(call, values, 'path'), ...given(call, values, 'query')].map(([name, value]) => {
    const text = /^\d{1,15}$/.test(value) ? value : `'${value.replace(/[\\']/g, '\\$&')}'`;
    return `${name}: ${text}`;
  });
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

export const requestHeaders = (call: Call, values: Values): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(given(call, values, 'header', () => '').filter(([, value]) => value !== '')),
  ...(values.body !== undefined && { 'content-type': 'application/json' }),
});
