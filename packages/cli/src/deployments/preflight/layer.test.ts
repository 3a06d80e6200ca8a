import { getFirstBlock } from '@switchyard/da';
import { type LocalLayer, startLocalLayer } from '@switchyard/da/testing';
import { toHex } from '@switchyard/protocol';
import { manifestText, readManifest } from '@switchyard/stack';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { layerFindings, relayerFindings } from './layer.ts';

/** The local layer in this process, behind its real sockets. */
let layer: LocalLayer;
let hash: string;

beforeAll(async () => {
  layer = await startLocalLayer({ SVC_DA_CHAIN_ID: 'test-da' });
  const first = () => getFirstBlock({ url: layer.lightNodeUrl }, new AbortController().signal);
  // It may have to be made yet.
  hash = toHex((await vi.waitFor(first, { timeout: 20_000 })).root.hash);
});

afterAll(() => layer.close());

const found = async (more: object = {}, isLocal = true) => {
  const { manifest } = readManifest(
    manifestText({
      ...{ name: 'cosmic', networkId: 90_210n, sequencerHeight: 42n, sequencerChainId: 'main' },
      sequencerRpc: 'http://sequencer.example.com',
      genesisAccounts: [{ address: '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a', balance: 5n }],
      ...{ executionCommitLevel: 'SoftAndFirm', daKind: 'external', daUrl: layer.lightNodeUrl, daNetwork: 'test-da' },
      ...{ daTrustedHeight: 1n, daTrustedHash: hash, ...more },
    }),
  );
  const findings = await layerFindings(manifest, {}, isLocal);
  return findings.map(({ severity, text }) => `${severity}: ${text}`);
};

test('a node of the chain with the trusted block is noted', async () => {
  expect(await found()).toEqual([
    expect.stringMatching(/^note: da-node\.url: \S+ is of chain test-da, its block \d+ follows from block 1 and is /),
  ]);
});

test.each([
  [
    'another chain',
    { daNetwork: 'mocha-5' },
    /^refused: da-node\.url: \S+ is of chain test-da, expected mocha-5: use a/,
  ],
  ['another trusted block', { daTrustedHash: 'ab'.repeat(32) }, /^refused: .* shows what cannot be right/],
  ['no answer', { daUrl: 'http://127.0.0.1:9' }, /^risky: da-node\.url: http:\/\/127\.0\.0\.1:9 shows no block: /],
])('a node with %s is not', async (_, more, line) => {
  expect(await found(more)).toEqual([expect.stringMatching(line)]);
});

test('what only pods may reach is noted', async () => {
  expect(await found({ daUrl: 'http://127.0.0.1:9' }, false)).toEqual([
    expect.stringMatching(/^note: .*shows no block/),
  ]);
  expect(await found({ daUrl: 'http://light.main.svc:26658' }, false)).toEqual([
    expect.stringMatching(/^note: .* its name is one of the cluster$/),
  ]);
});

test('a manifest that reads no layer elsewhere is not asked about one', async () => {
  expect(await found({ executionCommitLevel: 'SoftIsFirm' })).toEqual([]);
});

test('the relayer of a network needs a node of its chain, and funds there', async () => {
  const ask = async (byte: number, chainId = 'test-da') => {
    const key = Buffer.from(new Uint8Array(32).fill(byte)).toString('hex');
    const findings = await relayerFindings({ key, layer: { kind: 'celestia', grpc: layer.consensusNodeUrl, chainId } });
    return findings.map(({ severity, text }) => `${severity}: ${text}`);
  };
  expect(await ask(1)).toEqual([expect.stringMatching(/^note: --celestia-grpc: .* holds 1000000000000 utia there$/)]);
  expect(await ask(9)).toEqual([expect.stringMatching(/^risky: --celestia-grpc: .* holds 0 utia there: nothing can/)]);
  expect(await ask(1, 'other')).toEqual([expect.stringMatching(/^refused: .* is of chain test-da, expected other/)]);
});
