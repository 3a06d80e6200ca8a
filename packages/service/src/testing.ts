import { randomInt } from 'node:crypto';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:net';
import { Turns } from './connections/turns.ts';
import type { RpcContext } from './json-rpc/context.ts';
import type { ProcessContext } from './process/process.ts';
import { createLogger, type Logger } from './telemetry/log.ts';
import { createMetrics } from './telemetry/metrics.ts';
import type { Clock, UnixMs, WallClock } from './timing/clock.ts';

export { type Random, seededKey, seededRandom } from './testing/random.ts';
export { undeclaredMembers } from './testing/undeclared.ts';

/** Monotonic time and time of day that only move when the test moves them. */
export interface ManualClock extends Clock, WallClock {
  /** Moves on, firing due timers in order of their times; between two timers, code that waits for the first may run. */
  advance(ms: number): Promise<void>;
  /** Sets the time of day forward, or back, while no time passes. */
  setWall(byMs: number): void;
  /** Timers that have not fired yet. */
  readonly pending: number;
}

export function manualClock(start = 0): ManualClock {
  let now = start;
  let wallOffset = 0;
  let order = 0;
  const timers = new Map<number, { readonly at: number; readonly fire: () => void }>();
  const nextDue = (until: number) =>
    [...timers].filter(([, timer]) => timer.at <= until).sort(([a, x], [b, y]) => x.at - y.at || a - b)[0];
  return {
    now: () => now,
    unixMs: () => (now + wallOffset) as UnixMs,
    setWall(byMs) {
      wallOffset += byMs;
    },
    after(ms, fire) {
      const id = order++;
      timers.set(id, { at: now + ms, fire });
      return () => void timers.delete(id);
    },
    async advance(ms) {
      const until = now + ms;
      await settle();
      for (let due = nextDue(until); due !== undefined; due = nextDue(until)) {
        const [id, timer] = due;
        timers.delete(id);
        now = timer.at;
        timer.fire();
        await settle();
      }
      now = until;
    },
    get pending() {
      return timers.size;
    },
  };
}

/** Lets everything run that is ready to run: promise callbacks and immediates, not sockets or timers. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Below the ports that systems give to outgoing connections, of which one could be in use by the time that something listens. */
const LOWEST_PORT = 15_000;
const PORTS = 4_500;

/**
 * A port that was free a moment ago, each time another one of this thread. Prefer port 0; this is for configurations that are written
 * before the start.
 */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (let tried = 0; tried < PORTS; tried += 1) {
    const port = LOWEST_PORT + randomInt(PORTS);
    if (given.has(port) || !(await canListen(port, host))) continue;
    given.add(port);
    return port;
  }
  throw new Error(`no free port from ${LOWEST_PORT} to ${LOWEST_PORT + PORTS}`);
}

const given = new Set<number>();

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}

/** One request with exactly these headers, `host` and `origin` included, as no `fetch` sends them. */
export function askAs(
  url: string,
  {
    method = 'GET',
    headers = {},
    body = '',
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const call = httpRequest(url, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    call.on('error', reject);
    call.end(body);
  });
}

/**
 * Polls `probe` until it answers something other than undefined or false.
 *
 * @param ms By default, enough for a busy machine and less than a test may take.
 * @throws after that, with the last value.
 */
export async function eventually<T>(probe: () => Promise<T> | T, ms = 45_000): Promise<NonNullable<T>> {
  const end = performance.now() + ms;
  let last: unknown;
  do {
    try {
      const value = await probe();
      if (value !== undefined && value !== null && value !== false) return value;
      last = value;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  } while (performance.now() < end);
  throw new Error(`did not happen within ${ms} ms; seen last: ${String(last)}`);
}

/** A logger that remembers its lines, at every level. */
export function memoryLogger(): { readonly log: Logger; readonly lines: readonly Readonly<Record<string, unknown>>[] } {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({
    name: 'test',
    filter: { general: 'trace', targets: new Map() },
    pretty: false,
    write: (line) => void lines.push(JSON.parse(line)),
  });
  return { log, lines };
}

/** Context of a process, under a test that ends it. `end` throws the first error of the jobs in the background. */
export function testProcess(metricsPrefix = 'test_'): {
  readonly context: ProcessContext;
  readonly lines: ReturnType<typeof memoryLogger>['lines'];
  end(): Promise<void>;
} {
  const { log, lines } = memoryLogger();
  const stop = new AbortController();
  const closers: (() => Promise<void> | void)[] = [];
  const work: Promise<unknown>[] = [];
  const failures: unknown[] = [];
  const fail = (error: unknown) => void (stop.signal.aborted || failures.push(error));
  const context: ProcessContext = {
    log,
    signal: stop.signal,
    metrics: createMetrics(metricsPrefix),
    defer: (close) => void closers.push(close),
    background: (job) => void work.push(job.catch(fail)),
    fail,
  };
  return {
    context,
    lines,
    async end() {
      stop.abort(new Error('the test is over'));
      await Promise.all(work);
      for (const close of closers.reverse()) await close();
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** Turns of the one listener that all of these clients share. */
const turns = new Turns();

/** Context of a JSON-RPC call over HTTP whose client waits for its answer; `given` replaces parts of it. */
export function rpcContext(given: Partial<RpcContext> & { readonly peer?: string } = {}): RpcContext {
  const { peer = 'test', ...rest } = given;
  return {
    from: { peer, page: undefined, turn: () => turns.take(), isGone: () => false, cutOff: () => undefined },
    subscriber: undefined,
    isOver: () => false,
    afterAnswer: (work) => work(),
    ...rest,
  };
}
