import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ipcLink } from '@switchyard/evm/geth-testing';
import { configure } from '../support/da-processes.ts';
import { createGeth, type GethProcess, gethIsThere } from '../support/geth.ts';
import type { Network } from '../support/network.ts';
import { include, Senders } from './evm-load.ts';
import { withEndpoint } from './evm-pair.ts';
import { type Measure, type Options, row } from './measure.ts';
import { withNetwork } from './network.ts';

/** Blocks that one load came in. */
interface Segment {
  readonly first: number;
  readonly last: number;
  readonly rate: number;
}

const IMPORT_MS = 600_000;

/** Value transfers end to end over a stock geth, and the rate at which the same geth imports the same blocks alone. */
export const stock: Measure = async (options) => {
  if (!gethIsThere()) return [];
  const made: GethProcess[] = [];
  const start = async (genesis: string) => {
    const geth = await createGeth({ genesis, gasLimit: BigInt(JSON.parse(genesis).gasLimit) });
    made.push(geth);
    await geth.start();
    return geth;
  };
  const getGenesis = ({ home, instance }: Network) =>
    readFileSync(join(home, instance, 'config', 'evm_genesis.json'), 'utf8');
  const prepare = async (network: Network) => {
    const { ipc } = await start(getGenesis(network));
    configure(network, { svc_evm_backend: 'stock', svc_evm_stock_ipc_path: ipc });
  };
  try {
    return await withNetwork({ template: 'evm', prepare }, async (network) => {
      const [geth] = made;
      if (geth === undefined) throw new Error('no geth was started');
      const segments = await load(network, options);
      await network.stop();
      const files = await exported(geth, segments);
      await geth.stop();
      const alone = await imported(await start(getGenesis(network)), files, options);
      const own = segments.map(({ rate }) => rate);
      const ratio = own.map((rate, index) => rate / (alone[index] ?? Number.NaN));
      return [
        row(['value transfers over stock geth, sent to included', 'tx/s'], own),
        row(['the same blocks imported by that geth alone', 'tx/s'], alone),
        row(['stock geth, end to end / import alone', 'ratio', '>= 0.4'], ratio),
      ];
    });
  } finally {
    for (const geth of made) await geth.dispose();
  }
};

function load(network: Network, { runs, transactions, progress }: Options): Promise<Segment[]> {
  return withEndpoint(network.url('evm'), async (node) => {
    const senders = new Senders();
    for (const first of [senders.funding(), senders.transfers(transactions)]) await include(node, first);
    const segments: Segment[] = [];
    for (let run = 0; run < runs; run += 1) {
      const transfers = senders.transfers(transactions);
      const first = (await node.blockNumber()) + 1;
      const rate = await include(node, transfers);
      segments.push({ first, last: await node.blockNumber(), rate });
      progress(`stock geth: ${rate.toFixed(0)}/s end to end`);
    }
    return segments;
  });
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
  { transactions, progress }: Options,
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
