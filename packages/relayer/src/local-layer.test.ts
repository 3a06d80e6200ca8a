/** The relayer and the local layer over real sockets. Posted blocks are read back, with all proofs. */
import { brotliDecompressSync } from 'node:zlib';
import { createCelestiaReader, createCelestiaWriter, DaUnavailable } from '@switchyard/da';
import { type LocalLayer, startLocalLayer } from '@switchyard/da/testing';
import { decodePostedMetadata, fromHex } from '@switchyard/protocol';
import { celestiaAccountBytes, sequencerNamespace } from '@switchyard/protocol/celestia';
import { grpcTransport, silentLogger, systemClock } from '@switchyard/service';
import { eventually } from '@switchyard/service/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHAIN, getChain, MemoryStore, ROLLUP, startRelayer } from './testing/world.ts';

const { signal } = new AbortController();
const closers: (() => Promise<void> | void)[] = [];
let layer: LocalLayer;

beforeAll(async () => {
  layer = await startLocalLayer();
});
afterAll(async () => {
  for (const close of closers) await close();
  await layer.close();
});

const signer = () => {
  const [first] = layer.signers;
  if (first === undefined) throw new Error('no signer');
  return first;
};

function getWriter() {
  const url = layer.consensusNodeUrl;
  const transport = grpcTransport(url);
  closers.push(() => transport.close());
  return createCelestiaWriter({ url, signer: signer(), maxGasPrice: 10n ** 18n }, { transport });
}

/** Reads all blobs of the sequencer up to a height of the layer, with the authors of the blobs. */
async function readBack(last: bigint) {
  const header = await fetch(layer.lightNodeUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'header.GetByHeight', params: [1] }),
  });
  // The node of this test; the reader verifies its successors.
  const { result } = (await header.json()) as { result: { commit: { block_id: { hash: string } } } };
  const root = { chainId: 'local-da', height: 1n, hash: fromHex(result.commit.block_id.hash.toLowerCase()) };
  const reader = createCelestiaReader({ url: layer.lightNodeUrl, root }, { log: silentLogger });
  const posted = [];
  for (let height = 1n; height <= last; height++) {
    const { blobs } = await eventually(() =>
      reader.read(height, [sequencerNamespace(CHAIN)], signal).catch((error: unknown) => {
        if (error instanceof DaUnavailable) return undefined;
        throw error;
      }),
    );
    for (const { data, author } of blobs.flat()) {
      for (const metadata of decodePostedMetadata(brotliDecompressSync(data))) posted.push({ metadata, author });
    }
  }
  return posted;
}

test('what the relayer posts is in the layer, once, also when the layer ends in between', async () => {
  const [sequencer, store] = [getChain(5), new MemoryStore()];
  const options = { ...{ store, clock: systemClock, batchMs: 20 }, daChainId: 'local-da' };
  {
    await using relayer = startRelayer(sequencer, { writer: getWriter }, options);
    await relayer.reaches(5n);
    await layer.stop();
    sequencer.produce(ROLLUP, 'text 6');
    await eventually(() => relayer.progress.trouble);
    await layer.start();
    await relayer.reaches(6n);
    expect(relayer.progress.trouble).toBeUndefined();
  }
  sequencer.produce(ROLLUP, 'text 7');
  await using relayer = startRelayer(sequencer, { writer: getWriter }, options);
  await relayer.reaches(7n);
  const posted = await readBack(store.read()?.daHeight ?? 0n);
  expect(posted.map(({ metadata }) => metadata.header.height)).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n]);
  for (const { author } of posted) expect(author).toEqual(celestiaAccountBytes(signer().account));
});
