import { createMemoryStore, type Store } from '@switchyard/machine';
import { formatAddress, ibcForm, parseDenom, Rejected, signEnvelope, toHex } from '@switchyard/protocol';
import { InvalidConfig } from '@switchyard/service';
import { Input } from '@switchyard/service/input';
import fc from 'fast-check';
import { afterEach, expect, expectTypeOf, test } from 'vitest';
import { RollupChain } from '../app/chain.ts';
import { encode } from '../schema/codec.ts';
import { address, bool, bytes, text, u32, u64 } from '../schema/scalars.ts';
import { list, option, record } from '../schema/shapes.ts';
import { notes, notesRollup } from '../testing/notes.ts';
import { signers } from '../testing/tally.ts';
import { fetchOf, testRollup } from '../testing/test-rollup.ts';
import { clientAt, clientOf, TransactionRefused } from './client.ts';
import { contractFrom } from './contract.ts';
import { action, defineRollup, fallback, query } from './definition.ts';
import { rollupOf } from './rollup-of.ts';
import { single, table } from './table.ts';
import { decodeBody, encodeBody, signTransaction } from './transaction.ts';

const [alice, bob] = signers;
const GENESIS = { rollup_name: 'notes', sequencer_chain_id: 'sequencer-0', canonical_transactions: true };
const genesisText = (own: object = {}) => JSON.stringify({ ...GENESIS, ...own });
const accepted = { until: 'accepted' } as const;

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
        { ...give, id: 2, to: formatAddress(bob.account), price: { asset: ibcForm(price.asset), amount: '7' } },
      ],
    },
  });
});

