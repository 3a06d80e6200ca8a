import { createNetwork } from '../support/network.ts';
import { httpLoad } from './http-load.ts';
import { liveStreams } from './live-streams.ts';
import { quantile, type Row } from './statistics.ts';
import { COMMON_WORD, type MessengerProcess, messengerWith, RARE } from './stored-messages.ts';

export interface ApiOptions {
  readonly runs: number;
  readonly seconds: number;
  readonly messages: number;
  readonly only: ReadonlySet<string>;
  readonly progress: (text: string) => void;
}

const CONNECTIONS = 32;
const FEW_MESSAGES = 1_000;
const STREAMS = 1_000;
const STREAM_MESSAGES_PER_SECOND = 100;

interface Reads {
  readonly name: string;
  readonly path: (node: MessengerProcess, number: number) => string;
}

const NEWEST: Reads = { name: 'newest 50 messages', path: () => '/v1/messages?limit=50' };
const OTHERS: readonly Reads[] = [
  {
    name: '50 messages before any one',
    path: (_, number) => `/v1/messages?limit=50&before=${100 + ((number * 7_919) % 900)}`,
  },
  { name: '20 messages with a word of every second one', path: () => `/v1/messages?limit=20&q=${COMMON_WORD}` },
  { name: `20 messages with a word of one in ${RARE.every}`, path: () => `/v1/messages?limit=20&q=${RARE.word}` },
  {
    name: '20 messages of an account',
    path: ({ addresses }, number) => `/v1/messages?limit=20&sender=${addresses[number % addresses.length]}`,
  },
  { name: 'an account', path: ({ addresses }, number) => `/v1/accounts/${addresses[number % addresses.length]}` },
];

async function load(node: MessengerProcess, { path }: Reads, seconds: number) {
  let number = 0;
  const next = () => path(node, number++);
  return httpLoad({ url: node.url, path: next, connections: CONNECTIONS, seconds });
}

async function withMessages<T>(
  messages: number,
  options: ApiOptions,
  use: (node: MessengerProcess) => Promise<T>,
): Promise<T> {
  options.progress(`writing ${messages} messages`);
  const node = await messengerWith(messages);
  try {
    return await use(node);
  } finally {
    await node.stop();
  }
}

/** The rate and the 99th percentile of one kind of read, run by run. */
async function measured(node: MessengerProcess, reads: Reads, { runs, seconds, progress }: ApiOptions) {
  const rates: number[] = [];
  const p99s: number[] = [];
  // The first second warms the process up.
  await load(node, reads, 1);
  for (let run = 0; run < runs; run += 1) {
    const { requestsPerSecond, p50, p99 } = await load(node, reads, seconds);
    rates.push(requestsPerSecond);
    p99s.push(p99);
    progress(`${reads.name}: ${requestsPerSecond.toFixed(0)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
  }
  return { rates, p99s };
}

async function reads(options: ApiOptions): Promise<Row[]> {
  const few = await withMessages(FEW_MESSAGES, options, (node) => measured(node, NEWEST, options));
  return withMessages(options.messages, options, async (node) => {
    const { rates, p99s } = await measured(node, NEWEST, options);
    const ratios = rates.map((rate, run) => (few.rates[run] ?? Number.NaN) / rate);
    const rows: Row[] = [
      { name: `${NEWEST.name}, ${FEW_MESSAGES} stored`, unit: '1/s', goal: '', runs: few.rates },
      { name: `${NEWEST.name}, ${options.messages} stored`, unit: '1/s', goal: '>= 5000', runs: rates },
      { name: 'the same, p99', unit: 'ms', goal: '<= 20', runs: p99s },
      {
        name: `time with ${options.messages} over time with ${FEW_MESSAGES}`,
        unit: 'ratio',
        goal: '<= 1.5',
        runs: ratios,
      },
    ];
    for (const each of OTHERS) {
      const other = await measured(node, each, options);
      rows.push({ name: each.name, unit: '1/s', goal: '', runs: other.rates });
      rows.push({ name: 'the same, p99', unit: 'ms', goal: '', runs: other.p99s });
    }
    return rows;
  });
}

async function streams({ runs, seconds, progress }: ApiOptions): Promise<Row[]> {
  const rates: number[] = [];
  const p50s: number[] = [];
  const p99s: number[] = [];
  const network = await createNetwork({ instance: 'bench' });
  try {
    await network.switchyard('dev', 'setconfig', 'blockinterval', '100', '--instance', 'bench');
    await network.start();
    for (let run = 0; run < runs; run += 1) {
      const { eventsPerSecond, latencies } = await liveStreams(network, {
        streams: STREAMS,
        messagesPerSecond: STREAM_MESSAGES_PER_SECOND,
        seconds,
      });
      rates.push(eventsPerSecond);
      p50s.push(quantile(latencies, 0.5));
      p99s.push(quantile(latencies, 0.99));
      progress(`streams: ${eventsPerSecond.toFixed(0)} events/s, p50 ${p50s.at(-1)} ms, p99 ${p99s.at(-1)} ms`);
    }
  } finally {
    await network.dispose();
  }
  const what = `${STREAMS} live streams of ${STREAM_MESSAGES_PER_SECOND} messages/s`;
  return [
    { name: `${what}, events received`, unit: '1/s', goal: '', runs: rates },
    { name: 'sequencer block to client, p50', unit: 'ms', goal: '', runs: p50s },
    { name: 'the same, p99', unit: 'ms', goal: '<= 250', runs: p99s },
  ];
}

/** The HTTP API of a messenger node. */
export async function apiRows(options: ApiOptions): Promise<Row[]> {
  const { only } = options;
  return [...(only.has('reads') ? await reads(options) : []), ...(only.has('streams') ? await streams(options) : [])];
}
