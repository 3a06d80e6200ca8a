import { Input } from '@switchyard/service/input';
import { expect, test } from 'vitest';
import { isOffered, toOffers } from './offers.ts';

const json = { responses: { 200: { content: { 'application/json': { schema: {} } } } } };
const stream = { responses: { 200: { content: { 'text/event-stream': {} } } } };
const makeDocument = (paths: Record<string, unknown>) => new Input({ openapi: '3.1.1', paths }, '');

test('what is offered is each JSON answer to GET', () => {
  const offers = toOffers(
    makeDocument({
      '/v1/messages': { get: json },
      '/v1/accounts/{address}': { get: json },
      '/v1/accounts/{address}/history': { post: json },
      '/v1/streams/events': { get: stream },
      '/admin': { get: json },
    }),
  );
  expect(offers).toEqual({ paths: ['/v1/messages', '/v1/accounts/{address}'], views: [] });
  const paths = ['/v1/messages', '/v1/accounts/a', '/v1/accounts', '/v1/accounts/a/b', '/v1/streams/events', '/admin'];
  expect(paths.filter((path) => isOffered(offers, path))).toEqual(['/v1/messages', '/v1/accounts/a']);
});

// Defect: A query with optional parameters only had no page in the explorer
test('a view is a JSON answer to a request that needs no parameters', () => {
  const document = makeDocument({
    '/v1/total': { get: { ...json, summary: 'The total', parameters: [] } },
    '/v1/supply': { get: json },
    '/v1/status': { get: json },
    '/v1/definition': { get: json },
    '/v1/events': { get: stream },
    '/v1/orders': { get: { ...json, parameters: [{ name: 'limit', in: 'query', required: false }] } },
    '/v1/order': { get: { ...json, parameters: [{ name: 'id', in: 'query', required: true }] } },
    '/v1/reset': { post: json },
    '/v1/openapi.json': { get: json },
    '/v1/../secret': { get: json },
    '/admin': { get: json },
  });
  expect(toOffers(document).views).toEqual([
    { name: 'total', summary: 'The total' },
    { name: 'supply', summary: 'supply' },
    { name: 'orders', summary: 'orders' },
  ]);
});

test.each([[{}], [{ paths: [] }], [{ paths: { '/v1/total': 'get' } }], ['text']])('refuses %j', (document) => {
  expect(() => toOffers(new Input(document, 'document'))).toThrow(/expected/);
});

test('a document with very many paths or words is cut', () => {
  const paths = Object.fromEntries(
    Array.from({ length: 500 }, (_, at) => [`/v1/view-${at}`, { get: { ...json, summary: 'x'.repeat(10_000) } }]),
  );
  const { views, paths: shown } = toOffers(makeDocument(paths));
  expect([shown.length, views.length, views[0]?.summary.length]).toEqual([200, 20, 200]);
});
