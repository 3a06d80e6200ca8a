import { type Deposit, Rejected, txHashOf, withdrawalEventId } from '@switchyard/protocol';
import { InvalidConfig } from '@switchyard/service';
import { InvalidData } from '@switchyard/service/input';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { parseGenesis } from './process.ts';
import {
  ALICE,
  alice,
  BOB,
  bob,
  CAROL,
  CHAIN,
  deposit,
  exampleGenesis,
  FUNDS,
  type MessengerNode,
  messengerNode,
  signWithdraw,
  text,
  transfer,
} from './testing/messenger.ts';

const withdrawals = [{ bridge_account: { bech32m: CAROL }, asset: 'nria', minimum: 5 }];
const genesis = exampleGenesis({ withdrawals });

const nodes: MessengerNode[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});
async function started(options: Parameters<typeof messengerNode>[0] = { genesis }) {
  const node = await messengerNode(options);
  nodes.push(node);
  return node;
}

const nria = (amount: bigint, salt = 1, changes: Partial<Deposit> = {}) =>
  deposit({ asset: 'nria', amount, sourceTransaction: txHashOf(Uint8Array.of(salt)), ...changes });

const withdraw = (nonce: number, amount: bigint, changes: object = {}) =>
  signWithdraw({ nonce, chainId: CHAIN, to: ALICE, amount, asset: 'nria', ...changes }, bob);

const getBridges = async (node: MessengerNode) => (await node.get('/v1/bridges')).body as { bridges: object[] };

test('a withdrawal burns the amount, and is listed with the event id under which it is paid', async () => {
  const node = await started();
  const bytes = withdraw(0, 30n, { memo: 'thanks' });
  await node.block({ deposits: [nria(100n)] });
  await node.block({ data: [bytes] });
  expect(node.chain.view.block).toMatchObject({ executed: 1, refused: 0 });
  expect(node.balance(bob)).toBe(FUNDS + 70n);
  expect((await node.get('/v1/withdrawals')).body).toEqual({
    withdrawals: [
      {
        ...{ id: 0, block: 2, transaction: txHashOf(bytes), action: 0 },
        eventId: withdrawalEventId(txHashOf(bytes), 0),
        ...{ sender: BOB, bridge: CAROL, asset: 'nria', amount: '30', destination: ALICE, memo: 'thanks' },
      },
    ],
    ...{ older: null, newer: 0, soft: 2, firm: 2 },
  });
  expect(await getBridges(node)).toMatchObject({
    ...{ block: 2, sequencerHeight: 4 },
    bridges: [
      { bridge: CAROL, asset: 'nria', minimum: '5', backing: '70', withdrawn: '30', withdrawals: 1, uncredited: '0' },
    ],
  });
  const { entries } = (await node.get(`/v1/accounts/${BOB}/history`)).body as { entries: object[] };
  expect(entries[0]).toMatchObject({ kind: 'withdrawal', from: BOB, to: ALICE, asset: 'nria', amount: '30' });
});

test('the event id is of the form of the wire', () => {
  expect(withdrawalEventId(txHashOf(Uint8Array.of(1)), 17)).toBe(
    `0x${txHashOf(Uint8Array.of(1))}.0x${'0'.repeat(62)}11`,
  );
});

test('no more leaves than was deposited: coins of the genesis have nothing on the sequencer', async () => {
  const node = await started();
  await node.block({ deposits: [nria(100n)] });
  await node.block({ data: [withdraw(0, 101n), withdraw(1, 100n), withdraw(2, 5n)] });
  expect(node.chain.view.block).toMatchObject({ executed: 1, refused: 2 });
  expect(node.balance(bob)).toBe(FUNDS);
});

