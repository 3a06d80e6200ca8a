import { anySignal, HttpError, Places, sleep, toJson } from '@switchyard/service';
import { type AnyRoute, route } from '@switchyard/service/api';
import type { ApiContext } from './context.ts';
import { toHeads } from './status.ts';

/** Each costs a connection and a timer. */
const MAX_STREAMS = 512;
/** Often enough for a person, and the unread events of one slow reader are few. */
const AT_MOST_EVERY_MS = 100;
const SIGN_OF_LIFE_MS = 15_000;

/** Heights when they come. A reader who has missed some finds them in the lists, so a stream needs no memory. */
export function eventRoute(context: ApiContext): AnyRoute {
  const places = new Places(MAX_STREAMS);
  return route({
    method: 'get',
    url: '/v1/events',
    id: 'streamHeads',
    tag: 'Explorer',
    summary: 'Events `heads` with the newest heights, at most ten a second',
    description: 'A connection that was lost resumes with the newest heights, regardless of its `Last-Event-ID`',
    answers: {
      200: {
        mediaType: 'text/event-stream',
        description: 'Server-sent events whose data are Heads; the stream stays open',
        schema: { type: 'string' },
      },
    },
    errors: { 503: 'All streams of this explorer are in use, or all that one address may have' },
    handle({ client, signal }) {
      const leave = places.take(client);
      if (leave === undefined) {
        throw new HttpError(
          503,
          'limit-reached',
          `no stream is left: ${places.full(client)}; try again later, or poll /v1/status`,
        );
      }
      const body = headStream(context, signal, leave);
      return { status: 200, body, headers: { 'cache-control': 'no-store', 'x-accel-buffering': 'no' } };
    },
  });
}

function headStream(context: ApiContext, client: AbortSignal, ended: () => void): ReadableStream<Uint8Array> {
  const over = new AbortController();
  const signal = anySignal(over.signal, client, context.signal);
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async start(controller) {
      try {
        for (let last = ''; !signal.aborted; ) {
          const now = toJson(toHeads(context));
          const { height } = context.sequencer.state();
          if (now !== last) controller.enqueue(encoder.encode(`id: ${height}\nevent: heads\ndata: ${now}\n\n`));
          else controller.enqueue(encoder.encode(': alive\n\n'));
          last = now;
          await change(context, signal);
        }
      } catch {
        // The reader has gone, or the process stops.
      } finally {
        ended();
        try {
          controller.close();
        } catch {
          // It was cancelled.
        }
      }
    },
    cancel() {
      over.abort();
    },
  });
}

/** Resolves after the next change, and no sooner than the pause between two events; at the latest for a sign of life. */
async function change({ sequencer, rollups }: ApiContext, signal: AbortSignal): Promise<void> {
  const round = new AbortController();
  const timer = setTimeout(() => round.abort(), SIGN_OF_LIFE_MS);
  const until = anySignal(signal, round.signal);
  // From now on, not from after the pause: nothing remembers a change during it.
  const waits = [sequencer.changed, ...rollups.map((each) => each.changed)].map((each) =>
    each.wait(until).catch(() => undefined),
  );
  try {
    await sleep(AT_MOST_EVERY_MS, signal);
    await Promise.race(waits);
  } finally {
    clearTimeout(timer);
    round.abort();
  }
  signal.throwIfAborted();
}
