import { stateValue } from '@switchyard/client/rollup-contract';
import { verifyState } from '@switchyard/client/verify-state';
import { balances } from '@switchyard/machine';
import { accountIdFromBytes, formatAddress, fromHex } from '@switchyard/protocol';
import { parseInput } from '@switchyard/service/input';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { table } from '../../define/table.ts';
import { text, u32, u64 } from '../../schema/scalars.ts';
import { record } from '../../schema/shapes.ts';
import { signers, signSpend, TOKEN, tallyRollup } from '../../testing/tally.ts';
import { type TestNode, testNode } from '../../testing/test-node.ts';
import { stateTable } from '../state-tables.ts';

const nodes: Pick<TestNode, 'stop'>[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});

const ALICE = formatAddress(signers[0].account);
const NEVER = formatAddress(accountIdFromBytes(new Uint8Array(20)));

const marks = table({ name: 'marks', key: [text({ maxBytes: 64 }), u32], value: record({ size: u64 }) });

async function started(isAtGenesis = false) {
  const rollup = tallyRollup();
  const node = await testNode({
    ...rollup,
    initialState(state) {
      rollup.initialState(state);
      marks.put(state, ['a/b', 3], { size: 7n });
    },
    tables: [stateTable(marks)],
  });
  nodes.push(node);
  if (!isAtGenesis) await node.block({ data: [signSpend({ nonce: 0, amount: 3n })] });
  return node;
}

test.each([
  [`/v1/state/balances/${ALICE}/token`, 'balances', `${ALICE}/token`, '997'],
  [`/v1/state/accounts%2Fbalance%2F/${ALICE}/token`, 'balances', `${ALICE}/token`, '997'],
  [`/v1/state/balances/${ALICE}%2Ftransfer%2Fchannel-0%2Futia`, 'balances', `${ALICE}/transfer/channel-0/utia`, '0'],
  [`/v1/state/nonces/${ALICE}`, 'nonces', ALICE, 1],
  [`/v1/state/nonces/${NEVER}`, 'nonces', NEVER, 0],
  ['/v1/state/marks/a%252Fb/3', 'marks', 'a%2Fb/3', { size: '7' }],
  ['/v1/state/marks/b/3', 'marks', 'b/3', null],
])('%s is answered, decoded and in bytes, and with its proof', async (path, name, key, decoded) => {
  const node = await started();
  const plain = (await node.get(path)).body as Record<string, unknown>;
  expect(plain).toMatchObject({ table: name, key, decoded, block: 1 });
  expect('proof' in plain).toBe(false);
  const { text: answer } = await node.get(`${path}?proof`);
  const { value, proof } = stateValue.read(parseInput(answer, path));
  expect(value).toBe(plain.value);
  if (proof === undefined) throw new Error('no proof');
  const { block, entries } = proof;
  expect(block).toMatchObject({ number: 1n, hash: node.chain.view.block.hash, sequencerHeight: 11n });
  const keys = entries.map((entry) => entry.key);
  const verified = verifyState(proof, { keys });
  expect(verified.values).toEqual([value === null ? undefined : fromHex(value)]);
});

test('a proof is of the key that the table has for it', async () => {
  const node = await started();
  const path = `/v1/state/balances/${ALICE}/token?proof=true`;
  const { proof } = stateValue.read(parseInput((await node.get(path)).text, path));
  const key = balances.storeKey([signers[0].account, TOKEN]);
  expect(proof?.entries.map((entry) => entry.key)).toEqual([key]);
});

