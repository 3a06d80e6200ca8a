import { createMemoryStore } from '@switchyard/machine';
import { txHashOf } from '@switchyard/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ALICE,
  alice,
  BOB,
  bob,
  CAROL,
  carol,
  deposit,
  exampleGenesis,
  FUNDS,
  messengerNode,
  text,
  transfer,
} from './testing/messenger.ts';

const people = [
  { signer: alice, address: ALICE },
  { signer: bob, address: BOB },
  { signer: carol, address: CAROL },
] as const;
type Person = (typeof people)[number];
const person: fc.Arbitrary<Person> = fc.constantFrom(...people);
const nonce = fc.nat(4);
const step = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), from: person, nonce }),
  fc.record({
    kind: fc.constant('transfer' as const),
    from: person,
    to: person,
    nonce,
    asset: fc.constantFrom('nria', 'ntia'),
    amount: fc.bigInt({ min: 0n, max: 2n * FUNDS }),
  }),
  fc.record({ kind: fc.constant('deposit' as const), to: person, amount: fc.bigInt({ min: 0n, max: 1n << 127n }) }),
  fc.record({ kind: fc.constant('garbage' as const), bytes: fc.uint8Array({ maxLength: 40 }) }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
const history = fc.array(fc.array(step, { maxLength: 8 }), { maxLength: 4 });

function makeBlock(steps: readonly Step[], salt: number) {
  const data: Uint8Array[] = [];
  const deposits = [];
  for (const [index, each] of steps.entries()) {
    if (each.kind === 'text') data.push(text(each.nonce, each.from.signer));
    else if (each.kind === 'transfer') {
      data.push(transfer(each.nonce, each.from.signer, each.to.address, each.amount, each.asset));
    } else if (each.kind === 'garbage') data.push(each.bytes);
    else {
      const sourceTransaction = txHashOf(Uint8Array.of(salt, index));
      deposits.push(deposit({ destination: each.to.address, amount: each.amount, sourceTransaction }));
    }
  }
  return { data, deposits };
}

test('value comes from genesis and deposits alone, and goes with texts alone', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (blocks) => {
      const node = await messengerNode();
      let deposited = 0n;
      for (const [number, steps] of blocks.entries()) {
        const { data, deposits } = makeBlock(steps, number);
        const before = people.map(({ signer }) => node.balance(signer, 'ntia')).reduce((sum, each) => sum + each);
        await node.block({ data, deposits });
        const after = people.map(({ signer }) => node.balance(signer, 'ntia')).reduce((sum, each) => sum + each);
        const skipped = node.chain.view.block.skippedDeposits;
        const given = deposits.reduce((sum, { amount }) => sum + amount, 0n);
        if (skipped === 0) expect(after - before).toBe(given);
        else expect(after - before).toBeLessThan(given);
        deposited += after - before;
      }
      const texts = BigInt(Number((await node.get('/v1/status')).body?.['texts' as never]) - 1);
      const held = (asset: string) => people.reduce((sum, { signer }) => sum + node.balance(signer, asset), 0n);
      expect(held('nria')).toBe(2n * FUNDS - texts);
      expect(held('ntia')).toBe(deposited);
      const used = people.reduce((sum, { signer }) => sum + node.node.committedNonce(signer.account), 0);
      const bodies = await Promise.all(blocks.map((_, index) => node.get(`/v1/blocks/${index + 1}`)));
      // An unpayable transaction uses up its nonce too; the other refusals had none to use.
      const inPlace = bodies.map(({ body }) => {
        const { executed, refusals } = body as { executed: number; refusals: { message: string }[] };
        return executed + refusals.filter(({ message }) => /^(insufficient|overflow)/.test(message)).length;
      });
      expect(used).toBe(inPlace.reduce((sum, each) => sum + each, 0));
      await node.stop();
    }),
    { numRuns: 20 },
  );
});

