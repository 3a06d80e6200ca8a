/**
 * How much rollup data the relayer posts, and the cost: verifying, compressing, signing and sending to a local layer in
 * a process of its own. Usage: node packages/relayer/dist/testing/throughput.js [seconds] [megabytes per second]
 * [blocks per second] [transactions in flight]. Prints JSON.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeSequencer, getValidators, testSigner } from '@switchyard/client/testing';
import { createCelestiaWriter, type DaWriter } from '@switchyard/da';
import {
  decodeFilteredBlock,
  decodeSignedHeader,
  encodeFilteredBlock,
  encodeSignedHeader,
  rollupIdFromName,
} from '@switchyard/protocol';
import { createCelestiaSigner, formatCelestiaAddress } from '@switchyard/protocol/celestia';
import { grpcTransport, sleep, systemClock } from '@switchyard/service';
import { eventually, freePort } from '@switchyard/service/testing';
import type { SequencerSource } from '../reader.ts';
import { openStateStore } from '../store.ts';
import { CHAIN, startRelayer } from './world.ts';

const [seconds = 20, megabytes = 2, blocksPerSecond = 4, inFlight = 4] = process.argv.slice(2).map(Number);
const TEXT_BYTES = 120;
const WORDS = Array.from({ length: 2_000 }, () =>
  Array.from({ length: randomInt(2, 10) }, () => String.fromCharCode(randomInt(97, 123))).join(''),
);
const rollups = ['one', 'two', 'three'].map(rollupIdFromName);
const directory = mkdtempSync(join(tmpdir(), 'relayer-throughput-'));
const signer = createCelestiaSigner(new Uint8Array(32).fill(1));
const [api, grpc] = [await freePort(), await freePort()];

/** Words as people write them, with the signature that each text of the messenger has. */
function text(): Uint8Array {
  let words = '';
  while (words.length < TEXT_BYTES) words += `${WORDS[randomInt(WORDS.length)]} `;
  const bytes = new Uint8Array(TEXT_BYTES + 96);
  bytes.set(new TextEncoder().encode(words.slice(0, TEXT_BYTES)));
  for (let at = TEXT_BYTES; at < bytes.length; at++) bytes[at] = randomInt(256);
  return bytes;
}

/** A chain as bytes, which burden the memory of this process less than blocks do. */
async function encodedChain(blocks: number, texts: number) {
  const sequencer = new FakeSequencer(CHAIN);
  const [encoded, headers] = [[] as Uint8Array[], [] as Uint8Array[]];
  for (let height = 1n; height <= blocks; height++) {
    sequencer.produceBlock(new Map(rollups.map((id) => [id, Array.from({ length: texts }, text)])));
    const block = await sequencer.sequencerBlock(height);
    encoded.push(encodeFilteredBlock({ ...block, allRollupIds: block.rollups.map(({ rollup }) => rollup) }));
    headers.push(encodeSignedHeader(await sequencer.commit(height)));
  }
  return { blocks: encoded, headers };
}

/** Milliseconds that each call took, all together. */
const spent: Record<string, number> = {};
function timed(writer: DaWriter): DaWriter {
  const time = async <T>(name: string, work: Promise<T>): Promise<T> => {
    const start = systemClock.now();
    const result = await work;
    spent[name] = (spent[name] ?? 0) + systemClock.now() - start;
    return result;
  };
  return {
    ...writer,
    prepare: (blobs, signal) => time('prepare', writer.prepare(blobs, signal)),
    submit: (prepared, signal) => time('submit', writer.submit(prepared, signal)),
    outcome: (prepared, signal) => time('outcome', writer.outcome(prepared, signal)),
  };
}

const layer = spawn(process.execPath, [join(import.meta.dirname, '../../../da/dist/main.js')], {
  stdio: ['ignore', 'ignore', 'inherit'],
  env: {
    SVC_DA_API_LISTEN_ADDR: `127.0.0.1:${api}`,
    SVC_DA_GRPC_ADDR: `127.0.0.1:${grpc}`,
    SVC_DA_DB_FILEPATH: join(directory, 'layer'),
    SVC_DA_BLOCK_INTERVAL_MS: '300',
    SVC_DA_EMPTY_BLOCK_INTERVAL_MS: '300',
    SVC_DA_NO_METRICS: 'true',
    SVC_DA_LOG: 'warn',
    SVC_DA_GENESIS_ACCOUNTS: `${formatCelestiaAddress(signer.account)}:1000000000000`,
  },
});
try {
  const blocks = seconds * blocksPerSecond;
  const texts = Math.round((megabytes * 1e6) / blocksPerSecond / rollups.length / text().length);
  const bytes = blocks * texts * rollups.length * text().length;
  const chain = await encodedChain(blocks, texts);
  // The sequencer makes the blocks while time passes.
  const began = systemClock.now();
  const sequencer: SequencerSource = {
    genesisChainId: async () => CHAIN,
    latestHeight: async () =>
      BigInt(Math.min(blocks, Math.floor(((systemClock.now() - began) / 1_000) * blocksPerSecond))),
    sequencerBlock: async (height) => decodeFilteredBlock(chain.blocks[Number(height) - 1] ?? new Uint8Array()),
    commit: async (height) => decodeSignedHeader(chain.headers[Number(height) - 1] ?? new Uint8Array()),
    validators: async () => getValidators([testSigner(1)]),
    // biome-ignore lint/correctness/useYield: it has none.
    async *streamFilteredBlocks() {
      throw new Error('this sequencer does not push');
    },
  };
  const url = `http://127.0.0.1:${grpc}`;
  await eventually(() => fetch(`http://127.0.0.1:${api}/readyz`).then(({ ok }) => ok));
  const transport = grpcTransport(url);
  const store = openStateStore(join(directory, 'state'));
  const writer = () => timed(createCelestiaWriter({ url, signer, maxGasPrice: 10n ** 18n }, { transport }));
  const [cpu, from] = [process.cpuUsage(), systemClock.now()];
  {
    const options = { daChainId: 'local-da', clock: systemClock, batchMs: 6_000, pollIntervalMs: 100, inFlight };
    await using relayer = startRelayer(sequencer, { writer }, { ...options, keptIn: store });
    while ((relayer.progress.state?.next.height ?? 0n) <= BigInt(blocks)) await sleep(20);
    const { user, system } = process.cpuUsage(cpu);
    const elapsed = (systemClock.now() - from) / 1_000;
    const numbers = await relayer.metrics.text();
    const getNumber = (name: string) => Number(new RegExp(`^switchyard_relayer_${name} (.+)$`, 'm').exec(numbers)?.[1]);
    const posted = getNumber('posted_bytes_total');
    const measured = {
      seconds: elapsed,
      texts: blocks * texts * rollups.length,
      megabytesPerSecond: bytes / 1e6 / elapsed,
      cores: (user + system) / 1e6 / elapsed,
      cpuMsPerMegabyte: (user + system) / 1e3 / (bytes / 1e6),
      batches: getNumber('batches_posted_total'),
      postedPerByte: posted / bytes,
      callsMs: spent,
      feesUtia: getNumber('fees_utia_total'),
    };
    console.log(JSON.stringify(measured, undefined, 2));
  }
  await store.close();
  transport.close();
} finally {
  layer.kill();
  rmSync(directory, { recursive: true, force: true });
}
