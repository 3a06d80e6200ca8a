import { expect, test } from 'vitest';
import type { ApiDocument, Call } from './document.ts';
import { curl, firstValues, requestPath, typescript } from './samples.ts';

const getThing: Call = {
  ...{ method: 'get', url: '/v1/things/{thing}', operationId: 'getThing', tags: [], summary: 'One thing' },
  parameters: [
    { name: 'thing', in: 'path', required: true, schema: { examples: ["it's"] } },
    { name: 'depth', in: 'query', required: false, schema: { type: 'integer' } },
  ],
  responses: {},
  'x-contract': { specifier: '@things/contract', imported: 'things', expression: 'things.getThing' },
};
const addThing: Call = {
  ...{ method: 'post', url: '/v1/things', operationId: 'addThing', tags: [], summary: '', parameters: [] },
  requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
  responses: {},
};
const Thing = {
  properties: { name: { examples: ["it's"] }, next: { $ref: '#/components/schemas/Thing' }, size: { type: 'integer' } },
  required: ['name', 'size'],
};
const document: ApiDocument = {
  info: { title: 'Things', version: '1', description: '' },
  ...{ tags: [], paths: {}, components: { schemas: { Thing } }, 'x-errors': {} },
};

test('examples are quoted for a shell, and use the contract where the call has one', () => {
  const values = firstValues(getThing, document);
  expect(curl(getThing, values, 'http://node')).toBe("curl -s 'http://node/v1/things/it%27s'");
  expect(
    typescript(getThing, values, 'http://node'),
  ).toBe(`import { contractApi, httpApi } from '@switchyard/client/http-api';
import { things } from '@things/contract';

const call = contractApi(httpApi('node', { url: 'http://node' }));
const answer = await call(things.getThing, { thing: 'it\\'s' });`);
  const { 'x-contract': _, ...untyped } = getThing;
  expect(typescript(untyped, values, 'http://node')).toContain("await fetch('http://node/v1/things/it%27s');");
});

test('examples follow the form; a missing value is its name, and the request has nothing there', () => {
  const values = { parameters: { thing: '', depth: '2' }, body: undefined };
  expect(curl(getThing, values, '')).toBe("curl -s '/v1/things/THING?depth=2'");
  expect(typescript(getThing, values, '')).toContain("{ thing: 'THING', depth: 2 }");
  expect(requestPath(getThing, values, () => '')).toBe('/v1/things/?depth=2');
  expect(requestPath(getThing, { ...values, parameters: { thing: '\ud800' } })).toBe('/v1/things/%EF%BF%BD');
});

test('a body has the members that are required, and is quoted for a shell', () => {
  const values = firstValues(addThing, document);
  expect(JSON.parse(values.body ?? '')).toEqual({ name: "it's", size: 0 });
  expect(curl(addThing, values, '')).toContain(`-d '{\n  "name": "it'\\''s",`);
  expect(typescript(addThing, values, '')).toContain(`body: JSON.stringify({\n  "name": "it's",`);
});

test('a call of bytes takes a file', () => {
  const content = { 'application/octet-stream': { schema: {} } };
  const call = { ...addThing, requestBody: { content } };
  const values = firstValues(call, document);
  expect(curl(call, values, '')).toContain("-H 'content-type: application/octet-stream' --data-binary @FILE");
  expect(typescript(call, values, '')).toContain("const bytes = await readFile('FILE');\nconst response");
});

test('a stream is followed', () => {
  const content = { 'text/event-stream': { schema: {} } };
  const call = { ...getThing, responses: { 200: { description: '', content } } };
  const values = firstValues(call, document);
  expect(curl(call, values, '')).toContain('curl -sN ');
  expect(typescript(call, values, 'http://node')).toContain("client.follow('/v1/things/it%27s', { signal })");
});
