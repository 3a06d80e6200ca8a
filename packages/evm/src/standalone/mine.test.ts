import type { UnixMs } from '@switchyard/service';
import { eventually } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { openMemoryDatabase } from '../database/memory.ts';
import { evmGenesisFile } from '../genesis/file.ts';
import { parseEvmGenesis } from '../genesis/genesis.ts';
import { HISTORY_ADDRESS } from '../rules/system-contracts.ts';
import { StandaloneNode } from './node.ts';
import { startTestNode } from './testing/start.ts';
import { UndoDatabase } from './undo-database.ts';

/** A chain whose time of day stands still. */
function nodeAt(unixMs: number): StandaloneNode {
  const genesis = evmGenesisFile({
    ...{ rollupName: 'standalone', sequencerChainId: 'standalone', startHeight: 1, chainId: 31_337 },
    ...{ forks: { prague: 0, osaka: 0 }, timestamp: 1_000 },
  });
  const database = new UndoDatabase(openMemoryDatabase());
  const wall = { unixMs: () => unixMs as UnixMs };
  return new StandaloneNode({ genesis: parseEvmGenesis(genesis, 'genesis'), database, indexers: [], wall });
}

const getHeaders = ({ chain }: StandaloneNode) =>
  Array.from({ length: Number(chain.heads.latest) + 1 }, (_, number) => chain.header(BigInt(number)));

test.each([
  ['of the known code', '0x'],
  // Writes the hash of the block two before it: NUMBER, its predecessor's, BLOCKHASH, SSTORE.
  ['of code that reads hashes of blocks', '0x6002430340435500'],
] as const)('many empty blocks are those that are made one by one, with a system contract %s', async (_, code) => {
  const [one, many] = [nodeAt(5_000_000), nodeAt(5_000_000)];
  for (const node of [one, many]) {
    if (code !== '0x') {
      node.edit((state) => {
        const codeHash = state.putCode(Uint8Array.from(Buffer.from(code.slice(2), 'hex')));
        const account = state.account(HISTORY_ADDRESS);
        if (account !== undefined) state.putAccount(HISTORY_ADDRESS, { ...account, codeHash });
      });
    }
  }
  for (let made = 0; made < 50; made += 1) await one.mine();
  await many.mine(50n);
  expect(getHeaders(many)).toEqual(getHeaders(one));
  const moment = many.snapshot();
  await many.mine(40n, 12n);
  expect(many.latest.timestamp).toBe(one.latest.timestamp + 1n + 39n * 12n);
  many.revert(moment);
  await many.mine(1n);
  await one.mine(1n);
  expect(getHeaders(many)).toEqual(getHeaders(one));
});

// Defect: Connections ended and stops were late while `anvil_mine` made many blocks
test('while very many blocks are made others are answered, and a stop keeps what is made and answers how many', async () => {
  const node = await startTestNode();
  const mined = node.ask('anvil_mine', '0x186a0');
  await eventually(async () => BigInt(String(await node.call('eth_blockNumber'))) > 50n);
  await node.stop();
  expect((await mined).error?.message).toMatch(/^the node stops: \d+ of 100000 blocks are made$/);
});

test('a call makes so many blocks at most', async () => {
  await expect(nodeAt(5_000_000).mine(100_001n)).rejects.toThrow('at most 100000');
});
