import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { contract } from '../contract.ts';
import { type AnyRoute, schema, serve, serveApi } from '../index.ts';

const HOSTILE = `<img src=x onerror="alert(1)">'&`;

const getThing = contract({
  method: 'get',
  url: '/v1/things/{thing}',
  id: 'getThing',
  tag: 'Things',
  summary: 'One `thing`',
  path: { thing: schema.text('Its name', { examples: ["it's"] }) },
  query: { depth: schema.optional(schema.integer('How much of it', { max: 3 }), 1) },
  answers: {
    200: schema.record('Thing', { size: schema.integer('Its size'), next: schema.nullable(schema.text('')) }),
  },
});
const things = serve(getThing, () => ({ status: 200, body: { size: 1, next: null } }));

async function pageOf(routes: readonly AnyRoute[], title = 'Things', contracts = {}): Promise<string> {
  const app = new Hono();
  const options = { contracts: [{ specifier: '@things/contract', exports: contracts }] };
  serveApi(app, { title, version: '1', description: title }, routes, options);
  return (await app.request('/docs')).text();
}

/** The text that a reader copies, after the name of an example. */
function sampleOf(page: string, name: string): string {
  const [, found = ''] = new RegExp(`Example with ${name}">([\\s\\S]*?)</pre>`).exec(page) ?? [];
  const entities: Readonly<Record<string, string>> = {
    '&#39;': "'",
    '&quot;': '"',
    '&lt;': '<',
    '&gt;': '>',
    '&amp;': '&',
  };
  return found.replaceAll(/<[^>]*>/g, '').replaceAll(/&[#\w]+;/g, (entity) => entities[entity] ?? entity);
}

test('whatever an author has in names and descriptions is text', async () => {
  const members = { [HOSTILE]: schema.text(HOSTILE, { examples: [HOSTILE] }) };
  const hostile = serve(
    contract({
      method: 'post',
      url: `/v1/${HOSTILE}`,
      ...{ id: HOSTILE, tag: HOSTILE, summary: HOSTILE, description: HOSTILE },
      query: members,
      body: { 'application/json': { schema: schema.record(HOSTILE, members).json, read: () => undefined } },
      answers: { 200: schema.record(`${HOSTILE}2`, members) },
      errors: { 409: HOSTILE },
    }),
    () => ({ status: 200, body: { [HOSTILE]: '' } }),
  );
  const page = await pageOf([hostile], HOSTILE);
  expect(page).not.toContain('<img');
  expect(page.match(/&lt;img src=x onerror=&quot;alert\(1\)&quot;&gt;&#39;&amp;/g)?.length).toBeGreaterThan(10);
});

test('examples are quoted for a shell, and use the contract where the call has one', async () => {
  const page = await pageOf([things], 'Things', { things: { getThing } });
  expect(sampleOf(page, 'curl')).toBe("curl -s 'http://NODE/v1/things/it%27s'");
  expect(sampleOf(page, 'TypeScript')).toBe(`import { contractApi, httpApi } from '@switchyard/client/http-api';
import { things } from '@things/contract';

const call = contractApi(httpApi('node', { url: 'http://NODE' }));
const answer = await call(things.getThing, { thing: 'it\\'s' });`);
  expect(sampleOf(await pageOf([things]), 'TypeScript')).toContain("await fetch('http://NODE/v1/things/it%27s');");
});

test('code in descriptions, types and constraints are shown', async () => {
  const page = await pageOf([things]);
  expect(page).toContain('One <code>thing</code>');
  expect(page).toContain('between <code>0 and 3</code>');
  expect(page).toContain('default <code>1</code>');
  expect(page).toContain('<a href="#schema-Thing">Thing</a>');
  expect(page).toContain('<span class="type">text</span> or <span class="type">null</span>');
});

test('everything that the page loads is its own', async () => {
  const page = await pageOf([things]);
  const loaded = [...page.matchAll(/<(?:script|link)\b[^>]*?(?:src|href)="([^"]*)"/g)].map(([, url]) => url);
  expect(loaded).toEqual(['/docs/style.css', '/docs/icon.svg', '/docs/script.js']);
  expect(page).not.toMatch(/ style="| on\w+="|<script[^>]*>[^<]/);
});