test('where another program has taken the nonce, the client signs with the next one', async () => {
  const node = await start();
  const fetch = fetchOf(node);
  let isTaken = false;
  const client = clientOf(notesRollup, {
    url: 'http://node',
    async fetch(url, init) {
      const answer = await fetch(url, init);
      if (url.includes('get_account_nonce') && !isTaken) {
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
  // @ts-expect-error: an action that is not defined
  void (() => client.submit.other);
  // @ts-expect-error: a kind without its fields
  void (() => client.send([{ kind: 'remove' }], alice));
});

test('a client without the definition reads it from the node', async () => {
  const node = await start();
  const client = await clientAt({ url: 'http://node', fetch: fetchOf(node) });
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
  const client = clientOf(other, { url: 'http://node', fetch: fetchOf(node) });
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
    rows: [{ key: [0], value: { owner, text: 'a', tags: [] } }],
    next: '0000000000000000',
  });
  expect((await node.get('/v1/tables/notes?after=0000000000000000')).body).toMatchObject({
    rows: [{ key: [2] }],
    next: null,
  });
  expect((await node.get('/v1/tables/count')).body).toMatchObject({ rows: [{ key: [], value: 3 }] });
  expect((await node.get('/v1/tables/removed')).body).toMatchObject({ rows: [{ key: [owner, 1], value: 1 }] });
  expect(await node.get('/v1/tables/other')).toMatchObject({ status: 404 });
  expect((await node.get('/v1/tables/notes?after=%00')).status).toBe(400);
  const { body } = await node.get('/v1/openapi.json');
  expect(body).toMatchObject({
    paths: { '/v1/note': { get: { operationId: 'getNote', summary: 'One note' } }, '/v1/notes-of': {} },
  });
  expect((await node.get('/v1/note?id=x')).body).toMatchObject({ status: 400 });
});

test('data that another definition has written is refused, with what to do', async () => {
  const store = createMemoryStore();
  await (await testRollup(notesRollup, genesisText(), { store })).stop();
  const other = defineRollup({ ...notesRollup, version: 2 });
  const again = () => testRollup(other, genesisText(), { store });
  await expect(again()).rejects.toThrow(InvalidConfig);
  await expect(again()).rejects.toThrow(
    `DB_FILEPATH: expected data of this definition of notes, with the fingerprint ${other.fingerprint}, got data of another definition, ${notesRollup.fingerprint}`,
  );
  const { fingerprint: _, ...byHand } = rollupOf(notesRollup, genesisText());
  await expect(RollupChain.open(byHand, store)).rejects.toThrow('with the fingerprint one without schemas');
  await (await testRollup(notesRollup, genesisText(), { store })).stop();
});

test('a genesis may name the definition, and its members are read by their types', () => {
  const pinned = rollupOf(notesRollup, genesisText({ definition: notesRollup.fingerprint }));
  expect(pinned.genesis).not.toHaveProperty('definition');
  expect(() => rollupOf(notesRollup, genesisText({ definition: 'ab' }), 'g.json')).toThrow(
    `g.json: definition: expected the fingerprint of this program's definition of notes, ${notesRollup.fingerprint}, got ab`,
  );
  expect(() => rollupOf(notesRollup, genesisText({ first_owner: 'me', max_notes: -1, other: 1 }), 'g.json')).toThrow(
    /g\.json: first_owner: expected a bech32m address of 20 bytes, got "me"[\s\S]*g\.json: max_notes: expected an integer from 0 to 4294967295, got -1[\s\S]*other/,
  );
});

test('the fingerprint is over what blocks and state depend on', () => {
  const base = { name: 'x', actions: { add: action({ fields: { amount: u64 }, execute: () => undefined }) } };
  const print = (changes: object) => defineRollup({ ...base, ...changes }).fingerprint;
  const rows = single({ name: 'rows', value: u64 });
  const original = print({});
  expect(original).toBe('33592f0892503a210970c38dd76719ada12d77beceb4f482da4f393ac329cc21');
  for (const changes of [
    { version: 2 },
    { maxActions: 2 },
    { tables: [rows] },
    { genesis: { start: u64 } },
    { actions: { add: action({ fields: { amount: u32 }, execute: () => undefined }) } },
    { actions: { sum: base.actions.add } },
  ])
    expect(print(changes)).not.toBe(original);
  for (const changes of [
    { help: 'other words' },
    { tables: [single({ name: 'rows', value: u64, derived: true })] },
    { queries: { all: query({ answer: { a: u32 }, handle: () => ({ a: 1 }) }) } },
  ])
    expect(print(changes)).toBe(original);
});

test('bodies and their kind are pinned', () => {
  const counter = defineRollup({
    name: 'counter',
    actions: { add: action({ fields: { amount: u64 }, execute: () => undefined }) },
  });
  const transaction = { nonce: 3, chainId: 'c', actions: [{ kind: 'add', amount: 5n }] };
  // nonce 3, chain id "c", one action: case 1 with field 1.
  expect(toHex(encodeBody(counter, transaction))).toBe('08031201631a040a020805');
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
        const given = encodeBody(notesRollup, transaction);
        expect(decodeBody(notesRollup, given)).toEqual(transaction);
        for (const { at, to } of damages) given[at % given.length] = to;
        try {
          expect(encodeBody(notesRollup, decodeBody(notesRollup, given))).toEqual(given);
        } catch (error) {
          expect(error).toBeInstanceOf(Rejected);
        }
      },
    ),
    { numRuns: 1_000 },
  );
  expect(() => decodeBody(notesRollup, encodeBody(notesRollup, { nonce: 1, chainId: 'a', actions: [] }))).toThrow(
    'empty: field actions',
  );
});

const add = action({ fields: { amount: u64 }, execute: () => undefined });
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
    () => table({ name: 't', key: bool, value: u64 }),
    'table "t": expected a key of u32, u64, u128, address, asset, text or bytes of one length, got bool',
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

test('a query whose address every rollup has is refused at start, with both names', async () => {
  const status = query({ answer: { a: u32 }, handle: () => ({ a: 1 }) });
  const rollup = defineRollup({ name: 'x', actions: { add }, queries: { status } });
  await expect(testRollup(rollup, genesisText())).rejects.toThrow(
    'the routes getStatus and getStatus both answer GET /v1/status',
  );
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
