import { createSigner, formatAddress, fromHex } from '@switchyard/protocol';
import { type Manifest, manifestText, readManifest } from '@switchyard/stack';
import { expect, test } from 'vitest';
import type { Cli } from '../../cli.ts';
import type { Connections, SequencerPort } from '../../connect.ts';
import { claimAddresses, claimNetworkId, networkIdFindings } from './network-id.ts';

const KEY = '11'.repeat(32);

const getManifest = (name: string, networkId = 90_210n): Manifest =>
  readManifest(
    manifestText({
      ...{ name, networkId, sequencerHeight: 42n, sequencerChainId: 'main', feeAsset: 'nria' },
      sequencerRpc: 'http://sequencer.example.com',
      genesisAccounts: [{ address: '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a', balance: 5n }],
    }),
  ).manifest;

/** A sequencer that moves money, and counts transactions. */
function ledger(funds = 1_000n) {
  const held = new Map([[formatAddress(createSigner(fromHex(KEY)).account), funds]]);
  let transactions = 0;
  const port: Partial<SequencerPort> = {
    balances: async (address) => {
      const amount = held.get(address);
      return amount === undefined ? [] : [{ asset: 'nria', amount }];
    },
    fees: async () => [{ asset: 'nria', amount: 24n }],
    async submitAndWait(_, { actions }) {
      transactions += 1;
      for (const action of actions) {
        if (action.kind !== 'transfer') throw new Error(`unexpected ${action.kind}`);
        const to = formatAddress(action.to.account);
        held.set(to, (held.get(to) ?? 0n) + action.amount);
      }
      return { hash: '', height: 7n, nonce: 0, fees: [] } as unknown as Awaited<
        ReturnType<SequencerPort['submitAndWait']>
      >;
    },
  };
  // A method that the test does not give fails when it is called.
  const sequencer = port as SequencerPort;
  const connect = { sequencer: async () => sequencer } as unknown as Connections;
  const notes: string[] = [];
  const cli = { note: (line: string) => notes.push(line) } as unknown as Cli;
  return {
    notes,
    claim: (manifest: Manifest) => claimNetworkId(cli, connect, manifest, KEY),
    findings: async (manifest: Manifest) =>
      (await networkIdFindings(sequencer, manifest)).map(({ severity, text }) => `${severity}: ${text}`),
    transactions: () => transactions,
  };
}

// Defect: Second rollup created with the network id of another one on the same sequencer
test('an id that one rollup has claimed is refused to others, and not to itself', async () => {
  const { claim, findings, notes, transactions } = ledger();
  const [cosmic, nova] = [getManifest('cosmic'), getManifest('nova')];
  expect([await findings(cosmic), await findings(nova)]).toEqual([[], []]);
  await claim(cosmic);
  expect(await findings(cosmic)).toEqual([]);
  expect(await findings(nova)).toEqual([
    expect.stringMatching(/^risky: config\.rollup\.networkId: expected an id of its own, got 90210, which another/),
  ]);
  expect(await findings(getManifest('nova', 90_211n))).toEqual([]);
  await claim(cosmic);
  expect([transactions(), notes]).toEqual([1, ['note: network id 90210 is claimed in sequencer block 7']]);
});

test('who insists claims the same id, and is not asked again', async () => {
  const { claim, findings } = ledger();
  await claim(getManifest('cosmic'));
  await claim(getManifest('nova'));
  expect(await findings(getManifest('nova'))).toEqual([]);
});

test('a claim that cannot be paid is noted, and not sent', async () => {
  const { claim, notes, transactions } = ledger(25n);
  await claim(getManifest('cosmic'));
  expect([transactions(), notes]).toEqual([
    0,
    [
      expect.stringMatching(
        /^note: network id 90210 is not claimed, .*: not enough nria: astria1\w+ holds 25, needs 26/,
      ),
    ],
  ]);
});

test('claims are found where they were recorded: the addresses never change', () => {
  expect(claimAddresses(getManifest('cosmic'))).toEqual([
    'astria1l5utu73tglrek7djtaq3evu608drrxnmtlltyd',
    'astria1s60f5sqchjapczc5m45fjwz8ygkj9wjhwy4avu',
  ]);
});
