import { createNetwork, type Network } from '../support/network.ts';
import { quantile } from '../support/statistics.ts';
import { treeUsage } from '../support/usage.ts';
import { growth } from './disk.ts';
import { pause, sustain } from './load.ts';
import { type Figure, type Measure, type Options, type Row, repeated, seconds } from './measure.ts';
import { latencies, THROUGHPUT_INTERVAL_MS } from './messenger.ts';
import { INSTANCE, type NetworkOptions, withNetwork } from './network.ts';

/** Values of one network; if each service is a process of its own, the goals may be others. */
type Values<K extends string> = Readonly<Record<K, number>>;
type Figures<K extends string> = Readonly<
  Record<K, readonly [name: string, unit: string, one: string, several: string]>
>;

/** Measures a network of each mode in every run, in turn. */
async function inBoth<K extends string>(
  options: Options,
  what: string,
  figures: Figures<K>,
  once: (hasProcesses: boolean) => Promise<Values<K>>,
): Promise<readonly Row[]> {
  const modes = [false, true].map((hasProcesses) => {
    const mode = hasProcesses ? 'processes' : 'one process';
    // The keys are those of the figures.
    const own = Object.fromEntries(
      Object.entries<Figures<K>[K]>(figures).map(([key, [name, unit, one, several]]): [string, Figure] => [
        key,
        [`${name}, ${mode}`, unit, hasProcesses ? several : one],
      ]),
    ) as Record<K, Figure>;
    return { what: `${what}, ${mode}`, own, once: () => once(hasProcesses), rows: [] as Row[][] };
  });
  for (let run = 0; run < options.runs; run += 1) {
    for (const mode of modes) mode.rows.push(await repeated({ ...options, runs: 1 }, mode.what, mode.own, mode.once));
  }
  return modes.flatMap(({ rows: [first = [], ...others] }) =>
    first.map((row, index) => ({
      ...row,
      runs: [row, ...others.map((each) => each[index])].flatMap((each) => each?.runs ?? []),
    })),
  );
}

const ready: Measure = (options) => {
  const figures = { start: ['dev run to ready, messenger, 8 services', 's', '<= 1', '<= 2.5'] } as const;
  return inBoth(options, 'ready', figures, async (hasProcesses) => {
    const network = await createNetwork({ instance: INSTANCE, hasProcesses, init: ['--data-availability', 'local'] });
    try {
      return { start: await seconds(() => network.start()) };
    } finally {
      await network.dispose();
    }
  });
};

const latency: Measure = async (options) => {
  const quiet = {
    p50: ['text submitted to readable, idle, p50', 'ms', '<= 6', ''],
    p99: ['the same, p99', 'ms', '<= 20', ''],
  } as const;
  const busy = {
    p50: ['the same at 500 texts/s, 10 ms blocks, p50', 'ms', '<= 12', '<= 30'],
    p99: ['the same at 500 texts/s, 10 ms blocks, p99', 'ms', '<= 40', '<= 90'],
  } as const;
  const measured = (item: NetworkOptions, count: number, everyMs: () => number) =>
    withNetwork(item, async (network) => {
      const seen = await latencies(network, { count, everyMs });
      return { p50: quantile(seen, 0.5), p99: quantile(seen, 0.99) };
    });
  return [
    ...(await inBoth(options, 'latency, idle', quiet, (hasProcesses) =>
      measured({ hasProcesses }, 20, () => 1_500 + Math.random() * 1_000),
    )),
    ...(await inBoth(options, 'latency, 500 texts/s', busy, (hasProcesses) =>
      measured({ hasProcesses, intervalMs: 10 }, 5_000, () => 2),
    )),
  ];
};

const throughput: Measure = (options) => {
  const figures = { texts: ['texts submitted to executed', 'texts/s', '', '>= 7600'] } as const;
  return inBoth(options, 'throughput', figures, (hasProcesses) =>
    withNetwork({ hasProcesses, intervalMs: THROUGHPUT_INTERVAL_MS }, async (network) => ({
      texts: (await sustain(network, { seconds: options.seconds })).textsPerSecond,
    })),
  );
};

/** Usage of all processes of an idle network, from ten seconds after its start. */
async function idle(network: Network, idleSeconds: number) {
  await pause(10_000);
  const before = treeUsage(network.toolPid() ?? 0);
  await pause(idleSeconds * 1_000);
  const after = treeUsage(network.toolPid() ?? 0);
  return {
    memory: after.proportionalMiB,
    cpu: (100 * (after.cpuSeconds - before.cpuSeconds)) / idleSeconds,
  };
}

const resting: Measure = async (options) => {
  const figures = {
    memory: ['memory (PSS) of messenger, EVM, faucets, explorer', 'MiB', '<= 220', ''],
    cpu: ['the same, idle, share of a core', '%', '<= 2', ''],
  } as const;
  return inBoth(options, 'at rest', figures, (hasProcesses) =>
    withNetwork({ hasProcesses, template: 'messenger,evm', layer: 'local' }, (network) =>
      idle(network, options.seconds),
    ),
  );
};

/** A network whose services share a process, alongside one with a process for each. */
export const network = { ready, latency, throughput, resting, growth };
