import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { createCelestiaWriter } from '@switchyard/da';
import {
  decodePostedMetadata,
  encodePostedMetadata,
  encodePostedRollupData,
  fromHex,
  type PostedMetadata,
  rollupIdFromBytes,
} from '@switchyard/protocol';
import {
  createCelestiaSigner,
  formatCelestiaAddress,
  rollupNamespace,
  sequencerNamespace,
} from '@switchyard/protocol/celestia';
import { grpcTransport } from '@switchyard/service';
import { configure, layerAndRelayer } from '../support/da-processes.ts';
import { layerBlobs } from '../support/layer-blobs.ts';
import { createNetwork, type Network, until } from '../support/network.ts';
import { ask } from '../support/submitting.ts';
import { usage } from '../support/usage.ts';
import { INSTANCE } from './network.ts';

const CHAIN = 'sequencer-test-chain-0';
const BLOBS = 10_000;
/** Blobs of one transaction of the stranger. */
const AT_ONCE = 500;
const signal = new AbortController().signal;

/**
 * Processor time that a conductor takes for 10,000 blobs of a stranger in the namespaces that it reads, beyond what it takes
 * for as long without them.
 */
export async function floodedReader(seconds: number) {
  const listed = await flooded(seconds, {});
  const everybody = await flooded(seconds, { SVC_CONDUCTOR_CELESTIA_AUTHORS: '' });
  return { listed, everybody };
}

async function flooded(seconds: number, settings: Readonly<Record<string, string>>): Promise<number> {
  const network = await createNetwork({ instance: INSTANCE });
  const stranger = createCelestiaSigner(randomBytes(32));
  const place = { grpc: network.url('grpc'), rpc: network.url('rpc'), chainId: CHAIN };
  const posting = await layerAndRelayer(join(network.home, 'posting'), place, {
    [formatCelestiaAddress(stranger.account)]: 1_000_000_000_000n,
  });
  const transport = grpcTransport(posting.layerGrpc, { maxMessageBytes: 16 * 1_048_576 });
  try {
    await posting.layer.start();
    const env = { SVC_CONDUCTOR_EXECUTION_COMMIT_LEVEL: 'SoftAndFirm', ...(await posting.conductorEnv()), ...settings };
    configure(network, env);
    await network.start();
    await posting.relayer.start();
    await until('blocks are firm', async () => (await conductor(network)).firm > 5 || undefined);
    const pid = await network.pid('conductor');
    /** In a share of one processor, and how long it took: at least the given time. */
    const timed = async (work: () => Promise<unknown>) => {
      const [before, began] = [usage(pid).cpuSeconds, performance.now()];
      await Promise.all([work(), new Promise((resolve) => setTimeout(resolve, seconds * 1_000))]);
      const took = (performance.now() - began) / 1_000;
      return { took, share: (usage(pid).cpuSeconds - before) / took };
    };
    const quiet = () => timed(async () => undefined);
    const blobs = await foreignBlobs(network, posting.layer.url);
    const before = await quiet();
    const options = { url: posting.layerGrpc, signer: stranger, maxGasPrice: 10n ** 18n };
    const writer = createCelestiaWriter(options, { transport });
    const flood = await timed(async () => {
      let last = 0n;
      for (let from = 0; from < blobs.length; from += AT_ONCE) {
        const prepared = await writer.prepare(blobs.slice(from, from + AT_ONCE), signal);
        await writer.submit(prepared, signal);
        last = await until('it is included', async () => {
          const outcome = await writer.outcome(prepared, signal);
          return outcome.kind === 'included' ? outcome.height : undefined;
        });
      }
      await until('all was read', async () => (await conductor(network)).layerRead >= last || undefined, 60_000);
    });
    const { firm } = await conductor(network);
    await until('blocks are firm after it', async () => (await conductor(network)).firm > firm || undefined);
    // Code is compiled in the first minutes, and left-overs of a flood must not count as peace.
    const share = Math.min(before.share, (await quiet()).share);
    return (flood.share - share) * flood.took;
  } finally {
    transport.close();
    await posting.relayer.stop();
    await posting.layer.stop();
    await network.dispose();
  }
}

const conductor = async (network: Network) => (await ask(`${network.url('conductor')}/status`)).body;

/** A fifth each: noise, cut lists of blocks, blocks of other heights, data that no block has, and bombs. */
async function foreignBlobs(network: Network, layerUrl: string) {
  const { rollup: id } = await conductor(network);
  const rollup = rollupIdFromBytes(fromHex(id));
  const [metadata, data] = [sequencerNamespace(CHAIN), rollupNamespace(rollup)];
  const [blob] = (await layerBlobs({ url: layerUrl }, [metadata])).flatMap(({ blobs }) => blobs.flat());
  if (blob === undefined) throw new Error('nothing was posted');
  const [genuine] = decodePostedMetadata(brotliDecompressSync(blob.data));
  if (genuine === undefined) throw new Error('an empty list');
  return Array.from({ length: BLOBS }, (_, index) => {
    const kinds = [
      () => ({ namespace: index % 8 === 0 ? metadata : data, data: new Uint8Array(randomBytes(400)) }),
      () => ({ namespace: metadata, data: blob.data.slice(0, -1 - (index % 100)) }),
      () => ({ namespace: metadata, data: packed(encodePostedMetadata(ofHeight(genuine, BigInt(index)))) }),
      () => ({ namespace: data, data: packed(encodePostedRollupData({ ...forgedData(genuine, index), rollup })) }),
      () => ({ namespace: index % 2 === 0 ? metadata : data, data: BOMB }),
    ];
    const make = kinds[index % kinds.length];
    if (make === undefined) throw new Error('no kind');
    return make();
  });
}

/** Few bytes that become as many as may be opened. */
const BOMB = new Uint8Array(brotliCompressSync(Buffer.alloc(65_536)));

const packed = (list: Uint8Array) => new Uint8Array(brotliCompressSync(list));

/** Signed, and not by what it shows now. */
const ofHeight = (genuine: PostedMetadata, more: bigint): PostedMetadata => ({
  ...genuine,
  header: { ...genuine.header, height: genuine.header.height + 1n + more },
});

const forgedData = ({ hash, rollupIdsProof: proof }: PostedMetadata, index: number) => ({
  blockHash: index % 8 === 3 ? hash : new Uint8Array(randomBytes(32)),
  transactions: [new Uint8Array(randomBytes(100))],
  proof,
});