// Defect: Texts payable in one asset only
test('a text takes one unit of the asset that it names, if the rollup takes that asset, and nothing else', async () => {
  const genesis = exampleGenesis({ fee_assets: ['nria', 'ntia'] });
  const fee = fc.record({ from: person, asset: fc.constantFrom('nria', 'ntia', 'nother') });
  await fc.assert(
    fc.asyncProperty(fc.array(fee, { maxLength: 12 }), fc.bigInt({ min: 0n, max: 3n }), async (texts, given) => {
      const node = await messengerNode({ genesis });
      await node.block({ deposits: given === 0n ? [] : [deposit({ destination: BOB, amount: given })] });
      for (const { from, asset } of texts) {
        const { signer } = from;
        const held = { nria: node.balance(signer, 'nria'), ntia: node.balance(signer, 'ntia') };
        const affordable = asset !== 'nother' && held[asset as keyof typeof held] > 0n;
        const nonce = node.node.committedNonce(signer.account);
        const sent = await node.post('/v1/transactions', text(nonce, signer, 'gm', 'sender', asset));
        expect(sent.status).toBe(affordable ? 202 : asset === 'nother' ? 400 : 422);
        await node.block();
        const paid = (each: string) => (affordable && asset === each ? 1n : 0n);
        expect([node.balance(signer, 'nria'), node.balance(signer, 'ntia')]).toEqual([
          held.nria - paid('nria'),
          held.ntia - paid('ntia'),
        ]);
      }
      await node.stop();
    }),
    { numRuns: 12 },
  );
});

test('two texts cannot be promised from one unit of an asset', async () => {
  const node = await messengerNode({ genesis: exampleGenesis({ fee_assets: ['ntia'] }) });
  await node.block({ deposits: [deposit({ destination: BOB, amount: 1n })] });
  const statuses = [];
  for (const [nonce, asset] of [
    [0, 'nria'],
    [0, 'ntia'],
    [1, 'ntia'],
  ] as const) {
    statuses.push((await node.post('/v1/transactions', text(nonce, bob, 'gm', 'bob', asset))).status);
  }
  expect(statuses).toEqual([400, 202, 422]);
  await node.stop();
});

test('the same history gives the same hashes, in one batch or block by block, restarted or not', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (blocks) => {
      const straight = await messengerNode();
      const store = createMemoryStore();
      const hashes = [];
      const again = [];
      for (const [number, steps] of blocks.entries()) {
        hashes.push((await straight.block(makeBlock(steps, number))).hash);
        const restarted = await messengerNode({ store });
        again.push((await restarted.block(makeBlock(steps, number))).hash);
        await restarted.stop();
      }
      expect(again).toEqual(hashes);
      await straight.stop();
    }),
    { numRuns: 20 },
  );
});

test('this history has these hashes: a change here is a change of consensus', async () => {
  const node = await messengerNode();
  const blocks = [
    await node.block(),
    await node.block({ data: [text(0, alice, 'gm'), Uint8Array.of(1, 2, 3), transfer(1, alice, BOB, 10n)] }),
    await node.block({ data: [text(0, bob, 'héllo', 'bob')], deposits: [deposit(), deposit({ destination: 'x' })] }),
    await node.block({ data: [text(0, alice, 'too late')] }),
  ];
  const { stateRoot, receiptsHash, contentHash } = node.chain.view.block;
  expect({ hashes: blocks.map(({ hash }) => hash), stateRoot, receiptsHash, contentHash }).toMatchInlineSnapshot(`
    {
      "contentHash": "39df434c669402de9ad27529095b99fc830f1e131649d165a251c91f6ceea955",
      "hashes": [
        "1c871a3802dcda9318b597208964b90f65429b32d968851cdff0c1ada623f63e",
        "d0b79b548083ade9b16b85a50f3cc213f22c551fcfd1e0df6fcd044066ece233",
        "78f371f464f159452440a5311bc9348be1cc0405126c60849f5d15154156843e",
        "3670672026dba8bbc79c5456d70ba465e4320a49e8f738fd1c7082af596e7f32",
      ],
      "receiptsHash": "e3e287b8c690a06dc2f95af87cd2e5e052eecaf18648184a11f40a4bab202769",
      "stateRoot": "41cf71763de4b483192bbf6ae570825f163bbd6e92df4dfb6a63b1b6130100cc",
    }
  `);
  await node.stop();
});
