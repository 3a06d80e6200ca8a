import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@switchyard/service/testing';
import { type Anvil, startAnvil } from '../support/anvil.ts';
import { CHAIN_ID, cast, devAddress, devKey } from '../support/evm.ts';
import { createNetwork, type Network } from '../support/network.ts';
import { tool } from '../support/tools.ts';
import { Endpoint } from './evm-endpoint.ts';
import { hostileCalls } from './evm-hostile-calls.ts';
import { latencyRows } from './evm-latency.ts';
import { include, type Load, Senders } from './evm-load.ts';
import { readyWithBlocks } from './evm-stored.ts';
import { waits } from './evm-waits.ts';
import { usage } from './processes.ts';
import { median, type Row } from './statistics.ts';

export interface EvmOptions {
  readonly runs: number;
  /** Transactions of one throughput run. */
  readonly transactions: number;
  /** Transactions of the run that looks at memory. */
  readonly longRun: number;
  /** After it, of the same run. */
  readonly calls: number;
  /** Stored before the start that is measured. */
  readonly blocks: number;
  /** Length of one load, where questions wait beside it. */
  readonly seconds: number;
  /** Names of the parts that run: `transfers`, `tokens`, `latency`, `idle`, `stored`, `waits`, `memory`. */
  readonly only: ReadonlySet<string>;
  readonly progress: (text: string) => void;
}

/**
 * Both have blocks of the same gas, and one block a second: ten times as much as new instances have, since the usual
 * 100 million hold no more than 4,761 transfers or about 2,900 of a token, and both nodes are faster than that.
 */
const GAS_LIMIT = 1_000_000_000;

const ONE_SECOND = { anvilArgs: ['--block-time', '1'] };

interface Pair {
  readonly network: Network;
  readonly ours: Endpoint;
  readonly anvil: Endpoint;
  readonly nodes: readonly Endpoint[];
}

/** A network of ours and an anvil with the same accounts, disposed of after `use`. */
async function withPair<T>(
  { anvilArgs = [] as readonly string[], intervalMs = undefined as number | undefined },
  use: (pair: Pair) => Promise<T>,
): Promise<T> {
  const network = await createNetwork({ instance: 'bench', init: ['--template', 'evm'] });
  let other: Anvil | undefined;
  let nodes: Endpoint[] = [];
  try {
    if (intervalMs !== undefined) {
      const pace = ['dev', 'setconfig', 'blockinterval', String(intervalMs), '--instance', 'bench'];
      const { status, stderr } = await network.switchyard(...pace);
      if (status !== 0) throw new Error(stderr);
    }
    const genesis = join(network.home, network.instance, 'config', 'evm_genesis.json');
    const gasLimit = `0x${GAS_LIMIT.toString(16)}`;
    writeFileSync(genesis, JSON.stringify({ ...JSON.parse(readFileSync(genesis, 'utf8')), gasLimit }));
    const port = await freePort();
    const chain = ['--chain-id', String(CHAIN_ID), '--gas-limit', String(GAS_LIMIT)];
    [other] = await Promise.all([startAnvil(port, ...chain, ...anvilArgs), network.start()]);
    const [ours, anvil] = [new Endpoint('ours', network.url('evm')), new Endpoint('anvil', other.url)];
    nodes = [ours, anvil];
    return await use({ network, ours, anvil, nodes });
  } finally {
    for (const node of nodes) node.close();
    await other?.stop();
    await network.dispose();
  }
}

const SERVICES = ['sequencer', 'composer', 'conductor', 'evm'] as const;

/** Processor time that our processes have used so far. */
function processorSeconds(pids: readonly number[]): readonly number[] {
  return pids.map((pid) => usage(pid).cpuSeconds);
}

/** One load after another on both nodes, each run in the other order than the one before. */
async function rates({ nodes, network }: Pair, options: EvmOptions, what: string, next: () => Load) {
  const found = new Map(nodes.map(({ name }) => [name, [] as number[]]));
  const pids = await Promise.all(SERVICES.map((service) => network.pid(service)));
  // Loading, compiling and connecting for the first time is not to be measured.
  const first = next();
  for (const node of nodes) await include(node, first);
  for (let run = 0; run < options.runs; run += 1) {
    const load = next();
    for (const node of run % 2 === 0 ? nodes : [...nodes].reverse()) {
      const before = processorSeconds(pids);
      const rate = await include(node, load);
      const after = processorSeconds(pids);
      found.get(node.name)?.push(rate);
      const spent = SERVICES.map(
        (service, at) => `${service} ${((after[at] ?? 0) - (before[at] ?? 0)).toFixed(1)}`,
      ).join(', ');
      options.progress(`${what}, ${node.name}: ${rate.toFixed(0)}/s; processor seconds of ours: ${spent}`);
    }
  }
  const [ours = [], anvil = []] = ['ours', 'anvil'].map((name) => found.get(name));
  return { ours, anvil, ratio: ours.map((rate, index) => rate / (anvil[index] ?? Number.NaN)) };
}

async function transfers(options: EvmOptions): Promise<Row[]> {
  return withPair(ONE_SECOND, async (pair) => {
    const senders = new Senders();
    const coins = senders.funding();
    for (const node of pair.nodes) await include(node, coins);
    const load = () => senders.transfers(options.transactions);
    const { ours, anvil, ratio } = await rates(pair, options, 'transfers', load);
    return [
      { name: 'value transfers, sent to included', unit: 'tx/s', goal: '', runs: ours },
      { name: 'the same at anvil, 1 s blocks', unit: 'tx/s', goal: '', runs: anvil },
      { name: 'value transfers, ours / anvil', unit: 'ratio', goal: '>= 1.2', runs: ratio },
    ];
  });
}

