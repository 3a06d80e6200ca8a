import { inspect } from 'node:util';
import { createMemoryStore, type Store } from '@switchyard/machine';
import { formatAddress, ibcForm, parseDenom, Rejected, signEnvelope, toHex } from '@switchyard/protocol';
import { InvalidConfig, type Logger, silentLogger } from '@switchyard/service';
import { Input } from '@switchyard/service/input';
import { memoryLogger } from '@switchyard/service/testing';
import fc from 'fast-check';
import { afterEach, expect, expectTypeOf, test } from 'vitest';
import { RollupChain } from '../app/chain.ts';
import { encode } from '../schema/codec.ts';
import { address, bool, bytes, text, u32, u64, u128 } from '../schema/scalars.ts';
import { list, option, record } from '../schema/shapes.ts';
import type { Type } from '../schema/type.ts';
import { notes, notesRollup } from '../testing/notes.ts';
import { signers } from '../testing/tally.ts';
import { getFetch, testRollup } from '../testing/test-rollup.ts';
import { clientAt, clientOf } from './client.ts';
import { contractFrom, contractOfDocument } from './contract-from.ts';
import { action, defineRollup, fallback, query } from './definition.ts';
import { toRollup } from './rollup-of.ts';
import { TransactionRefused } from './submission.ts';
import { single, table } from './table.ts';
import { signTransaction } from './transaction.ts';

const [alice, bob] = signers;
const GENESIS = {
  rollup_name: 'notes',
  chain_id: 'notes',
  sequencer_chain_id: 'sequencer-0',
  canonical_transactions: true,
};
const genesisText = (own: object = {}) => JSON.stringify({ ...GENESIS, ...own });
const accepted = { until: 'accepted' } as const;
const add = action({ fields: { amount: u64 }, execute: () => undefined });

const stopping: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
});

async function start(own: object = {}, store?: Store) {
  const node = await testRollup(notesRollup, genesisText(own), store === undefined ? {} : { store });
  stopping.push(() => node.stop());
  return node;
}

test('actions, queries and tables of a definition work from its client', async () => {
  const { client, ...node } = await start({ first_note: 'hello', first_owner: formatAddress(bob.account) });
  await client.submit.post({ text: 'one', tags: ['a', ''] }, alice, accepted);
  await client.submit.post({ text: 'two', tags: [] }, alice, accepted);
  await node.block();
  expect(await client.query.note({ id: 1n })).toEqual({
    id: 1n,
    note: { owner: alice.account, text: 'one', tags: ['a', ''] },
  });
  expect(await client.query.notesOf({ owner: alice.account })).toEqual({ block: 1n, ids: [1n, 2n] });
  expect(await client.query.notesOf({ owner: alice.account, limit: 1, newest: true })).toEqual({
    block: 1n,
    ids: [2n],
  });

  const how = { kind: 'loudly', times: 3, again: false } as const;
  await client.send(
    [
      { kind: 'remove', id: 1n },
      { kind: 'give', id: 2n, to: bob.account, how },
    ],
    alice,
    accepted,
  );
  await node.block();
  expect(await client.query.notesOf({ owner: alice.account })).toEqual({ block: 2n, ids: [] });
  expect(await client.query.notesOf({ owner: bob.account })).toEqual({ block: 2n, ids: [0n, 2n] });
  await expect(client.query.note({ id: 1n })).rejects.toThrow('the query note has no answer for these parameters');
});

test('a decoded transaction has its actions by the types of their fields', async () => {
  const node = await start();
  const how = { kind: 'quietly' } as const;
  const price = { asset: parseDenom('nria').id, amount: 7n };
  const give = { kind: 'give', id: 2n, to: bob.account, price, how };
  const bytes = await signTransaction(notesRollup, { nonce: 0, chainId: 'notes', actions: [give] }, alice);
  expect(await node.post('/v1/transactions:decode', bytes)).toMatchObject({
    status: 200,
    body: {
      nonce: 0,
      actions: [
        { ...give, id: '2', to: formatAddress(bob.account), price: { asset: ibcForm(price.asset), amount: '7' } },
      ],
    },
  });
});

