import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { FakeSequencer } from '@switchyard/client/testing';
import { createCelestiaReader, createCelestiaWriter } from '@switchyard/da';
import { getSigner } from '@switchyard/da/testing';
import { signText } from '@switchyard/messenger/testing';
import {
  encodePostedMetadata,
  encodePostedRollupData,
  fromHex,
  postedMetadata,
  postedRollupData,
  rollupIdFromName,
} from '@switchyard/protocol';
import { namespaceFromId, payForBlobsGas, rollupNamespace, sequencerNamespace } from '@switchyard/protocol/celestia';
import { grpcTransport, silentLogger } from '@switchyard/service';
import { startDa } from '../support/da.ts';
import { root, run, until } from '../support/network.ts';
import { median } from '../support/statistics.ts';
import { ALICE, ASSET, ask, getNonce, post } from '../support/submitting.ts';
import { floodedReader } from './da-flood.ts';
import { type Measure, repeated } from './measure.ts';
import { withNetwork } from './network.ts';

const signal = new AbortController().signal;
const TEXTS = 15;

const FIGURES = {
  firm: { p50: ['executed to firm, p50', 's', '<= 2'] },
  relayer: {
    rate: ['rollup data posted', 'MB/s', '>= 2'],
    gain: ['the same, beside one transaction at a time', 'times'],
    cores: ['processor of the relayer', 'cores'],
    coresFor2: ['the same for 2 MB/s', 'cores', '<= 0.3'],
    posted: ['posted for a byte of rollup data', 'bytes', '<= 0.7'],
  },
  read: { cpu: ['verifying a height with 1 MB', 'CPU ms', '<= 120'] },
  flood: {
    listed: ['flood of 10,000 blobs, of others than the listed authors', 'CPU s', '<= 1'],
    everybody: ['the same, with blobs of everybody looked at', 'CPU s', '<= 1'],
  },
  fee: {
    ours: ['fee for 1,000 texts, one a block', 'utia'],
    reference: ['the same, as the reference encodes', 'utia'],
  },
} as const;

/** Posting, reading back and becoming firm, with the local layer. */
export const da: Record<keyof typeof FIGURES, Measure> = {
  firm: (options) => repeated(options, 'firm', FIGURES.firm, executedToFirm),
  relayer: (options) => repeated(options, 'relayer', FIGURES.relayer, () => relaying(options.seconds)),
  read: (options) => repeated(options, 'read', FIGURES.read, verifying),
  flood: (options) => repeated(options, 'flood', FIGURES.flood, () => floodedReader(options.seconds)),
  fee: (options) => repeated(options, 'fee', FIGURES.fee, fees),
};

async function executedToFirm() {
  return withNetwork({ layer: 'local' }, async (network) => {
    const url = network.url('rollup');
    const { chainId } = (await ask(`${url}/v1/status`)).body;
    const took: number[] = [];
    for (let each = 0; each < TEXTS; each += 1) {
      const nonce = await getNonce(url, ALICE);
      const bytes = signText({ nonce, chainId, text: `text ${each}`, from: 'alice', feeAsset: ASSET }, ALICE);
      const { body } = await post(`${url}/v1/transactions`, bytes);
      let executed: number | undefined;
      await until(
        'it is firm',
        async () => {
          const { state } = (await ask(`${url}/v1/transactions/${body.hash}`)).body;
          if (state === 'executed' || state === 'firm') executed ??= performance.now();
          return state === 'firm' || undefined;
        },
        60_000,
        20,
      );
      took.push((performance.now() - (executed ?? 0)) / 1_000);
    }
    return { p50: median(took) };
  });
}

async function relaying(seconds: number) {
  const program = join(root, 'packages/relayer/dist/testing/throughput.js');
  const measured = async (inFlight: number) => {
    const args = [seconds, 8, 8, inFlight].map(String);
    const { status, stdout, stderr } = await run(process.execPath, [program, ...args]);
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as { megabytesPerSecond: number; cores: number; postedPerByte: number };
  };
  const [one, several] = [await measured(1), await measured(4)];
  return {
    rate: several.megabytesPerSecond,
    gain: several.megabytesPerSecond / one.megabytesPerSecond,
    cores: several.cores,
    coresFor2: (2 * several.cores) / several.megabytesPerSecond,
    posted: several.postedPerByte,
  };
}

