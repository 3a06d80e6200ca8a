import { asList, decodeRlp, encodeRlp, type RlpTree } from '@switchyard/protocol/ethereum';
import { expect, test } from 'vitest';
import { openMemoryDatabase } from '../database/memory.ts';
import { type TestChain, testChain, testGenesisText } from '../testing.ts';
import { importBlocks, openArchive } from './archive.ts';
import { exportBlocks } from './testing/export-blocks.ts';

const FORKS = { prague: 0, osaka: 0, amsterdam: 0 };
/** Place of the hash among the fields of a header. */
const HASH = 21;

async function begun(gasLimit?: number): Promise<{ readonly chain: TestChain; readonly genesis: string }> {
  const choices = { forks: FORKS, ...(gasLimit === undefined ? {} : { gasLimit }) };
  return { chain: await testChain({ genesis: choices }), genesis: testGenesisText(choices) };
}

async function imported(genesis: string, blocks: readonly Uint8Array[]) {
  async function* given() {
    for (const bytes of blocks) yield { bytes };
  }
  const archive = openArchive(openMemoryDatabase(), genesis);
  await importBlocks(archive, given());
  return archive.chain;
}

/** A block with another list's hash in its header. */
function withHash(block: Uint8Array | undefined, hash: Uint8Array): Uint8Array {
  const [header, ...body] = asList(decodeRlp(block ?? new Uint8Array()));
  const fields: RlpTree[] = [...asList(header)];
  fields[HASH] = hash;
  return encodeRlp([fields, ...body]);
}

test('an import finds the lists that the blocks were made with, and keeps them', async () => {
  const { chain, genesis } = await begun();
  const [sender, receiver] = [chain.account(0), chain.account(1)];
  for (const nonce of [0n, 1n]) await chain.sequence([sender.transfer(receiver.address, 5n, { nonce })]);
  const archive = await imported(genesis, [...exportBlocks(chain.chain, 1n, 2n)]);
  for (const number of [1n, 2n]) expect(archive.accessListIn(number)).toEqual(chain.chain.accessListIn(number));
});

test('a block with the hash of another list is refused in one line', async () => {
  const { chain, genesis } = await begun();
  const { block } = await chain.sequence([]);
  const [first] = exportBlocks(chain.chain, 1n, 1n);
  const wrong = withHash(first, new Uint8Array(32).fill(7));
  await expect(imported(genesis, [wrong])).rejects.toThrow(
    `block 1: block access list hash: expected ${block.header.blockAccessListHash}, got 0x${'07'.repeat(32)}`,
  );
});

test('a block that accesses more than its gas limit allows is refused in one line', async () => {
  const { chain, genesis } = await begun(21_000);
  await chain.sequence([]);
  await expect(imported(genesis, [...exportBlocks(chain.chain, 1n, 1n)])).rejects.toThrow(
    'block 1: block access list: 25 addresses and slots, at most 10',
  );
});
