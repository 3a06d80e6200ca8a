import { getSigner, type LocalLayer, startLocalLayer } from '@switchyard/da/testing';
import { formatCelestiaAddress } from '@switchyard/protocol/celestia';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askConsensusNodes } from './ask-consensus.ts';

/** The gRPC of the local layer, behind its real socket. */
let layer: LocalLayer;
const [rich, poor] = [1, 9].map((byte) => formatCelestiaAddress(getSigner(byte).account));

beforeAll(async () => {
  layer = await startLocalLayer({ SVC_DA_CHAIN_ID: 'test-da' });
});

afterAll(() => layer.close());

const ask = (more: Partial<Parameters<typeof askConsensusNodes>[0]> = {}) =>
  askConsensusNodes({
    ...{ urls: [layer.consensusNodeUrl], chainId: 'test-da', account: rich, lowBalance: 5_000_000n, ...more },
  });

test('a node of the chain where the account has funds is well', async () => {
  const text = `${layer.consensusNodeUrl} is of chain test-da, ${rich} holds 1000000000000 utia there`;
  expect(await ask()).toEqual([{ check: 'relayer', level: 'ok', text }]);
});

test('a node of another chain fails', async () => {
  expect(await ask({ chainId: 'mocha-5' })).toMatchObject([
    { level: 'fail', text: `${layer.consensusNodeUrl} is of chain test-da, expected mocha-5` },
  ]);
});

test('an account without funds, and one with few', async () => {
  expect(await ask({ account: poor })).toMatchObject([
    { level: 'warn', isUnfunded: true, text: expect.stringContaining(`${poor} holds 0 utia there: nothing can be`) },
  ]);
  expect(await ask({ lowBalance: 10n ** 15n })).toMatchObject([
    { level: 'warn', isUnfunded: false, advice: 'send it some utia' },
  ]);
});

test('of several nodes, the one that does not answer is named', async () => {
  expect(await ask({ urls: ['http://127.0.0.1:9', layer.consensusNodeUrl] })).toMatchObject([
    { level: 'warn', text: expect.stringMatching(/^http:\/\/127\.0\.0\.1:9 does not answer: /) },
    { level: 'ok' },
  ]);
});
