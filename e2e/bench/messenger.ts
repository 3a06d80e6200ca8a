import { createNetwork, type Network } from '../support/network.ts';
import { signatureRate } from './baseline.ts';
import { bytesPerSecond } from './bytes.ts';
import { latencies } from './latency.ts';
import { SERVICES, usageOf } from './processes.ts';
import { median, quantile, type Row } from './statistics.ts';
import { sustain } from './throughput.ts';

export interface MessengerOptions {
  readonly runs: number;
  readonly seconds: number;
  readonly only: ReadonlySet<string>;
  readonly progress: (text: string) => void;
}

/** A running network with the given block interval, disposed of after `use`. */
async function withNetwork<T>(intervalMs: number | undefined, use: (network: Network) => Promise<T>): Promise<T> {
  const network = await createNetwork({ instance: 'bench' });
  try {
    if (intervalMs !== undefined) {
      const { status, stderr } = await network.switchyard(
        'dev',
        'setconfig',
        'blockinterval',
        String(intervalMs),
        '--instance',
        'bench',
      );
      if (status !== 0) throw new Error(stderr);
    }
    await network.start();
    return await use(network);
  } finally {
    await network.dispose();
  }
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await action();
  return (performance.now() - start) / 1000;
}

async function ready({ runs, progress }: MessengerOptions): Promise<Row[]> {
  const seconds: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const network = await createNetwork({ instance: 'bench' });
    seconds.push(await timed(() => network.start()));
    await network.dispose();
    progress(`ready: ${seconds.at(-1)?.toFixed(2)} s`);
  }
  return [{ name: 'dev run to ready, new instance', unit: 's', goal: '<= 5', runs: seconds }];
}

const RESTART_BLOCKS = 10_000;

async function restart({ runs, progress }: MessengerOptions): Promise<Row[]> {
  return withNetwork(10, async (network) => {
    progress(`restart: making ${RESTART_BLOCKS} blocks`);
    await sustain(network, { seconds: 3600, untilBlocks: RESTART_BLOCKS, textsPerSecond: 200 });
    const seconds: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      await network.stop();
      seconds.push(await timed(() => network.start()));
      progress(`restart: ${seconds.at(-1)?.toFixed(2)} s`);
    }
    return [{ name: `dev run to ready, ${RESTART_BLOCKS} blocks stored`, unit: 's', goal: '<= 10', runs: seconds }];
  });
}

async function latency({ runs, progress }: MessengerOptions): Promise<Row[]> {
  const idle: number[] = [];
  const busy50: number[] = [];
  const busy99: number[] = [];
  await withNetwork(undefined, async (network) => {
    for (let run = 0; run < runs; run += 1) {
      const seen = await latencies(network, { count: 20, everyMs: () => 1_500 + Math.random() * 2_000 });
      idle.push(quantile(seen, 0.5));
      progress(`latency, idle: p50 ${idle.at(-1)?.toFixed(1)} ms, worst ${Math.max(...seen).toFixed(1)} ms`);
    }
  });
  await withNetwork(10, async (network) => {
    for (let run = 0; run < runs; run += 1) {
      const seen = await latencies(network, { count: 5_000, everyMs: () => 2 });
      busy50.push(quantile(seen, 0.5));
      busy99.push(quantile(seen, 0.99));
      progress(`latency, 500 texts/s: p50 ${busy50.at(-1)?.toFixed(1)} ms, p99 ${busy99.at(-1)?.toFixed(1)} ms`);
    }
  });
  return [
    { name: 'text submitted to readable, idle, p50', unit: 'ms', goal: '<= 100', runs: idle },
    { name: 'the same at 500 texts/s, 10 ms blocks, p50', unit: 'ms', goal: '<= 30', runs: busy50 },
    { name: 'the same at 500 texts/s, 10 ms blocks, p99', unit: 'ms', goal: '<= 100', runs: busy99 },
  ];
}

/** Block interval of the throughput runs: longer blocks cost less each, and latency is not what is measured. */
const THROUGHPUT_INTERVAL_MS = 100;

async function throughput({ runs, seconds, progress }: MessengerOptions): Promise<Row[]> {
  const rates: number[] = [];
  const ratios: number[] = [];
  const resident = new Map(SERVICES.map((service) => [service, [] as number[]]));
  const verifications: number[] = [];
  await withNetwork(THROUGHPUT_INTERVAL_MS, async (network) => {
    for (let run = 0; run < runs; run += 1) {
      const rate = signatureRate();
      const before = await usageOf(network);
      const { textsPerSecond, texts, elapsed } = await sustain(network, { seconds });
      const after = await usageOf(network);
      verifications.push(rate);
      rates.push(textsPerSecond);
      ratios.push(textsPerSecond / rate);
      for (const service of SERVICES) resident.get(service)?.push(after[service].residentMiB);
      const shares = SERVICES.map((service) => {
        const cores = (after[service].cpuSeconds - before[service].cpuSeconds) / elapsed;
        return `${service} ${cores.toFixed(2)} cores ${after[service].residentMiB.toFixed(0)} MiB`;
      });
      progress(`throughput: ${textsPerSecond.toFixed(0)} texts/s over ${texts} texts; ${shares.join(', ')}`);
    }
  });
  return [
    { name: 'textsPerSecond, submitted to executed', unit: 'texts/s', goal: '>= 6000', runs: rates },
    { name: 'signature verifications, one core', unit: '1/s', goal: '', runs: verifications },
    { name: 'texts per verification of one core', unit: 'ratio', goal: '', runs: ratios },
    ...SERVICES.map((service) => ({
      name: `resident memory after each run, ${service}`,
      unit: 'MiB',
      goal: '<= 200',
      runs: resident.get(service) ?? [],
    })),
  ];
}

async function bytes({ runs, progress }: MessengerOptions): Promise<Row[]> {
  const rates: number[] = [];
  await withNetwork(THROUGHPUT_INTERVAL_MS, async (network) => {
    for (let run = 0; run < runs; run += 1) {
      rates.push(await bytesPerSecond(network, { seconds: 10 }));
      progress(`bytes: ${median(rates.slice(-1)).toFixed(1)} MB/s`);
    }
  });
  return [{ name: 'rollup data sequenced, 1 KB submissions', unit: 'MB/s', goal: '>= 10', runs: rates }];
}

/** Every measure that was asked for, one after another, each on a network of its own. */
export async function messengerRows(options: MessengerOptions): Promise<Row[]> {
  const measures = { ready, restart, latency, throughput, bytes };
  const rows: Row[] = [];
  for (const [name, measure] of Object.entries(measures)) {
    if (options.only.has(name)) rows.push(...(await measure(options)));
  }
  return rows;
}
