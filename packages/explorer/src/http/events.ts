import { anySignal, HttpError, sleep, toJson } from '@switchyard/service';
import type { Hono } from 'hono';
import type { ApiContext } from './context.ts';

/** Later ones are refused; each costs a connection and a timer. */
const MAX_STREAMS = 512;
/** Often enough for a person, and what one slow reader can have unread is small. */
const AT_MOST_EVERY_MS = 100;
const SIGN_OF_LIFE_MS = 15_000;

/**
 * `GET /v1/events`: server-sent events that name the newest heights. One who has missed some finds the rest in the lists, so
 * a stream needs no memory, and resumes from any `Last-Event-ID`.
 */
export function eventRoute(app: Hono, context: ApiContext): void {
  let open = 0;
  app.get('/v1/events', (c) => {
    if (open >= MAX_STREAMS) {
      throw new HttpError(503, 'limit-reached', `${MAX_STREAMS} streams are open; try again later, or poll /v1/status`);
    }
    open += 1;
    const over = new AbortController();
    const signal = anySignal(over.signal, c.req.raw.signal, context.signal);
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        try {
          for (let last = ''; !signal.aborted; ) {
            const now = toJson(headsOf(context));
            const { height } = context.sequencer.state();
            if (now !== last) controller.enqueue(encoder.encode(`id: ${height}\nevent: heads\ndata: ${now}\n\n`));
            else controller.enqueue(encoder.encode(': alive\n\n'));
            last = now;
            await change(context, signal);
          }
        } catch {
          // The reader has gone, or the process stops.
        } finally {
          open -= 1;
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
    return new Response(body, { headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' } });
  });
}

export function headsOf({ sequencer, rollups }: Pick<ApiContext, 'sequencer' | 'rollups'>) {
  return {
    height: sequencer.state().height,
    rollups: rollups.flatMap((each) => {
      const { head, number } = each.state();
      return head === undefined ? [] : [{ rollup: head.id, name: head.name, number, firm: head.firm ?? null }];
    }),
  };
}

async function change({ sequencer, rollups }: ApiContext, signal: AbortSignal): Promise<void> {
  await sleep(AT_MOST_EVERY_MS, signal);
  const round = new AbortController();
  const timer = setTimeout(() => round.abort(), SIGN_OF_LIFE_MS);
  const until = anySignal(signal, round.signal);
  const waits = [sequencer.changed, ...rollups.map((each) => each.changed)].map((each) => each.wait(until));
  await Promise.race(waits.map((each) => each.catch(() => undefined)));
  clearTimeout(timer);
  // Those that are still waiting end with the round.
  for (const each of waits) each.catch(() => undefined);
  round.abort();
  signal.throwIfAborted();
}