async function tokens(options: EvmOptions): Promise<Row[]> {
  return withPair(ONE_SECOND, async (pair) => {
    const senders = new Senders();
    const [coins, token] = [senders.funding(), await senders.tokenFunding()];
    for (const node of pair.nodes) for (const load of [coins, token]) await include(node, load);
    const load = () => senders.tokenTransfers(options.transactions);
    const { ours, anvil, ratio } = await rates(pair, options, 'tokens', load);
    return [
      { name: 'ERC-20 transfers, sent to included', unit: 'tx/s', goal: '>= 500', runs: ours },
      { name: 'the same at anvil, 1 s blocks', unit: 'tx/s', goal: '', runs: anvil },
      { name: 'ERC-20 transfers, ours / anvil', unit: 'ratio', goal: '>= 1', runs: ratio },
    ];
  });
}

/** In the rhythm of a person: the network has been idle before each. */
async function idle({ runs, progress }: EvmOptions): Promise<Row[]> {
  const network = await createNetwork({ instance: 'bench', init: ['--template', 'evm'] });
  const seconds: number[] = [];
  try {
    await network.start();
    const send = () => cast(network, 'send', devAddress(1), '--value', '1', '--private-key', devKey(0));
    await send();
    for (let run = 0; run < runs; run += 1) {
      await new Promise((resolve) => setTimeout(resolve, 2_000 + Math.random() * 2_000));
      const start = performance.now();
      const { status, stderr } = await send();
      if (status !== 0) throw new Error(stderr);
      seconds.push((performance.now() - start) / 1_000);
      progress(`idle: cast send to receipt in ${seconds.at(-1)?.toFixed(2)} s`);
    }
  } finally {
    await network.dispose();
  }
  return [{ name: 'cast send to receipt, idle network', unit: 's', goal: '<= 1.5', runs: seconds }];
}

async function stored({ runs, blocks, progress }: EvmOptions): Promise<Row[]> {
  const seconds = await readyWithBlocks({ runs, blocks, progress });
  return [{ name: `EVM node ready, ${blocks} blocks stored`, unit: 's', goal: '<= 3', runs: seconds }];
}

async function latency(options: EvmOptions): Promise<Row[]> {
  // A thousand blocks are to be made, of which each waits for the one before.
  return withPair({ intervalMs: 10 }, (pair) => latencyRows(pair, options));
}

const PARTS = 10;

const MEMORY_GOAL = '<= 400';

/** Memory of the EVM node after each tenth of a long run, and of many hostile calls after it: flat when no tenth has more. */
async function memory({ longRun, calls, progress }: EvmOptions): Promise<Row[]> {
  const network = await createNetwork({ instance: 'bench', init: ['--template', 'evm'] });
  const node = new Endpoint('ours', network.url('evm'));
  try {
    await network.start();
    const pid = await network.pid('evm');
    const inTenths = async (what: string, total: number, run: (count: number) => Promise<void>): Promise<Row[]> => {
      const held: number[] = [];
      const rates: number[] = [];
      for (let part = 1; part <= PARTS; part += 1) {
        const start = performance.now();
        await run(total / PARTS);
        rates.push(total / PARTS / ((performance.now() - start) / 1_000));
        const { privateMiB, residentMiB } = usage(pid);
        held.push(privateMiB);
        const mib = `${privateMiB.toFixed(0)} MiB private, ${residentMiB.toFixed(0)} resident`;
        progress(`memory: ${mib} after ${(part * total) / PARTS} ${what}, ${rates.at(-1)?.toFixed(0)} a second`);
      }
      const middle = median(held.slice(PARTS / 2 - 2, PARTS / 2 + 1));
      const last = held.slice(-3).map((at) => at / middle);
      return [
        { name: `private memory of the EVM node over ${total} ${what}`, unit: 'MiB', goal: MEMORY_GOAL, runs: held },
        { name: `${what}: the last tenths / those in the middle`, unit: 'ratio', goal: '<= 1.2', runs: last },
        { name: `${what}, signing included`, unit: '1/s', goal: '', runs: rates },
      ];
    };
    const senders = new Senders();
    await include(node, senders.funding());
    const transfers = await inTenths('transfers', longRun, async (count) => {
      // Signing takes as long as sending, and all of it at once would be a gigabyte here.
      for (let left = count; left > 0; left -= 20_000) await include(node, senders.transfers(Math.min(left, 20_000)));
    });
    return [...transfers, ...(await inTenths('hostile calls', calls, hostileCalls(node)))];
  } finally {
    node.close();
    await network.dispose();
  }
}

/** @returns `undefined` when the programs of others that it needs are not installed. */
export async function evmRows(options: EvmOptions): Promise<Row[] | undefined> {
  if (!existsSync(tool('anvil'))) return undefined;
  const measures = { transfers, tokens, latency, idle, stored, waits, memory };
  const rows: Row[] = [];
  for (const [name, measure] of Object.entries(measures)) {
    if (options.only.has(name)) rows.push(...(await measure(options)));
  }
  return rows;
}