test.each<[string, object, string]>([
  ['an amount below the minimum', { amount: 4n }, 'amount, expected at least 5, got 4'],
  ['an asset that no bridge pays', { asset: 'ntia' }, 'action disabled'],
  ['an address of another network', { to: 'foo1rsxyjrcm255ds9euthjx6yc3vrjt9sxrfkplgp' }, 'checksum'],
  ['the bridge account itself', { to: CAROL }, 'expected no bridge account'],
  ['a long memo', { memo: '€'.repeat(22) }, 'at most 64 bytes, got 66 bytes'],
])('%s is refused at the intake and in a block', async (_, changes, message) => {
  const node = await started();
  await node.block({ deposits: [nria(100n)] });
  let bytes: Uint8Array;
  try {
    bytes = withdraw(0, 10n, changes);
  } catch (error) {
    // The client refuses the address and the memo.
    expect(error).toBeInstanceOf(error instanceof InvalidData ? InvalidData : Rejected);
    expect(String(error)).toContain(message);
    return;
  }
  const answer = await node.post('/v1/transactions', bytes);
  expect([answer.status, JSON.stringify(answer.body)]).toEqual([expect.any(Number), expect.stringContaining(message)]);
  expect(answer.status).toBeGreaterThanOrEqual(400);
  await node.block({ data: [bytes, text(1, bob)] });
  expect(node.chain.view.block).toMatchObject({ executed: 1, refused: 1 });
});

test('a chain without withdrawals in its genesis refuses the action', async () => {
  const node = await started({ genesis: exampleGenesis() });
  const bytes = withdraw(0, 10n);
  await node.block({ data: [bytes] });
  expect((await node.get(`/v1/transactions/${txHashOf(bytes)}`)).body).toMatchObject({
    state: 'refused',
    reason: expect.stringContaining('action disabled'),
  });
  expect((await node.get('/v1/withdrawals')).status).toBe(404);
});

test.each([
  [
    'of an account that is no bridge',
    [{ ...withdrawals[0], bridge_account: { bech32m: ALICE } }],
    'bridge_accounts names',
  ],
  ['of one bridge twice', [withdrawals[0], { ...withdrawals[0], asset: 'ntia' }], 'more than once'],
  ['of nothing', [{ ...withdrawals[0], minimum: 0 }], 'minimum'],
  ['of no asset', [{ ...withdrawals[0], asset: 'a/b' }], 'asset'],
])('a genesis with withdrawals %s is refused', (_, rules, message) => {
  const read = () => parseGenesis(exampleGenesis({ withdrawals: rules }), 'x');
  expect(read).toThrow(InvalidConfig);
  expect(read).toThrow(message);
});

test('deposits, transfers and withdrawals at random conserve the sum that the bridge owes', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('deposit' as const), amount: fc.bigInt({ min: 0n, max: 50n }), lost: fc.boolean() }),
    fc.record({ kind: fc.constant('withdraw' as const), amount: fc.bigInt({ min: 0n, max: 80n }) }),
    fc.record({ kind: fc.constant('transfer' as const), amount: fc.bigInt({ min: 0n, max: 50n }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const node = await messengerNode({ genesis });
      let locked = 0n;
      for (const [index, each] of steps.entries()) {
        const nonce = node.node.committedNonce(bob.account);
        if (each.kind === 'deposit') {
          locked += each.amount;
          const destination = each.lost ? 'no address' : BOB;
          await node.block({ deposits: [nria(each.amount, index, { destination })] });
        } else if (each.kind === 'withdraw') await node.block({ data: [withdraw(nonce, each.amount)] });
        else await node.block({ data: [transfer(nonce, bob, ALICE, each.amount)] });
      }
      const [bridge] = (await getBridges(node)).bridges as Record<string, string>[];
      const { backing, withdrawn, uncredited } = bridge ?? {};
      expect(BigInt(backing ?? -1) + BigInt(withdrawn ?? -1) + BigInt(uncredited ?? -1)).toBe(locked);
      expect(node.balance(bob) + node.balance(alice)).toBe(2n * FUNDS + BigInt(backing ?? -1));
      const { withdrawals: listed } = (await node.get('/v1/withdrawals?limit=200')).body as {
        withdrawals: { amount: string }[];
      };
      expect(listed.reduce((sum, { amount }) => sum + BigInt(amount), 0n)).toBe(BigInt(withdrawn ?? -1));
      await node.stop();
    }),
    { numRuns: 30 },
  );
});