test('where another program has taken the nonce, the client signs with the next one', async () => {
  const node = await start();
  const fetch = getFetch(node);
  let isTaken = false;
  const client = clientOf(notesRollup, {
    url: 'http://node',
    async fetch(url, init) {
      const answer = await fetch(url, init);
      if (url.includes('/v1/nonces/') && !isTaken) {
        isTaken = true;
        await node.client.submit.post({ text: 'first', tags: [] }, alice, accepted);
      }
      return answer;
    },
  });
  await client.submit.post({ text: 'second', tags: [] }, alice, accepted);
  await node.block();
  expect(await client.query.note({ id: 1n })).toMatchObject({ note: { text: 'second' } });
});

test('calls of one signer at a time get one nonce after the other', async () => {
  const { client, ...node } = await start();
  const texts = ['a', 'b', 'c', 'd'];
  await Promise.all(texts.map((each) => client.submit.post({ text: each, tags: [] }, alice, accepted)));
  await node.block();
  expect(await client.query.notesOf({ owner: alice.account })).toEqual({ block: 1n, ids: [0n, 1n, 2n, 3n] });
});

test('a transaction that its block refuses rejects the call that waits for it', async () => {
  const { client, ...node } = await start();
  const { hash } = await client.submit.remove({ id: 7n }, alice, accepted);
  await node.block();
  const refused = await client.wait(hash).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(TransactionRefused);
  expect(String(refused)).toContain('was refused: not found: note 7');
});

test('what a call gives is refused with its path, by the client and by the node', async () => {
  const { client, ...node } = await start();
  const long = 'x'.repeat(40);
  await expect(client.submit.post({ text: long, tags: [] }, alice)).rejects.toThrow(
    'actions[0].post.text: expected text of at most 32 bytes, got 40 bytes',
  );
  await expect(client.submit.post({ text: '', tags: [] }, alice)).rejects.toThrow('empty: field text');

  // A definition with a longer text makes these bytes, which only the node can refuse.
  const other = record({
    nonce: u32,
    chainId: text({ maxBytes: 64 }),
    actions: list(record({ post: record({ text: text({ maxBytes: 64 }) }) }), { maxItems: 9 }),
  });
  const body = encode(other, { nonce: 0, chainId: 'notes', actions: [{ post: { text: long } }] });
  const { status, body: answer } = await node.post('/v1/transactions', signEnvelope(notesRollup.typeUrl, body, alice));
  expect(status).toBe(400);
  expect(JSON.stringify(answer)).toContain(
    'field actions[0].post.text, expected text of at most 32 bytes, got 40 bytes',
  );
});

test('the calls have the types of the definition', () => {
  const client = clientOf(notesRollup, { url: 'http://node' });
  expectTypeOf(client.submit.remove).parameter(0).toEqualTypeOf<{ readonly id: bigint }>();
  expectTypeOf(client.query.note).parameter(0).toEqualTypeOf<{ readonly id: bigint }>();
  expectTypeOf(client.query.notesOf).returns.resolves.toMatchTypeOf<{ block: bigint; ids: readonly bigint[] }>();
  expectTypeOf<keyof typeof client.submit>().toEqualTypeOf<'post' | 'remove' | 'give'>();
  // @ts-expect-error: a field of another type
  void (() => client.submit.remove({ id: 1 }, alice));
  // @ts-expect-error: a field that is missing
  void (() => client.submit.give({ id: 1n, to: bob.account }, alice));
  // @ts-expect-error: a parameter that is required
  void (() => client.query.note());
  const plain = defineRollup({
    ...{ name: 'x', actions: { add } },
    queries: { total: query({ answer: { total: u64 }, handle: () => ({ total: 1n }) }) },
  });
  const other = clientOf(plain, { url: 'http://node' });
  expectTypeOf(other.query.total).returns.resolves.toEqualTypeOf<{ readonly total: bigint }>();
  // @ts-expect-error: a query that has no parameters
  void (() => other.query.total({ id: 1n }));
  // @ts-expect-error: an action that is not defined
  void (() => client.submit.other);
  // @ts-expect-error: a kind without its fields
  void (() => client.send([{ kind: 'remove' }], alice));
});

