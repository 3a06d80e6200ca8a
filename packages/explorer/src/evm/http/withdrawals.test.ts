import { rollupIdFromName } from '@switchyard/protocol';
import { checksummed } from '@switchyard/protocol/ethereum';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { insert } from '../../store/statements.ts';
import { compiledTokens, type EvmExplorer, evmExplorer } from '../testing.ts';
import { eventId, withdrawalEvent } from '../withdrawals/events.ts';

let explorer: EvmExplorer;
beforeEach(async () => {
  explorer = await evmExplorer();
});
afterEach(() => explorer.close());

const TO = 'astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm';
/** A text as an argument, in words. */
const words = (text: string) => {
  const hex = Buffer.from(text).toString('hex');
  const padded = hex.padEnd(Math.ceil(hex.length / 64) * 64, '0');
  return [BigInt(text.length), ...(padded.match(/.{64}/g) ?? []).map((each) => BigInt(`0x${each}`))];
};

/** Block 1: a contract; block 2: alice withdraws 5 wei, and bob 7. */
async function withdrawn() {
  const { chain, indexed } = explorer;
  const [alice, bob] = [chain.account(0), chain.account(1)];
  const bridge = compiledTokens().Bridge ?? expect.fail('no contract Bridge');
  const { receipts } = await chain.sequence([alice.deploy(bridge.creation(), { gasLimit: 2_000_000n })]);
  const contract = receipts[0]?.contractAddress ?? expect.fail('nothing was created');
  const input = bridge.call('withdrawToSequencer(string)', 32n, ...words(TO));
  const { block } = await chain.sequence([
    alice.call(contract, input, { value: 5n }),
    bob.call(contract, input, { value: 7n }),
  ]);
  await indexed();
  const hashes = block.transactions.map(({ hash }) => hash);
  return { alice, bob, contract, hashes };
}

test('withdrawals of contracts are listed with what was paid for each', { timeout: 60_000 }, async () => {
  const { alice, contract, hashes } = await withdrawn();
  const { api, store } = explorer;
  const event = eventId(String(hashes[0]).slice(2), 0);
  // Another rollup's bridge account names the same event.
  const bridges = [
    ['aa'.repeat(20), rollupIdFromName('test-evm'), 'nria', 1, '', 0, 1],
    ['bb'.repeat(20), rollupIdFromName('other'), 'nria', 1, '', 0, 1],
  ];
  const payments = bridges.map(([bridge = ''], position) => [
    ...[9, position, `${position}d`.repeat(32), 0, 'bridgeUnlock', bridge, 'cc'.repeat(20), '3', '', '', '2', event],
  ]);
  const columns = ['account', 'rollup', 'asset', 'height', 'transaction_hash', 'deposits', 'withdrawals'];
  const paid = ['height', 'position', 'transaction_hash', 'action', 'kind', 'bridge', 'recipient', 'amount', 'memo'];
  await store.write([
    ...insert('bridges', columns, bridges),
    ...insert('withdrawals', [...paid, 'destination', 'rollup_block', 'event'], payments),
  ]);
  const { items } = await api('/withdrawals');
  const common = { block: 2, contract: checksummed(contract.slice(2)), kind: 'sequencer', destination: TO };
  expect(items).toMatchObject([
    { ...common, logIndex: 1, amount: '7', transaction: hashes[1], paid: null },
    {
      ...{ ...common, logIndex: 0, amount: '5', transaction: hashes[0], sender: checksummed(alice.address.slice(2)) },
      paid: { transaction: '0d'.repeat(32), height: 9, amount: '3', asset: 'nria' },
    },
  ]);
  expect((await api(`/addresses/${alice.address}/withdrawals`)).items).toEqual([items[1]]);
  expect((await api(`/withdrawals?limit=1`)).items).toEqual([items[0]]);
});

const topic = '0f4961cab7530804898499aa89f5ec81d1a73102e2e4a1f30f88e5ae3513ba2a';
test('an event whose members are not those of a withdrawal is none', () => {
  const [sender, amount] = ['00'.repeat(12) + '11'.repeat(20), '05'.padStart(64, '0')];
  const data = `${'20'.padStart(64, '0')}${'01'.padStart(64, '0')}${'61'.padEnd(64, '0')}`;
  const made = withdrawalEvent({ topics: [topic, sender, amount], data });
  expect(made).toEqual({ sender: '11'.repeat(20), amount: 5n, destination: 'a', kind: 'sequencer' });
  for (const log of [
    { topics: [topic, sender], data },
    { topics: [topic, sender, amount, amount], data },
    { topics: [topic, 'ff'.repeat(32), amount], data },
    { topics: [topic, sender, amount], data: data.slice(0, 64) },
    { topics: [topic, sender, amount], data: `${'ff'.repeat(32)}${data}` },
    { topics: ['00'.repeat(32), sender, amount], data },
    { topics: [], data: '' },
  ])
    expect(withdrawalEvent(log)).toBeUndefined();
});
