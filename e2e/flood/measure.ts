import type { TimedUsers, Users } from './users.ts';
import { type Latencies, recoveredAt } from './verdict.ts';

/** Honest users of each kind in a second: in five seconds, two are slower than the 99th percentile. */
const PER_SECOND = 50;
const INTERVAL_MS = 1_000 / PER_SECOND;
const GIVEN_UP_MS = 10_000;
const RETRY_MS = 50;
const IN_A_ROW = 20;

interface Sample {
  readonly at: number;
  readonly ms: number;
}

/**
 * Lets honest users come by at a steady rate, whether or not those before them have been served, until `over`. A user who
 * is rejected tries again soon; what counts is the time from coming by until being served.
 */
async function sampled(
  action: () => Promise<void>,
  over: (samples: readonly Sample[], elapsed: number) => boolean,
  offsetMs = 0,
) {
  const samples: Sample[] = [];
  const began = performance.now();
  const users: Promise<void>[] = [];
  for (let index = 0; !over(samples, performance.now() - began); index += 1) {
    const at = offsetMs + index * INTERVAL_MS;
    await rest(began + at - performance.now());
    // Timed from when the user came, not from when this process found time for it.
    users.push(served(action, began + at).then((ms) => void samples.push({ at, ms })));
  }
  await Promise.all(users);
  return samples.sort((a, b) => a.at - b.at);
}

async function served(action: () => Promise<void>, came: number): Promise<number> {
  for (;;) {
    const spent = (): number => performance.now() - came;
    const isServed = await Promise.race([
      action().then(
        () => true,
        () => false,
      ),
      rest(GIVEN_UP_MS - spent()).then(() => false),
    ]);
    if (isServed) return spent();
    if (spent() >= GIVEN_UP_MS) return GIVEN_UP_MS;
    await rest(RETRY_MS);
  }
}

export async function latencies(users: TimedUsers, seconds: number): Promise<Latencies> {
  const over = (_: unknown, elapsed: number): boolean => elapsed >= seconds * 1_000;
  // Not at the same moment: all are in this process, where one would wait while another is signed.
  const timed = async (action: () => Promise<void>, offset: number) =>
    (await sampled(action, over, offset * INTERVAL_MS)).map(({ ms }) => ms);
  const [read, submit, floor] = await Promise.all([
    timed(users.read, 0),
    timed(users.submit, 1 / 3),
    timed(users.floor, 2 / 3),
  ]);
  return { read, submit, floor };
}

/** Milliseconds until both kinds of users are served within their bounds again; undefined: not within the time. */
export async function recovery(
  users: Users,
  bounds: { readonly read: number; readonly submit: number },
  withinMs: number,
): Promise<number | undefined> {
  const one = async (action: () => Promise<void>, boundMs: number) => {
    const recovered = (samples: readonly Sample[]) => recoveredAt(inOrder(samples), { boundMs, inARow: IN_A_ROW });
    const samples = await sampled(action, (seen, ms) => ms >= withinMs || recovered(seen) !== undefined);
    return recovered(samples);
  };
  const [read, submit] = await Promise.all([one(users.read, bounds.read), one(users.submit, bounds.submit)]);
  return read === undefined || submit === undefined ? undefined : Math.max(read, submit);
}

const inOrder = (samples: readonly Sample[]): Sample[] => [...samples].sort((a, b) => a.at - b.at);
const rest = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, Math.max(0, ms)));