test('a client without the definition reads it from the node', async () => {
  const node = await start();
  const client = await clientAt({ url: 'http://node', fetch: getFetch(node) });
  expect(client.contract.fingerprint).toBe(notesRollup.fingerprint);
  expect(client.contract.document).toEqual(notesRollup.document);
  await client.submit.post?.({ text: 'plain', tags: ['x'] }, alice, accepted);
  await node.block();
  await expect(client.submit.post?.({ text: 'x', tags: [], taggs: [] }, alice)).rejects.toThrow(
    'post.taggs: expected a field of this action',
  );
  expect(await client.query.note?.({ id: 0n })).toEqual(await node.client.query.note({ id: 0n }));
});

test('a client of another definition sends nothing', async () => {
  const node = await start();
  const other = defineRollup({ ...notesRollup, version: 2 });
  const client = clientOf(other, { url: 'http://node', fetch: getFetch(node) });
  await expect(client.submit.remove({ id: 1n }, alice)).rejects.toThrow(
    `fingerprint: expected ${other.fingerprint}, the definition of this client, got ${notesRollup.fingerprint} of the node at http://node`,
  );
  await node.block();
  expect((await node.get('/v1/blocks/1')).body).toMatchObject({ executed: 0, refused: 0 });
});

test('the document of a stranger is refused where it is no definition, or another than it states', () => {
  const document = () => JSON.parse(JSON.stringify({ ...notesRollup.document, fingerprint: notesRollup.fingerprint }));
  const read = (changed: unknown) => contractFrom(new Input(changed, ''));
  expect(read(document()).typeUrl).toBe(notesRollup.typeUrl);
  const another = document();
  another.actions[0].fields[0].maxBytes = 33;
  expect(() => read(another)).toThrow(`fingerprint: expected the digest of this definition`);
  const wrong = document();
  wrong.actions[0].fields[0].type = 'float';
  expect(() => read(wrong)).toThrow('actions[0].fields[0].type: expected one of u32, u64');
  const twice = document();
  twice.queries.push(twice.queries[0]);
  expect(() => read(twice)).toThrow('queries: expected each name once, got "note" twice');
});

test('rows of every table are listed in pages, and queries are in the document of the API', async () => {
  const { client, ...node } = await start();
  for (const each of ['a', 'b', 'c']) await client.submit.post({ text: each, tags: [] }, alice, accepted);
  await client.submit.remove({ id: 1n }, alice, accepted);
  await node.block();
  const first = await node.get('/v1/tables/notes?limit=1');
  const owner = formatAddress(alice.account);
  expect(first.body).toEqual({
    block: 1,
    rows: [{ key: ['0'], value: { owner, text: 'a', tags: [] } }],
    next: '0000000000000000',
  });
  expect((await node.get('/v1/tables/notes?after=0000000000000000')).body).toMatchObject({
    rows: [{ key: ['2'] }],
    next: null,
  });
  expect((await node.get('/v1/tables/count')).body).toMatchObject({ rows: [{ key: [], value: '3' }] });
  expect((await node.get('/v1/tables/times')).body).toMatchObject({ rows: [{ key: ['1'], value: '1700000001' }] });
  expect(await node.get('/v1/tables/other')).toMatchObject({ status: 404 });
  expect((await node.get('/v1/tables/notes?after=%00')).status).toBe(400);
  const { rows } = first.body as { rows: [] };
  expect((await node.get(`/v1/tables/notes?index=owner&prefix=["${owner}"]&limit=1`)).body).toEqual({
    ...{ block: 1, rows, next: `${alice.account}/0000000000000000` },
  });
  const rest = await node.get(`/v1/tables/notes?index=owner&after=${alice.account}/0000000000000000`);
  expect(rest.body).toMatchObject({ rows: [{ key: ['2'] }], next: null });
  const others = await node.get(`/v1/tables/notes?index=owner&prefix=["${formatAddress(bob.account)}"]`);
  expect(others.body).toMatchObject({ rows: [], next: null });
  expect((await node.get('/v1/tables/notes?prefix=["0"]')).body).toMatchObject({ rows, next: null });
  for (const [wrong, detail] of [
    ['index=tags', 'index: expected an index; table notes has owner, got "tags"'],
    ['index=constructor', 'index: expected an index; table notes has owner, got "constructor"'],
    ['prefix=[0,1]', 'prefix: expected a list of at most 1, got a list of 2'],
    ['prefix=0', 'prefix: expected a list of at most 1, got 0'],
    ['prefix=[', 'prefix: expected JSON, got "["'],
    ['index=owner&prefix=["x"]', 'prefix[0]: expected a bech32m address of 20 bytes, got "x"'],
  ])
    expect(await node.get(`/v1/tables/notes?${wrong}`)).toMatchObject({ status: 400, body: { detail } });
  const { body } = await node.get('/v1/openapi.json');
  expect(body).toMatchObject({
    paths: { '/v1/note': { get: { operationId: 'getNote', summary: 'One note' } }, '/v1/notes-of': {} },
  });
  expect((await node.get('/v1/note?id=x')).body).toMatchObject({ status: 400 });
});