/** Processor time of this process, with the node in another. */
async function verifying() {
  const da = await startDa();
  const transport = grpcTransport(da.consensusNodeUrl, { maxMessageBytes: 16 * 1_048_576 });
  try {
    const namespace = namespaceFromId(new Uint8Array(10).fill(0x33));
    const options = { url: da.consensusNodeUrl, signer: getSigner(1), maxGasPrice: 10n ** 18n };
    const writer = createCelestiaWriter(options, { transport });
    const data = Uint8Array.from({ length: 1_000_000 }, (_, index) => (index * 2_654_435_761) >>> 13);
    const prepared = await writer.prepare([{ namespace, data }], signal);
    await writer.submit(prepared, signal);
    const height = await until('it is included', async () => {
      const outcome = await writer.outcome(prepared, signal);
      return outcome.kind === 'included' ? outcome.height : undefined;
    });
    const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'header.GetByHeight', params: [1] });
    const headers = { 'content-type': 'application/json' };
    const { header, commit } = (await ask(da.lightNodeUrl, { method: 'POST', headers, body: call })).body.result;
    const trusted = { chainId: header.chain_id, height: 1n, hash: fromHex(commit.block_id.hash.toLowerCase()) };
    const reader = createCelestiaReader({ url: da.lightNodeUrl, root: trusted }, { log: silentLogger });
    // The first ones are compiled.
    for (let warm = 0; warm < 5; warm += 1) await reader.read(height, [namespace], signal);
    const before = process.cpuUsage();
    const reads = 10;
    for (let each = 0; each < reads; each += 1) await reader.read(height, [namespace], signal);
    const { user, system } = process.cpuUsage(before);
    return { cpu: (user + system) / 1_000 / reads };
  } finally {
    transport.close();
    await da.close();
  }
}

const GAS = { gasPerBlobByte: 8n, txSizeCostPerByte: 10n };
const GAS_PRICE = 0.004;
/** Blocks in a transaction: 6 s of blocks of a second. */
const BATCH = 6;

/** Fees by the rule of gas: ours with authors and signed headers, six blocks together; theirs block by block. */
async function fees() {
  const rollup = rollupIdFromName('fees');
  const sequencer = new FakeSequencer('fees');
  const author = getSigner(1).account;
  const [metadata, data] = [sequencerNamespace('fees'), rollupNamespace(rollup)];
  const compressed = (parts: readonly Uint8Array[]) =>
    brotliCompressSync(Buffer.concat(parts), { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
  const computeGas = (first: readonly Uint8Array[], second: readonly Uint8Array[], by: typeof author | undefined) =>
    payForBlobsGas(
      [
        { namespace: metadata, data: compressed(first), author: by },
        { namespace: data, data: compressed(second), author: by },
      ],
      GAS,
    );
  let [own, theirs] = [0n, 0n];
  const blocks = 996;
  for (let first = 1; first <= blocks; first += BATCH) {
    const [ofMetadata, ofData]: [Uint8Array[], Uint8Array[]] = [[], []];
    for (let height = first; height < first + BATCH; height += 1) {
      const text = `a text of some forty characters, ${height}`;
      const signed = signText({ nonce: height, chainId: 'fees', text, from: 'alice', feeAsset: ASSET }, ALICE);
      sequencer.produceBlock(new Map([[rollup, [signed]]]));
      const block = await sequencer.sequencerBlock(BigInt(height));
      const commit = await sequencer.commit(BigInt(height));
      const lists = postedRollupData(block).map(encodePostedRollupData);
      ofData.push(...lists);
      ofMetadata.push(encodePostedMetadata(postedMetadata(block, commit)));
      const plain = encodePostedMetadata({ ...postedMetadata(block, commit), signed: undefined });
      theirs += computeGas([plain], lists, undefined);
    }
    own += computeGas(ofMetadata, ofData, author);
  }
  const perThousand = (gas: bigint) => (Number(gas) * GAS_PRICE * 1_000) / blocks;
  return { ours: perThousand(own), reference: perThousand(theirs) };
}
