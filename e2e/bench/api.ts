import { wallClock } from '@switchyard/service';
import type { Network } from '../support/network.ts';
import { until } from '../support/network.ts';
import { quantile } from '../support/statistics.ts';
import { httpLoad } from './http-load.ts';
import { follow, sustain } from './load.ts';
import { type Figure, type Measure, type Options, type Row, repeated } from './measure.ts';
import { withNetwork } from './network.ts';
import { COMMON_WORD, type MessengerProcess, RARE, withMessages } from './stored-messages.ts';

const CONNECTIONS = 32;
const FEW_MESSAGES = 1_000;
const STREAMS = 1_000;
const STREAM_MESSAGES_PER_SECOND = 100;

type Path = (node: MessengerProcess, number: number) => string;

const addressAt = ({ addresses }: MessengerProcess, number: number) => addresses[number % addresses.length];
const newest: Path = () => '/v1/messages?limit=50';
const OTHERS: Readonly<Record<string, Path>> = {
  '50 messages before any one': (_, number) => `/v1/messages?limit=50&before=${100 + ((number * 7_919) % 900)}`,
  '20 messages with a word of every second one': () => `/v1/messages?limit=20&q=${COMMON_WORD}`,
  [`20 messages with a word of one in ${RARE.every}`]: () => `/v1/messages?limit=20&q=${RARE.word}`,
  '20 messages of an account': (node, number) => `/v1/messages?limit=20&sender=${addressAt(node, number)}`,
  'an account': (node, number) => `/v1/accounts/${addressAt(node, number)}`,
};

/** The rate and the 99th percentile of one kind of read. */
async function readRows(
  options: Options,
  node: MessengerProcess,
  path: Path,
  figures: Readonly<Record<'rate' | 'p99', Figure>>,
): Promise<Row[]> {
  const load = async (seconds: number) => {
    let number = 0;
    return httpLoad({ url: node.url, path: () => path(node, number++), connections: CONNECTIONS, seconds });
  };
  // The first second warms the process up.
  await load(1);
  return repeated(options, figures.rate[0], figures, async () => {
    const { requestsPerSecond: rate, p99 } = await load(options.seconds);
    return { rate, p99 };
  });
}

const reads: Measure = async (options) => {
  const p99 = ['the same, p99', 'ms'] as const;
  const few = await withMessages(FEW_MESSAGES, options, (node) =>
    readRows(options, node, newest, { rate: [`newest 50 messages, ${FEW_MESSAGES} stored`, '1/s'], p99 }),
  );
  return withMessages(options.messages, options, async (node) => {
    const rate = [`newest 50 messages, ${options.messages} stored`, '1/s', '>= 5000'] as const;
    const many = await readRows(options, node, newest, { rate, p99: [...p99, '<= 20'] });
    const rows = [
      ...[...few, ...many],
      {
        ...{ name: `time with ${options.messages} over time with ${FEW_MESSAGES}`, unit: 'ratio', goal: '<= 1.5' },
        runs: (many[0]?.runs ?? []).map((each, run) => (few[0]?.runs[run] ?? Number.NaN) / each),
      },
    ];
    for (const [name, path] of Object.entries(OTHERS))
      rows.push(...(await readRows(options, node, path, { rate: [name, '1/s'], p99 })));
    return rows;
  });
};

/** All streams come from one address, which has no more places than it leaves free to others. */
const PLACES = { max_streams: String(4 * STREAMS), max_connections: String(8 * STREAMS) };

const streams: Measure = (options) =>
  withNetwork({ intervalMs: 100, settings: PLACES }, (network) => {
    const load = `${STREAMS} live streams of ${STREAM_MESSAGES_PER_SECOND} messages/s`;
    const figures = {
      rate: [`${load}, events received`, '1/s'],
      p50: ['sequencer block to client, p50', 'ms'],
      p99: ['the same, p99', 'ms', '<= 250'],
    } as const;
    return repeated(options, 'streams', figures, () => liveStreams(network, options.seconds));
  });

/** Opens streams of messages, lets messages be posted, and checks that each stream got each of them once. */
async function liveStreams(network: Network, seconds: number) {
  // For each event, from the time of its sequencer block, before its execution, to its client.
  const latencies: number[] = [];
  const counts = new Uint32Array(STREAMS);
  const times = new Map<string, number>();
  const getTime = (text: string): number => {
    const known = times.get(text) ?? Date.parse(text);
    times.set(text, known);
    return known;
  };
  const open = Array.from(counts, (_, index) =>
    follow(`${network.url('rollup')}/v1/streams/messages`, (events) => {
      const now = wallClock.unixMs();
      for (const [, time = ''] of events.matchAll(/"time":"([^"]+)"/g)) {
        latencies.push(now - getTime(time));
        counts[index] = (counts[index] ?? 0) + 1;
      }
    }),
  );
  const stops = await Promise.all(open);
  try {
    const start = performance.now();
    const { texts } = await sustain(network, { seconds, textsPerSecond: STREAM_MESSAGES_PER_SECOND });
    await until(`${texts} messages in every stream`, () => counts.every((count) => count >= texts) || undefined);
    if (!counts.every((count) => count === texts)) throw new Error('a stream got messages twice');
    const rate = (STREAMS * texts) / ((performance.now() - start) / 1_000);
    return { rate, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
  } finally {
    for (const stop of stops) stop();
  }
}

/** The HTTP API of a messenger node. */
export const api = { reads, streams };
