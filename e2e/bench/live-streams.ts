import { get, type IncomingMessage } from 'node:http';
import { wallClock } from '@switchyard/service';
import type { Network } from '../support/network.ts';
import { sustain } from './throughput.ts';

export interface LiveStreams {
  readonly eventsPerSecond: number;
  /** For each event, milliseconds from the time of its sequencer block, before its execution, to its client. */
  readonly latencies: readonly number[];
}

const EVENT_TIME = /"time":"([^"]+)"/g;

/** Opens streams of messages, lets messages be posted, and checks that each stream got each of them once. */
export async function liveStreams(
  network: Network,
  { streams, messagesPerSecond, seconds }: { streams: number; messagesPerSecond: number; seconds: number },
): Promise<LiveStreams> {
  const latencies: number[] = [];
  const counts = new Uint32Array(streams);
  const times = new Map<string, number>();
  const timeOf = (text: string): number => {
    const known = times.get(text) ?? Date.parse(text);
    times.set(text, known);
    return known;
  };
  const open = await Promise.all(
    Array.from({ length: streams }, (_, index) =>
      openStream(`${network.url('rollup')}/v1/streams/messages`, (chunk) => {
        const now = wallClock.unixMs();
        for (const [, time = ''] of chunk.matchAll(EVENT_TIME)) {
          latencies.push(now - timeOf(time));
          counts[index] = (counts[index] ?? 0) + 1;
        }
      }),
    ),
  );
  try {
    const start = performance.now();
    const { texts } = await sustain(network, { seconds, textsPerSecond: messagesPerSecond });
    const all = () => counts.every((count) => count >= texts);
    for (const deadline = performance.now() + 10_000; !all(); ) {
      if (performance.now() > deadline)
        throw new Error(`${texts} messages, of which a stream got ${Math.min(...counts)}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    if (!counts.every((count) => count === texts)) throw new Error(`a stream got messages twice`);
    return { eventsPerSecond: (streams * texts) / ((performance.now() - start) / 1_000), latencies };
  } finally {
    for (const stream of open) stream.destroy();
  }
}

/** Chunks may end within an event, which is then kept for the next one. */
function openStream(url: string, take: (events: string) => void): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = get(url, { agent: false, headers: { accept: 'text/event-stream' } }, (incoming) => {
      if (incoming.statusCode !== 200) reject(new Error(`${url}: ${incoming.statusCode}`));
      let rest = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (chunk: string) => {
        const text = rest + chunk;
        const end = text.lastIndexOf('\n\n') + 2;
        rest = end < 2 ? text : text.slice(end);
        if (end >= 2) take(text.slice(0, end));
      });
      incoming.on('error', () => undefined);
      resolve(incoming);
    });
    outgoing.on('error', reject);
  });
}
