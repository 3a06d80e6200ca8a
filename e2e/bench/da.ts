import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { FakeSequencer } from '@switchyard/client/testing';
import { createCelestiaReader, createCelestiaWriter } from '@switchyard/da';
import { signerOf } from '@switchyard/da/testing';
import { signText } from '@switchyard/messenger/client';
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
import { createNetwork, root, run, until } from '../support/network.ts';
import { ALICE, ASSET, ask, nonceOf, post } from '../support/submitting.ts';
import { floodedReader } from './da-flood.ts';
import { median, type Row } from './statistics.ts';

export interface DaOptions {
  readonly runs: number;
  readonly seconds: number;
  readonly only: ReadonlySet<string>;
  readonly progress: (text: string) => void;
}

const signal = new AbortController().signal;
const TEXTS = 15;

/** Posting, reading back and becoming firm, with the local layer. */
export async function daRows({ runs, seconds, only, progress }: DaOptions): Promise<Row[]> {
  const rows: Row[] = [];
  const measure = async (
    part: string,
    goals: Readonly<Record<string, readonly [string, string]>>,
    work: () => Promise<Readonly<Record<string, number>>>,
  ) => {
    if (!only.has(part)) return;
    const found: Record<string, number>[] = [];
    for (let each = 0; each < runs; each += 1) {
      found.push(await work());
      progress(`da, ${part}: ${JSON.stringify(found.at(-1))}`);
    }
    for (const [name, [unit, goal]] of Object.entries(goals)) {
      rows.push({ name, unit, goal, runs: found.map((values) => values[name] ?? Number.NaN) });
    }
  };
  await measure('firm', { 'executed to firm, p50': ['s', '<= 2'] }, executedToFirm);
  await measure(
    'relayer',
    {
      'rollup data posted': ['MB/s', '>= 2'],
      'the same, beside one transaction at a time': ['times', ''],
      'processor of the relayer': ['cores', ''],
      'the same for 2 MB/s': ['cores', '<= 0.3'],
      'posted for a byte of rollup data': ['bytes', '<= 0.7'],
    },
    () => relaying(seconds),
  );
  await measure('read', { 'verifying a height with 1 MB': ['CPU ms', '<= 120'] }, verifying);
  await measure(
    'flood',
    {
      'flood of 10,000 blobs, of others than the listed authors': ['CPU s', '<= 1'],
      'the same, with blobs of everybody looked at': ['CPU s', '<= 1'],
    },
    () => floodedReader(seconds),
  );
  await measure(
    'fee',
    {
      'fee for 1,000 texts, one a block': ['utia', ''],
      'the same, as the reference encodes': ['utia', ''],
    },
    fees,
  );
  return rows;
}

async function executedToFirm() {
  const network = await createNetwork({ instance: 'bench', init: ['--data-availability', 'local'] });
  try {
    await network.start();
    const url = network.url('rollup');
    const { chainId } = (await ask(`${url}/v1/status`)).body;
    const took: number[] = [];
    for (let each = 0; each < TEXTS; each += 1) {
      const nonce = await nonceOf(url, ALICE);
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
    return { 'executed to firm, p50': median(took) };
  } finally {
    await network.dispose();
  }
}

async function relaying(seconds: number) {
  const program = join(root, 'packages/relayer/dist/testing/throughput.js');
  const measured = async (inFlight: number) => {
    const { status, stdout, stderr } = await run(process.execPath, [
      program,
      String(seconds),
      '8',
      '8',
      String(inFlight),
    ]);
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as { megabytesPerSecond: number; cores: number; postedPerByte: number };
  };
  const [one, several] = [await measured(1), await measured(4)];
  return {
    'rollup data posted': several.megabytesPerSecond,
    'the same, beside one transaction at a time': several.megabytesPerSecond / one.megabytesPerSecond,
    'processor of the relayer': several.cores,
    'the same for 2 MB/s': (2 * several.cores) / several.megabytesPerSecond,
    'posted for a byte of rollup data': several.postedPerByte,
  };
}

/** Processor time of this process, with the node in another. */
async function verifying() {
  const da = await startDa();
  const transport = grpcTransport(da.consensusNodeUrl, { maxMessageBytes: 16 * 1_048_576 });
  try {
    const namespace = namespaceFromId(new Uint8Array(10).fill(0x33));
    const options = { url: da.consensusNodeUrl, signer: signerOf(1), maxGasPrice: 10n ** 18n };
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
    return { 'verifying a height with 1 MB': (user + system) / 1_000 / reads };
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
  const author = signerOf(1).account;
  const [metadata, data] = [sequencerNamespace('fees'), rollupNamespace(rollup)];
  const compressed = (parts: readonly Uint8Array[]) =>
    brotliCompressSync(Buffer.concat(parts), { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
  let [ours, theirs] = [0n, 0n];
  const blocks = 996;
  for (let first = 1; first <= blocks; first += BATCH) {
    const [ofMetadata, ofData]: [Uint8Array[], Uint8Array[]] = [[], []];
    for (let height = first; height < first + BATCH; height += 1) {
      const text = signText(
        {
          nonce: height,
          chainId: 'fees',
          text: `a text of some forty characters, ${height}`,
          from: 'alice',
          feeAsset: ASSET,
        },
        ALICE,
      );
      sequencer.produceBlock(new Map([[rollup, [text]]]));
      const block = await sequencer.sequencerBlock(BigInt(height));
      const signed = await sequencer.commit(BigInt(height));
      const lists = postedRollupData(block).map(encodePostedRollupData);
      ofData.push(...lists);
      ofMetadata.push(encodePostedMetadata(postedMetadata(block, signed)));
      const plain = encodePostedMetadata({ ...postedMetadata(block, signed), signed: undefined });
      theirs += payForBlobsGas(
        [
          { namespace: metadata, data: compressed([plain]), author: undefined },
          { namespace: data, data: compressed(lists), author: undefined },
        ],
        GAS,
      );
    }
    ours += payForBlobsGas(
      [
        { namespace: metadata, data: compressed(ofMetadata), author },
        { namespace: data, data: compressed(ofData), author },
      ],
      GAS,
    );
  }
  const perThousand = (gas: bigint) => (Number(gas) * GAS_PRICE * 1_000) / blocks;
  return {
    'fee for 1,000 texts, one a block': perThousand(ours),
    'the same, as the reference encodes': perThousand(theirs),
  };
}
