import { readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { sequencerClient } from '@switchyard/client';
import { makeEmptyBlocks, type Network, until } from '../support/network.ts';
import { type Measure, type Row, repeated, row } from './measure.ts';
import { INSTANCE, withNetwork } from './network.ts';

/** Databases grow in steps, and the first ones are no rate: blocks made before the first measurement. */
const WARM_UP = 1_000;
/** The bytes of a block do not depend on its pace. */
const EMPTY_BLOCK_MS = 10;
/** Most that each idle block may cost the messenger's network. */
const GOAL_BYTES = 1_000;
/** Blocks of a network that is idle for longer than two hours, and those of its layer. */
const A_DAY = { blocks: 86_400 / 120, layerBlocks: 86_400 / 12 } as const;

interface Idle {
  readonly template: 'messenger' | 'messenger,evm';
  readonly layer?: 'local';
}

/** Bytes that one idle block adds to the files of every process, for the messenger alone and with the EVM rollup. */
const idle: Measure = async ({ runs, blocks, progress }) => {
  const rows: Row[] = [];
  for (const template of ['messenger', 'messenger,evm'] as const) {
    const found = new Map<string, number[]>();
    for (let run = 0; run < runs; run += 1) {
      const rates = await idleRates({ template }, WARM_UP, blocks);
      progress(`disk, ${template}: ${rates.map(([name, bytes]) => `${name} ${bytes.toFixed(0)}`).join(', ')}`);
      for (const [name, bytes] of rates) found.set(name, [...(found.get(name) ?? []), bytes]);
    }
    for (const [name, values] of found) {
      const goal = name === 'all' && template === 'messenger' ? `<= ${GOAL_BYTES}` : '';
      rows.push(row([`idle block, ${template}: ${name}`, 'bytes', goal], values));
    }
  }
  return rows;
};

export const disk = { idle };

/** Megabytes by which the files of a network with each service grow in a day without transactions, extrapolated from a short one. */
export const growth: Measure = async (options) => {
  const rows: Row[] = [];
  for (const layer of [undefined, 'local'] as const) {
    const services = `messenger, EVM, faucets, explorer${layer === undefined ? '' : ', layer'}`;
    const figures = { day: [`files of ${services}, growth in an idle day`, 'MB', '<= 20'] } as const;
    const measured = repeated(options, `growth, ${layer ?? 'no'} layer`, figures, async () => {
      const item = { template: 'messenger,evm', ...(layer && { layer }) } as const;
      const { all = 0, da = 0 } = Object.fromEntries(await idleRates(item, options.blocks, options.blocks));
      // At most: the layer's blocks of this run have ten times as much posted to them as those of a day.
      return { day: ((all - da) * A_DAY.blocks + da * A_DAY.layerBlocks) / 1e6 };
    });
    rows.push(...(await measured));
  }
  return rows;
};

/** A block of the sequencer for each one of the layer, and the shortest wait of a relayer. */
function makePace({ layer }: Idle) {
  if (layer === undefined) return { intervalMs: EMPTY_BLOCK_MS, settings: {} };
  const intervalMs = 12 * EMPTY_BLOCK_MS;
  const settings = {
    svc_relayer_batch_ms: '10',
    svc_da_block_interval_ms: '10',
    svc_da_empty_block_interval_ms: String(intervalMs),
  };
  return { intervalMs, settings };
}

/** Bytes that a block adds to each store, and to all of them in the last entry. */
function idleRates(item: Idle, warmUp: number, blocks: number) {
  const { intervalMs, settings } = makePace(item);
  const prepare = (network: Network) => makeEmptyBlocks(network, intervalMs);
  return withNetwork({ ...item, intervalMs: EMPTY_BLOCK_MS, settings, prepare }, async (network) => {
    const sequencer = sequencerClient({ rpcUrl: network.url('rpc'), grpcUrl: network.url('grpc'), timeoutMs: 10_000 });
    const before = await measuredAt(network, () => sequencer.latestHeight(), BigInt(warmUp));
    const after = await measuredAt(network, () => sequencer.latestHeight(), before.height + BigInt(blocks));
    const made = Number(after.height - before.height);
    const rates = [...after.bytes].map(
      ([name, bytes]) => [name, (bytes - (before.bytes.get(name) ?? 0)) / made] as const,
    );
    const all = ['all', rates.reduce((sum, [, rate]) => sum + rate, 0)] as const;
    return [...rates.filter(([, rate]) => rate >= 1), all];
  });
}

/** Stops the network, so that everything is written, and starts it again. */
async function measuredAt(network: Network, height: () => Promise<bigint>, least: bigint) {
  const seen = await until(
    `height ${least}`,
    async () => {
      const latest = await height();
      return latest >= least ? latest : undefined;
    },
    600_000,
  );
  await network.stop();
  const bytes = bytesByStore(join(network.home, INSTANCE));
  await network.start();
  // Blocks between the question and the end are too few to count.
  return { height: seen, bytes };
}

/** Length of all files, by the directory they are in. */
export function bytesByStore(instance: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const top of ['data', 'logs']) {
    for (const entry of readdirSync(join(instance, top), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const store = top === 'logs' ? 'logs' : relative(join(instance, top), entry.parentPath);
      found.set(store, (found.get(store) ?? 0) + (statSync(path, { throwIfNoEntry: false })?.size ?? 0));
    }
  }
  return found;
}