test('rows are found by the words of their texts, in pages, by routes and clients', async () => {
  const { client, ...node } = await start();
  const written = ['Red apple', 'green APPLE', 'red', 'a red, red apple tree', 'äpfel 苹果'];
  for (const each of written) await client.submit.post({ text: each, tags: [] }, alice, accepted);
  await client.submit.remove({ id: 0n }, alice, accepted);
  await node.block();
  const found = async (search: string) => (await client.rows(notes, { search })).rows.map(([id]) => id);
  expect(await Promise.all(['apple', 'Apple red', 'red', '果', 'ÄPFEL', 'app', 'tree green'].map(found))).toEqual([
    ...[[1n, 3n], [3n], [2n, 3n], [4n], [4n], [], []],
  ]);
  const first = await client.rows(notes, { search: 'apple', limit: 1 });
  expect(first).toMatchObject({ block: 1n, rows: [[1n, { owner: alice.account, text: 'green APPLE' }]] });
  const second = await client.rows(notes, { search: 'apple', after: first.next });
  expect([second.rows.map(([id]) => id), second.next]).toEqual([[3n], undefined]);
  expect((await client.rows(notes, { limit: 1 })).rows).toMatchObject([[1n, { text: 'green APPLE' }]]);
  for (const [wrong, detail] of [
    ['count?q=a', 'q: table count has no search'],
    ['notes?q=a&index=owner', 'q: expected neither index nor prefix with it'],
    ['notes?q=!', 'q: expected at least one letter or digit'],
    [`notes?q=${'a+'.repeat(200)}`, 'q: expected at most 16 words and 256 bytes'],
  ])
    expect(await node.get(`/v1/tables/${wrong}`)).toMatchObject({ status: 400, body: { detail } });
});

test('a search is no part of the rules of a chain, and clients of its document know it', () => {
  const plain = defineRollup({
    ...notesRollup,
    tables: [{ ...notes, search: [] }, ...(notesRollup.tables ?? []).slice(1)],
  });
  expect(plain.fingerprint).toBe(notesRollup.fingerprint);
  expect(contractOfDocument(JSON.parse(JSON.stringify(notesRollup.document))).document).toEqual(notesRollup.document);
  const row = record({ title: text({ maxBytes: 8 }), owner: address });
  const search =
    (...fields: string[]) =>
    () =>
      table({ name: 't', key: u64, value: row, search: fields as never });
  expect(search('owner')).toThrow('table "t": search: expected fields of type text, got "owner"');
  expect(search('title', 'other')).toThrow('search: expected fields of type text, got "other"');
  const indexes = { search: { key: [u64], of: () => [1n] as const } } as never;
  expect(() => table({ name: 't', key: u64, value: row, indexes })).toThrow('search: an index has this name');
});

// Defect: A bigint fallback made `/docs` answer 500
test('fallbacks of any type are described as JSON', async () => {
  const account = alice.account;
  const defined = defineRollup({
    ...{ name: 'x', actions: { add: action({ fields: { amount: u64 }, execute: () => undefined }) } },
    queries: {
      page: query({
        parameters: { after: fallback(u64, 1n << 63n), most: fallback(u128, 7n), of: fallback(address, account) },
        answer: { after: u64, most: u128, of: address },
        handle: (given) => given,
      }),
    },
  });
  const node = await testRollup(defined, genesisText({ rollup_name: 'x' }));
  const { body } = await node.get('/v1/openapi.json');
  const defaults = { after: '9223372036854775808', most: '7', of: formatAddress(account) };
  const parameters = Object.entries(defaults).map(([name, value]) => ({ name, schema: { default: value } }));
  expect(body).toMatchObject({ paths: { '/v1/page': { get: { parameters } } } });
  expect((await node.get('/docs')).status).toBe(200);
  expect((await node.get('/v1/page')).body).toEqual(defaults);
  await node.stop();
});

