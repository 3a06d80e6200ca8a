import { alice, bob } from '@switchyard/network/accounts';
import { rollupIdFromName } from '@switchyard/protocol';
import { manifestText, readManifest } from '@switchyard/stack';
import { expect, test } from 'vitest';
import type { Connections, SequencerPort } from '../../connect.ts';
import { sequencerFindings } from './sequencer.ts';

const right = {
  ...{ rollup: rollupIdFromName('cosmic-chain'), asset: 'nria', sudo: alice.address, withdrawer: bob.address },
};

/** Findings of an installation about its bridge account, as the sequencer has it. */
async function found(
  account: Awaited<ReturnType<SequencerPort['bridgeAccount']>>,
  {
    key = bob.key,
    rpc = 'http://sequencer.example.com',
    ...more
  }: { key?: string; rpc?: string; [key: string]: unknown } = {},
) {
  const { manifest } = readManifest(
    manifestText({
      ...{ name: 'cosmic', networkId: 90_210n, sequencerHeight: 42n, sequencerChainId: 'main', sequencerRpc: rpc },
      ...{ bridgeAddress: alice.address, withdrawerEnabled: true, faucetEnabled: false, ...more },
      genesisAccounts: [{ address: '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a', balance: 0n }],
    }),
  );
  const port: Partial<SequencerPort> = {
    chainId: async () => 'main',
    height: async () => 42n,
    allowedFeeAssets: async () => ['nria'],
    balances: async () => [],
    fees: async () => [{ asset: 'nria', amount: 12n }],
    bridgeAccount: async () => account,
  };
  // A method that the test does not give fails when it is called.
  const connect = { sequencer: async () => port } as unknown as Connections;
  const findings = await sequencerFindings(
    connect,
    manifest,
    { sequencer: alice.key, faucet: '', withdrawers: [key] },
    true,
  );
  return findings.map(({ severity, text }) => `${severity}: ${text}`).filter((line) => /bridge|withdrawer/.test(line));
}

test('a bridge account that fits the manifest and the key is fine', async () => {
  expect(await found(right)).toEqual([]);
});

// Defect: `rollup deployment create` did not check the bridge account
test.each<[string, typeof right | undefined, Readonly<Record<string, bigint>>, RegExp]>([
  ['of another rollup', { ...right, rollup: rollupIdFromName('cosmic') }, {}, /^refused: .*would be lost/],
  ['of another asset', { ...right, asset: 'utia' }, {}, /^refused: config\.rollup\.bridgeAsset: expected utia/],
  [
    'with another withdrawer',
    { ...right, withdrawer: alice.address },
    {},
    /^refused: --withdrawer.*bridge-sudo-change/,
  ],
  ['that its withdrawer can change', { ...right, sudo: bob.address }, {}, /^risky: .* can also change /],
  ['that is none', undefined, {}, /^risky: .*init-bridge-account --rollup-name cosmic-chain --asset nria/],
  [
    'whose payments cost more than the minimum',
    right,
    { bridgeMinimum: 12n },
    /^note: .*bridgeMinimum: expected more than 12/,
  ],
])('an account %s is not', async (_, account, more, line) => {
  expect(await found(account, more)).toEqual([expect.stringMatching(line)]);
});

test('on this machine the key may be the one that can change the account', async () => {
  expect(await found({ ...right, sudo: bob.address }, { rpc: 'http://127.0.0.1:26657' })).toEqual([]);
});
