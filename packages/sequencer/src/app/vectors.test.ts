/** The reference's example transaction and the blocks that hold it, or nothing. */

import { createSigner, decodeFilteredBlock, fromHex, parseSeed, rollupIdFromName, toHex } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { appStateJson, data, TestNode } from './testing.ts';

const CHAIN = 'sequencer-test-chain-0';
const signer = createSigner(parseSeed('2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90'));
const ROLLUP = rollupIdFromName('messenger-rollup');
const HASH = 'a0f388e5cef9d26e6034e715305b41faabae1e73aadc08a272b30a9ac38bc89f';

const chain = () =>
  new TestNode({
    chainId: CHAIN,
    appState: appStateJson({
      accounts: [
        {
          address: { bech32m: 'astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm' },
          balance: { lo: '333333333333333333' },
        },
      ],
    }),
  });

const header = (node: TestNode, height: bigint) => {
  const bytes = node.app.blocks.filtered(height, [ROLLUP]);
  if (bytes === undefined) throw new Error('no block');
  return decodeFilteredBlock(bytes);
};

test('a block with the example transaction', async () => {
  const node = chain();
  const tx = node.sign(signer, [data('hello', ROLLUP)], 0, CHAIN);
  expect([node.check(tx), tx.length]).toMatchObject([{ code: 0, hash: HASH }, 233]);
  const { block, result } = await node.make();
  expect(block.txs.map((entry) => toHex(entry))).toEqual([
    '7951314c3d192146169d8f62903e43a951ff09edc514db21bab73d5f336126e7',
    'a5b9ae6dec9332929cfb0ad78377dd04701683e96d97192ebbc8e6186178d041',
    toHex(tx),
  ]);
  const { header: found, rollups, allRollupIds } = header(node, 1n);
  expect(toHex(found.dataHash)).toBe('a2961ef32094823df95a0d7fdff337bb57a5bc2b252725653599e9df31285a28');
  expect(rollups[0]?.transactions).toEqual([fromHex('0a0568656c6c6f')]);
  expect(allRollupIds).toEqual([ROLLUP]);
  expect(result.txResults[2]?.events[0]?.attributes[2]).toEqual({ key: 'feeAmount', value: '37', index: true });
});

test('an empty block', async () => {
  const node = chain();
  await node.make();
  const { header: found, allRollupIds } = header(node, 1n);
  expect(toHex(found.dataHash)).toBe('ecfe780b22052641c424e0acfb0bf3465844a8def3874dea2e2df020a3f54f78');
  expect(allRollupIds).toEqual([]);
});