test('data that another definition has written is refused, with what to do', async () => {
  const store = createMemoryStore();
  await (await testRollup(notesRollup, genesisText(), { store })).stop();
  const other = defineRollup({ ...notesRollup, version: 2 });
  const again = () => testRollup(other, genesisText(), { store });
  await expect(again()).rejects.toThrow(InvalidConfig);
  await expect(again()).rejects.toThrow(
    'the definition: expected that of the stored blocks, the last of which is 0, got version is 2, was 1; put it back',
  );
  const { schemas: _, ...byHand } = toRollup(notesRollup, genesisText());
  await expect(RollupChain.open(byHand, store)).rejects.toThrow(
    'DB_FILEPATH: expected data of this definition of notes, one without schemas, got data of another definition, one with schemas',
  );
  await (await testRollup(notesRollup, genesisText(), { store })).stop();
});

test('a genesis may name the definition, and its members are read by their types', () => {
  const pinned = toRollup(notesRollup, genesisText({ definition: notesRollup.fingerprint }));
  expect(pinned.genesis).not.toHaveProperty('definition');
  expect(() => toRollup(notesRollup, genesisText({ definition: 'ab' }), 'g.json')).toThrow(
    `g.json: definition: expected the fingerprint of this program's definition of notes, ${notesRollup.fingerprint}, got ab`,
  );
  expect(() => toRollup(notesRollup, genesisText({ first_owner: 'me', max_notes: -1, other: 1 }), 'g.json')).toThrow(
    /g\.json: first_owner: expected a bech32m address of 20 bytes, got "me"[\s\S]*g\.json: max_notes: expected a whole number from 0 to 4294967295, got -1[\s\S]*other/,
  );
});

test('bodies and their kind are pinned', () => {
  const counter = defineRollup({
    name: 'counter',
    actions: { add: action({ fields: { amount: u64 }, execute: () => undefined }) },
  });
  const transaction = { nonce: 3, chainId: 'c', actions: [{ kind: 'add', amount: 5n }] };
  // nonce 3, chain id "c", one action: case 1 with field 1.
  expect(toHex(counter.body.encode(transaction))).toBe('08031201631a040a020805');
  expect(counter.typeUrl).toMatch(/^\/counter\.[0-9a-f]{16}\.TransactionBody$/);
});

test('any bytes of a body are refused by Rejected, or are the encoding of what was read', () => {
  const kinds = fc.oneof(
    fc.record({
      kind: fc.constant('post'),
      text: fc.string({ maxLength: 8 }),
      tags: fc.array(fc.string({ maxLength: 2 }), { maxLength: 4 }),
    }),
    fc.record({ kind: fc.constant('remove'), id: fc.bigInt({ min: 0n, max: 1000n }) }),
  );
  const damage = fc.record({ at: fc.nat(), to: fc.nat(255) });
  fc.assert(
    fc.property(
      fc.nat(1000),
      fc.array(kinds, { minLength: 1, maxLength: 3 }),
      fc.array(damage, { maxLength: 2 }),
      (nonce, actions, damages) => {
        const transaction = { nonce, chainId: 'notes', actions };
        const given = notesRollup.body.encode(transaction);
        expect(notesRollup.body.decode(given)).toEqual(transaction);
        for (const { at, to } of damages) given[at % given.length] = to;
        try {
          expect(notesRollup.body.encode(notesRollup.body.decode(given))).toEqual(given);
        } catch (error) {
          expect(error).toBeInstanceOf(Rejected);
        }
      },
    ),
    { numRuns: 1_000 },
  );
  expect(() => notesRollup.body.decode(notesRollup.body.encode({ nonce: 1, chainId: 'a', actions: [] }))).toThrow(
    'empty: field actions',
  );
});

