import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ipcLink } from '@switchyard/evm/geth-testing';
import { createGeth, type GethProcess, gethIsThere } from '../support/geth.ts';
import { createNetwork, type Network } from '../support/network.ts';
import type { EvmOptions } from './evm.ts';
import { Endpoint } from './evm-endpoint.ts';
import { include, Senders } from './evm-load.ts';
import type { Row } from './statistics.ts';

/** Blocks that one load came in. */
interface Segment {
  readonly first: number;
  readonly last: number;
  readonly rate: number;
}

const IMPORT_MS = 600_000;

/** Value transfers end to end over a stock geth, and what the same geth takes to import the same blocks alone. */
export async function gethRows(options: EvmOptions): Promise<Row[]> {
  if (!gethIsThere()) return [];
  const made: GethProcess[] = [];
  let network: Network | undefined;
  try {
    network = await createNetwork({ instance: 'bench', init: ['--template', 'evm'] });
    const config = join(network.home, network.instance, 'config');
    const genesis = readFileSync(join(config, 'evm_genesis.json'), 'utf8');
    const gasLimit = BigInt(JSON.parse(genesis).gasLimit);
    const geth = await createGeth({ genesis, gasLimit });
    made.push(geth);
    await geth.start();
    const settings = `svc_evm_backend = "stock"\nsvc_evm_stock_ipc_path = "${geth.ipc}"\n`;
    appendFileSync(join(config, 'base-config.toml'), settings);
    await network.start();
    const segments = await load(new Endpoint('ours', network.url('evm')), options);
    await network.stop();
    const files = await exported(geth, segments);
    await geth.stop();
    const alone = await createGeth({ genesis, gasLimit });
    made.push(alone);
    await alone.start();
    return rowsOf(segments, await imported(alone, files, options));
  } finally {
    await network?.dispose();
    for (const geth of made) await geth.dispose();
  }
}

async function load(node: Endpoint, { runs, transactions, progress }: EvmOptions): Promise<Segment[]> {
  const senders = new Senders();
  await include(node, senders.funding());
  await include(node, senders.transfers(transactions));
  const segments: Segment[] = [];
  for (let run = 0; run < runs; run += 1) {
    const transfers = senders.transfers(transactions);
    const first = (await node.blockNumber()) + 1;
    const rate = await include(node, transfers);
    segments.push({ first, last: await node.blockNumber(), rate });
    progress(`stock geth: ${rate.toFixed(0)}/s end to end`);
  }
  node.close();
  return segments;
}

/** A file of blocks before each segment, and one with it. */
async function exported(geth: GethProcess, segments: readonly Segment[]): Promise<[before: string, file: string][]> {
  const link = ipcLink(geth.ipc, { timeoutMs: IMPORT_MS });
  const files: [string, string][] = [];
  let next = 1;
  for (const [index, { first, last }] of segments.entries()) {
    const names = [`before-${index}.rlp`, `segment-${index}.rlp`].map((name) => join(geth.home, name));
    const [before = '', file = ''] = names;
    await link.call('admin_exportChain', [before, next, first - 1]);
    await link.call('admin_exportChain', [file, first, last]);
    files.push([before, file]);
    next = last + 1;
  }
  link.close();
  return files;
}

/** Transactions per second of each segment. */
async function imported(
  geth: GethProcess,
  files: readonly (readonly [before: string, file: string])[],
  { transactions, progress }: EvmOptions,
): Promise<number[]> {
  const link = ipcLink(geth.ipc, { timeoutMs: IMPORT_MS });
  const rates: number[] = [];
  for (const [before, file] of files) {
    await link.call('admin_importChain', [before]);
    const start = performance.now();
    await link.call('admin_importChain', [file]);
    rates.push(transactions / ((performance.now() - start) / 1_000));
    progress(`geth alone: ${rates.at(-1)?.toFixed(0)}/s imported`);
  }
  link.close();
  return rates;
}

function rowsOf(segments: readonly Segment[], alone: readonly number[]): Row[] {
  const ours = segments.map(({ rate }) => rate);
  const ratio = ours.map((rate, index) => rate / (alone[index] ?? Number.NaN));
  return [
    { name: 'value transfers over stock geth, sent to included', unit: 'tx/s', goal: '', runs: ours },
    { name: 'the same blocks imported by that geth alone', unit: 'tx/s', goal: '', runs: alone },
    { name: 'stock geth, end to end / import alone', unit: 'ratio', goal: '>= 0.4', runs: ratio },
  ];
}
