import { Rejected } from '@switchyard/protocol';
import { Input } from '@switchyard/service/input';
import { afterEach, expect, expectTypeOf, test } from 'vitest';
import { withBlock } from '../app/block-in-work.ts';
import { getReceipts } from '../app/outcomes.ts';
import { address, bytes, u32, u64 } from '../schema/scalars.ts';
import { list, option } from '../schema/shapes.ts';
import { signers } from '../testing/tally.ts';
import { getFetch, testRollup } from '../testing/test-rollup.ts';
import { clientAt } from './client.ts';
import { describeContract } from './contract.ts';
import { contractFrom } from './contract-from.ts';
import { action, defineRollup } from './definition.ts';
import { refusal } from './refusals.ts';
import { toRollup } from './rollup-of.ts';
import { TransactionRefused } from './submission.ts';

const [alice, bob] = signers;
const accepted = { until: 'accepted' } as const;
const SHOP = { rollup_name: 'shop', sequencer_chain_id: 'sequencer-0' };
const soldOut = refusal('soldOut', { left: u64, by: option(address) }, { help: 'Nothing is left' });
const closed = refusal('closed');

const shop = defineRollup({
  name: 'shop',
  refusals: [closed, soldOut],
  actions: {
    buy: action({
      fields: { amount: u64 },
      check({ amount }) {
        if (amount === 0n) throw closed();
      },
      execute({ amount }, { signer }) {
        if (amount === 2n) throw closed();
        throw soldOut({ left: amount - 1n, by: signer });
      },
    }),
  },
});

const stopping: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
});

async function start() {
  const node = await testRollup(shop, JSON.stringify(SHOP));
  stopping.push(() => node.stop());
  return node;
}

// Defect: Own refusals had to be one of 31 reasons
test('an own refusal is in the outcome and in the error of the client, with its facts by their types', async () => {
  const node = await start();
  const left = 2n ** 60n;
  const { hash } = await node.client.submit.buy({ amount: left + 1n }, alice, accepted);
  await node.block();
  expect((await node.get(`/v1/transactions/${hash}`)).body).toMatchObject({
    ...{
      state: 'refused',
      code: 129,
      reason: expect.stringMatching(/^sold out: left 1152921504606846976, by astria1/),
    },
    refusal: { kind: 'soldOut', facts: { left: String(left) } },
  });
  const refused: unknown = await node.client.wait(hash).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(TransactionRefused);
  expect(refused).toMatchObject({ kind: 'soldOut', facts: { left, by: alice.account } });
  const facts = soldOut.factsOf(refused);
  expectTypeOf(facts?.left).toEqualTypeOf<bigint | undefined>();
  expect(facts).toEqual({ left, by: alice.account });
  expect(closed.factsOf(refused)).toBeUndefined();
  const untyped = await clientAt({ url: 'http://node', fetch: getFetch(node) });
  expect(await untyped.wait(hash).catch(soldOut.factsOf)).toEqual(facts);
});

test('the code of an own refusal follows its place, above the codes of the protocol', async () => {
  const node = await start();
  await node.client.submit.buy({ amount: 2n }, alice, accepted);
  await node.client.submit.buy({ amount: 1n }, bob, accepted);
  await node.block();
  expect(getReceipts(node.chain.view.snapshot, 1n).map(({ code }) => code)).toEqual([128, 129]);
  expect((await node.get('/v1/blocks/1')).body).toMatchObject({ refusals: [{ code: 128, message: 'closed' }, {}] });
});

test('an own refusal of a check is answered where the transaction is submitted', async () => {
  const node = await start();
  await expect(node.client.submit.buy({ amount: 0n }, alice, accepted)).rejects.toMatchObject({
    ...{ name: 'SubmissionFailed', code: 'closed', message: expect.stringContaining('closed') },
    cause: { name: 'RollupRefused', status: 422 },
  });
});

test('facts that do not have their types, and a refusal that is not listed, are errors that name them', () => {
  expect(() => soldOut({ left: -1n })).toThrow('left: expected a bigint from 0 to 2^64 - 1, got -1');
  // A program without types gives such values.
  expect(() => soldOut({ left: 1n, by: Symbol('x') } as never)).toThrow();
  const { refusals: _, ...unlisted } = shop;
  const { actions } = toRollup(
    defineRollup({ ...unlisted, name: 'shop' }),
    JSON.stringify({ ...SHOP, definition: undefined }),
  );
  expect(() => actions.buy?.check({ kind: 'buy', amount: 0n } as never)).toThrow(
    'refusal "closed" is not listed in the refusals of the definition',
  );
});

test('refusals that cannot be are refused when they are defined', () => {
  const define = (...refusals: Parameters<typeof defineRollup>[0]['refusals'] & object) => {
    return () => describeContract({ name: 'shop', actions: shop.actions, refusals });
  };
  expect(define(closed, soldOut, closed)).toThrow('rollup "shop": refusals: "closed" is listed twice');
  expect(define(refusal('expired'))).toThrow('"expired" is a reason that every rollup has');
  expect(define(refusal('large', { words: list(bytes({ maxBytes: 64 }), { maxItems: 20 }) }))).toThrow(
    'refusals: the facts of "large" may take 1420 bytes, at most 1024 are possible',
  );
  const many = Array.from({ length: 129 }, (_, at) => refusal(`r${at}`, { a: u32 }));
  expect(define(...many)).toThrow('expected at most 128, got 129');
  expect(() => define(refusal('not a name'))()).toThrow('refusals: case "not a name"');
});

test('refusals are in the fingerprint, and a contract is made of the document again', () => {
  const prints = [[], [closed], [closed, soldOut], [soldOut, closed]].map(
    (refusals) => describeContract({ name: 'shop', actions: shop.actions, refusals }).fingerprint,
  );
  expect(new Set(prints).size).toBe(4);
  const { document, fingerprint, refusalUnion } = shop;
  const again = contractFrom(new Input(JSON.parse(JSON.stringify({ ...document, fingerprint })), ''));
  expect(again.refusalUnion?.description).toEqual(refusalUnion?.description);
  expect(again.document).toEqual(document);
});

test('a refusal that a running chain gets has a block, stands behind the others, and is no other chain', () => {
  const later = refusal('later', {}, { from: 5n });
  const { fingerprint, document } = describeContract({
    name: 'shop',
    actions: shop.actions,
    refusals: [closed, later],
  });
  expect(fingerprint).toBe(describeContract({ name: 'shop', actions: shop.actions, refusals: [closed] }).fingerprint);
  expect(document.refusals).toMatchObject([{ name: 'closed' }, { name: 'later', from: '5' }]);
  const define = () => describeContract({ name: 'shop', actions: shop.actions, refusals: [later, closed] });
  expect(define).toThrow('refusal "closed" has to stand before parts of later blocks, as block 5');
  expect(() => withBlock(4n, () => later())).toThrow('refusal later begins at block 5, and this is block 4');
  expect(withBlock(5n, () => later())).toMatchObject({ kind: 'later' });
});

// Defect: A reason that a cast makes had no code, and its row ended the chain
test('a reason that a cast makes is no refusal', () => {
  // A program without types gives such values.
  expect(() => new Rejected('sold-out' as never)).toThrow('"sold-out" is no reason of a refusal');
  expect(() => new Rejected('constructor' as never)).toThrow('is no reason of a refusal');
});