test.each([
  [
    'two tables of a name',
    () => defineRollup({ name: 'x', actions: { add }, tables: [notes, single({ name: 'notes', value: u64 })] }),
    'tables[1] and tables[0] both have the name "notes", and so the same rows',
  ],
  [
    'no name',
    () => defineRollup({ name: 'A b', actions: { add } }),
    'rollup "A b": expected a name of at most 64 lower-case',
  ],
  ['no action', () => defineRollup({ name: 'x', actions: {} }), 'rollup "x": actions: expected at least one case'],
  [
    'an action that is none',
    () => defineRollup({ name: 'x', actions: { 'a-b': add } }),
    'rollup "x": actions: case "a-b": expected a name',
  ],
  [
    'a field that is none',
    () =>
      defineRollup({
        name: 'x',
        actions: { a: action({ fields: { t: text({ maxBytes: 0 }) }, execute: () => undefined }) },
      }),
    'rollup "x": actions: case "a": field "t": expected maxBytes',
  ],
  [
    'a parameter of several values',
    () =>
      defineRollup({
        name: 'x',
        actions: { add },
        queries: { q: query({ parameters: { l: list(u32, { maxItems: 2 }) }, answer: {}, handle: () => ({}) }) },
      }),
    'query "q": parameter "l": expected a type of one value, got list',
  ],
  [
    'a genesis that is none',
    () =>
      defineRollup({ name: 'x', actions: { add }, genesis: { b: fallback(bytes({ maxBytes: 0 }), new Uint8Array()) } }),
    'rollup "x": genesis: field "b": expected maxBytes',
  ],
  [
    'a version',
    () => defineRollup({ name: 'x', actions: { add }, version: 0 }),
    'version: expected a whole number from 1',
  ],
  [
    'a key of a type without order',
    () => table({ name: 't', key: record({ a: bool }), value: u64 }),
    'table "t": expected a key of numbers, bool, oneOf, address, asset, text or bytes of one length, got record',
  ],
  [
    'a key that is too long',
    () => table({ name: 't', key: [text({ maxBytes: 200 })], value: u64 }),
    'table "t": its keys take up to 610 characters',
  ],
  [
    'a row that may be absent',
    () => table({ name: 't', key: u64, value: option(u64) }),
    'table "t": expected rows that are always there, got an option',
  ],
  ['a table name', () => table({ name: 'T', key: u64, value: u64 }), 'table "T": expected a name in lowerCamelCase'],
])('%s is refused when it is defined', (_, define, message) => {
  expect(define).toThrow(message);
});

test('a chain id with the longest name fits into a transaction', async () => {
  const file = JSON.stringify({ rollup_name: 'n'.repeat(64), sequencer_chain_id: 'sequencer-0' });
  const node = await testRollup(defineRollup({ name: 'x', actions: { add } }), file);
  expect(node.node.genesis.chainId).toMatch(/^n{64}-[0-9a-f]{16}$/);
  await node.client.submit.add({ amount: 1n }, alice, accepted);
  await node.block();
  expect(node.chain.view.block).toMatchObject({ executed: 1 });
  await node.stop();
});

// Defect: A table that is used and not listed was in no digest
test('a table that is used and not listed refuses what uses it, with its name', async () => {
  const [listed, unlisted] = ['rows', 'rows'].map((name) => single({ name, value: u64, absent: 0n }));
  const lines: unknown[] = [];
  const log = { ...silentLogger, error: (...line: unknown[]) => void lines.push(line) };
  const touch = action({ fields: {}, execute: (_, { state }) => unlisted?.put(state, 1n) });
  const defined = defineRollup({ name: 'x', tables: [listed as never], actions: { touch } });
  const node = await testRollup(defined, genesisText({ rollup_name: 'x' }), {
    log: { ...log, child: () => log } as Logger,
  });
  await node.client.submit.touch({}, alice, accepted);
  await node.block();
  expect(node.chain.view.block).toMatchObject({ executed: 0, refused: 1 });
  expect(inspect(lines)).toContain('table rows is not listed in the tables of the definition, which uses it');
  await node.stop();
  const initialState = (state: never) => unlisted?.get(state);
  const started = testRollup(defineRollup({ ...defined, initialState: initialState as never }), genesisText());
  await expect(started).rejects.toThrow('table rows is not listed in the tables of the definition, which uses it');
});

