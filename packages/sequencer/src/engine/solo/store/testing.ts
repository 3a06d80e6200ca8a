import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeSignedHeader, sha256, timestampFromMillis } from '@switchyard/protocol';
import { PageFile } from '@switchyard/storage';
import { afterEach } from 'vitest';
import type { BlockResult, TxResult } from '../../../app/types.ts';
import { encodeState, initialState } from '../chain-state.ts';
import { advance, makeBlock, signCommit } from '../make-block.ts';
import { CHAIN, genesisFile, signer } from '../testing.ts';
import { BlockStore, type BlockStoreOptions, type NewBlock } from './block-store.ts';
import { encodeResults } from './results.ts';

/** An empty directory, removed after the test file. */
export function newDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'blocks-'));
}

/** Opens stores for the tests of a file, and closes them after each test. */
export function storeOpener() {
  const open: BlockStore[] = [];
  afterEach(async () => {
    for (const store of open.splice(0)) await store.close();
  });
  return (directory: string, options?: BlockStoreOptions): BlockStore => {
    const store = new BlockStore(directory, options);
    open.push(store);
    return store;
  };
}

/** Entries that every block holds, without exception. */
const INJECTED = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

/** A chain of real blocks, one for each list of transactions. */
export function testBlocks(contents: readonly (readonly Uint8Array[])[]): NewBlock[] {
  const { genesis } = genesisFile();
  const init = {
    validators: genesis.validators,
    consensusParams: genesis.consensusParams,
    appHash: Buffer.alloc(32, 9),
  };
  let state = initialState(genesis, init, 10n);
  return contents.map((txs, index) => {
    // Nanoseconds of any length: their encodings have different ones.
    const time = {
      ...timestampFromMillis(1_750_000_000_000 + 2_000 * index),
      nanos: (index * 104_729) % 1_000_000_000,
    };
    const made = makeBlock(state, signer, { chainId: CHAIN, time, txs: [...INJECTED, ...txs] });
    const commit = signCommit(made, signer, timestampFromMillis(1_750_000_000_500 + 2_000 * index));
    const result: BlockResult = {
      txResults: [...INJECTED, ...txs].map(() => NO_RESULT),
      validatorUpdates: [],
      consensusParamUpdates: undefined,
      appHash: sha256(Buffer.from(`after ${index}`)),
      events: [],
    };
    state = advance(state, made, commit, result, signer.publicKey);
    const record = {
      height: state.height,
      hash: made.id.hash,
      signedHeader: encodeSignedHeader({ header: made.block.header, commit }),
      state: encodeState(state),
      results: encodeResults(result),
      block: made.bytes,
    };
    return { record, txHashes: made.txHashes };
  });
}

const NO_RESULT: TxResult = {
  code: 0,
  data: new Uint8Array(),
  log: '',
  info: '',
  gasWanted: 0n,
  gasUsed: 0n,
  events: [],
  codespace: '',
};

/** One after another, as the engine does. */
export async function appendAll(store: BlockStore, blocks: readonly NewBlock[]): Promise<void> {
  for (const block of blocks) await store.append([block]);
}

/** Everything that a store gives for a height, in hex. */
export function storedAt(store: BlockStore, height: bigint) {
  const hex = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('hex');
  return {
    signedHeader: hex(store.signedHeader(height)),
    state: hex(store.state(height)),
    results: hex(store.results(height)),
    block: hex(store.block(height)),
    meta: store.meta(height)?.blockBytes,
  };
}

/** The result that `storedAt` has to give. */
export function expectedAt({ record }: NewBlock): ReturnType<typeof storedAt> {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
  const { signedHeader, state, results, block } = record;
  const meta = block.length;
  return { signedHeader: hex(signedHeader), state: hex(state), results: hex(results), block: hex(block), meta };
}

/** Bytes up to the last page in use: behind it is space for further commits. */
export function usedBytes(path: string): number {
  const file = new PageFile(path);
  const { lastPage, pageSize } = file.meta();
  file.close();
  return (lastPage + 1) * pageSize;
}