test.each([
  [
    '/v1/state/votes/x',
    404,
    'no table "votes"; the state has nonces (accounts/nonce/), balances (accounts/balance/), marks (tables/marks/)',
  ],
  [`/v1/state/balances/${ALICE}`, 400, `key of balances: expected ADDRESS/ASSET, got "${ALICE}": malformed`],
  ['/v1/state/nonces/alice', 400, 'key of nonces: expected ADDRESS, got "alice": malformed'],
  ['/v1/state/marks/a/b', 400, 'key of marks: expected TEXT/U32, got "a/b": malformed'],
  ['/v1/state/marks/%25/1', 400, 'key of marks: expected TEXT/U32, got "%/1": malformed'],
  [`/v1/state/marks/${'m'.repeat(65)}/1`, 400, 'key of marks: expected TEXT/U32'],
  [`/v1/state/nonces/${ALICE}?proof=no`, 400, 'proof'],
  [`/v1/state/nonces/${ALICE}?prove`, 400, '"prove": unknown query parameter, expected only proof'],
])('%s is refused in one line', async (path, status, message) => {
  const node = await started();
  const answer = await node.get(path);
  expect([answer.status, (answer.body as { detail: string }).detail]).toEqual([
    status,
    expect.stringContaining(message),
  ]);
});

test('a table is listed in pages, by keys that can be asked for', async () => {
  const node = await started();
  const rows: { key: string; decoded: unknown }[] = [];
  for (let after = ''; ; ) {
    const { status, body } = await node.get(`/v1/state/balances?limit=1${after}`);
    const page = body as { rows: typeof rows; next: string | null; block: number };
    expect([status, page.block, page.rows.length <= 1]).toEqual([200, 1, true]);
    rows.push(...page.rows);
    if (page.next === null) break;
    after = `&after=${encodeURIComponent(page.next)}`;
  }
  expect(rows.map(({ decoded }) => decoded).sort()).toEqual(['1000', '997']);
  for (const { key, decoded } of rows) {
    const { body } = await node.get(`/v1/state/balances/${key}`);
    expect(body).toMatchObject({ decoded });
  }
  expect((await node.get('/v1/state/balances?after=x')).status).toBe(400);
  expect((await node.get('/v1/state/votes')).status).toBe(404);
});

test('no key of a stranger is a fault of the node', async () => {
  const node = await started();
  const keys = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.string({ unit: 'grapheme', minLength: 1 }).map((asset) => `${ALICE}/${asset}`),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('balances', 'nonces', 'marks'), keys, async (name, key) => {
      const place = encodeURIComponent(key);
      const answers = [
        await node.get(`/v1/state/${name}/${place}?proof`),
        await node.get(`/v1/state/${name}?after=${place}`),
      ];
      for (const { status } of answers) expect(status).toBeLessThan(500);
    }),
    { numRuns: 200 },
  );
});

test('before block 1 values are answered, and nothing is proven', async () => {
  const node = await started(true);
  expect(await node.get(`/v1/state/nonces/${ALICE}`)).toMatchObject({ status: 200, body: { decoded: 0, block: 0 } });
  expect((await node.get(`/v1/state/nonces/${ALICE}?proof`)).status).toBe(503);
});

test('rows of a definition are proven, and that there is none; a proof is of one row of one chain', async () => {
  const [node, other] = [await started(), await started()];
  await other.block({ data: [signSpend({ nonce: 1, amount: 1n })] });
  const getProof = async (from: TestNode, place: string) => {
    const { text: answer } = await from.get(`/v1/state/tables%2Fmarks%2F/${place}?proof`);
    return stateValue.read(parseInput(answer, place)).proof ?? expect.fail('no proof');
  };
  const [present, absent] = [await getProof(node, 'a%252Fb/3'), await getProof(node, 'b/3')];
  const keys = [marks.storeKey(['a/b', 3])];
  expect(marks.decode(verifyState(present, { keys }).values[0])).toEqual({ size: 7n });
  expect(verifyState(absent, { keys: [marks.storeKey(['b', 3])] }).values).toEqual([undefined]);
  expect(() => verifyState(absent, { keys })).toThrow('a proof of another key');
  const elsewhere = await getProof(other, 'a%252Fb/3');
  expect(() => verifyState({ ...present, block: elsewhere.block }, { keys })).toThrow('not under the state root');
});