// Defect: Async handlers, cyclic types, failing indexes were found late
test.each<[string, () => unknown, string]>([
  [
    'an async action',
    // @ts-expect-error: its result is a promise
    () => defineRollup({ name: 'x', actions: { add: action({ fields: {}, execute: async () => undefined }) } }),
    'rollup "x": action "add": execute: expected a function that is over when it returns, got AsyncFunction',
  ],
  [
    'an async first state',
    // @ts-expect-error: its result is a promise
    () => defineRollup({ name: 'x', actions: { add }, initialState: async () => undefined }),
    'rollup "x": initialState: expected a function that is over when it returns, got AsyncFunction',
  ],
  [
    'an async migration',
    // @ts-expect-error: its result is a promise
    () => defineRollup({ name: 'x', actions: { add }, migrations: [{ at: 1n, run: async () => undefined }] }),
    'rollup "x": migrations[0]: run: expected a function that is over when it returns, got AsyncFunction',
  ],
  [
    'a generator as an action',
    // @ts-expect-error: its result is a generator
    () => defineRollup({ name: 'x', actions: { add: action({ fields: {}, *execute() {} }) } }),
    'rollup "x": action "add": execute: expected a function that is over when it returns, got GeneratorFunction',
  ],
  [
    'a record that contains itself',
    () => {
      const fields: Record<string, Type<unknown>> = { value: u64 };
      Object.defineProperty(fields, 'next', { get: () => option(record(fields)), enumerable: true });
      return record(fields);
    },
    'it contains itself, and so has no bound: expected a reference, such as a key',
  ],
  [
    'an index that fails for an empty list',
    () =>
      table({
        ...{ name: 'rows', key: u64, value: record({ owner: address, tags: list(u64, { maxItems: 2 }) }) },
        indexes: { first: { key: [u64], of: ({ tags }) => [tags[0] as bigint] } },
      }),
    'index first leaves out row of defaults: ',
  ],
])('%s is refused where it is defined', (_, define, message) => {
  expect(define).toThrow(message);
});

test('a signer whose key is elsewhere signs the same bytes', async () => {
  const transaction = { nonce: 0, chainId: 'notes', actions: [{ kind: 'remove', id: 1n }] };
  const remote = { ...alice, sign: async (message: Uint8Array) => alice.sign(message) };
  expect(await signTransaction(notesRollup, transaction, remote)).toEqual(
    await signTransaction(notesRollup, transaction, alice),
  );
});

test('keys of tables sort by their values', () => {
  const ordered = table({ name: 't', key: [u64, address], value: u64 });
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
      fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
      (left, right) => {
        const [a, b] = [left, right].map((each) => ordered.storeKey([each, alice.account]));
        expect(Math.sign(Number((a ?? '') > (b ?? '')) - Number((a ?? '') < (b ?? '')))).toBe(
          left > right ? 1 : left < right ? -1 : 0,
        );
      },
    ),
  );
  expect(ordered.storeKey([5n, alice.account])).toBe(`tables/t/0000000000000005/${alice.account}`);
});

// Defect: 200 items of 100 were sent with status 200
test.each([
  ['more items than its type has', 101, 'ids: expected at most 100 items, got 101'],
  ['a number that is out of range', -1, 'ids[0]: expected a whole number from 0 to 2^32 - 1, got -1'],
])('an answer of %s is an error of the node with its place, which is logged', async (_, count, message) => {
  const { log, lines } = memoryLogger();
  const many = query({
    answer: { ids: list(u32, { maxItems: 100 }) },
    handle: () => ({ ids: count < 0 ? [count] : Array.from({ length: count }, (_each, id) => id) }),
  });
  const node = await testRollup(defineRollup({ name: 'notes', actions: { add }, queries: { many } }), genesisText(), {
    log,
  });
  stopping.push(() => node.stop());
  const text = `query many: its answer is not of its type: ${message}`;
  expect(await node.get('/v1/many')).toMatchObject({ status: 500, body: { detail: text } });
  await expect(node.client.query.many()).rejects.toThrow(text);
  expect(JSON.stringify(lines)).toContain(text);
});
