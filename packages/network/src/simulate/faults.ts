import { sleep } from '@switchyard/service';
import type { Chance } from './chance.ts';
import type { FaultName } from './fault-names.ts';
import { LIES, PEER } from './peer.ts';
import { type Run, takeSteps } from './progress.ts';
import type { SimulatedStack } from './stack.ts';
import { CALM } from './ways.ts';

/** Most failures show after these. */
const CRASHES: ReadonlySet<FaultName> = new Set(['kill', 'power']);

export interface FaultOptions {
  readonly run: Run;
  readonly stack: SimulatedStack;
  /** Takes one line about each fault. */
  note(line: string): void;
  /** Commits of a part may be undone by its next start. */
  onUndone(label: string, by: 'power' | 'copy'): void;
  /** No further fault begins once it aborts. */
  readonly signal: AbortSignal;
}

/** Other faults come in the meantime. */
const LASTING: ReadonlySet<FaultName> = new Set(['cut', 'weather', 'duplicate', 'lie', 'copy']);

const PAUSE_MS = [10, 1_500] as const;
const AWAY_MS = [0, 4_000] as const;
/** A part that writes nothing for this long is ended all the same. */
const COMMIT_WITHIN_MS = 2_000;
/** Between a commit and the end of its part: within a flush, mostly. */
const LATE_MS = [0, 0, 1, 2, 5, 10] as const;
const CUT_MS = [200, 20_000] as const;
const WEATHER_MS = [500, 8_000] as const;
const DUPLICATE_MS = [500, 8_000] as const;
const LIE_MS = [500, 20_000] as const;
const FULL_MS = [100, 2_000] as const;
const COPY_AGE_MS = [0, 60_000] as const;
const STEP_MS = [-20_000, 20_000] as const;

/** Makes one fault after the other, some of them while others last. Resolves when all of them are over. */
export async function makeFaults(options: FaultOptions): Promise<void> {
  const { run, signal } = options;
  const { faults: kinds } = run.options;
  if (kinds.length === 0) return;
  const weighted = kinds.flatMap((kind) => (CRASHES.has(kind) ? [kind, kind, kind] : [kind]));
  const lasting = new Set<Promise<void>>();
  await takeSteps(run, 'fault', PAUSE_MS, signal, async ({ chance, describe }) => {
    const kind = chance.pick(weighted);
    describe(kind);
    const isAwaited = chance.happens(LASTING.has(kind) ? 0.2 : 0.7);
    const fault = FAULT[kind]({ ...run, ...options, chance });
    lasting.add(fault);
    void fault.finally(() => lasting.delete(fault));
    if (isAwaited) await fault;
  });
  await Promise.all(lasting);
}

type Taken = FaultOptions & Pick<Run, 'ways' | 'time' | 'failingDisks'> & { readonly chance: Chance };

const FAULT: Readonly<Record<FaultName, (options: Taken) => Promise<void>>> = {
  async stop({ stack, chance, note }) {
    const label = chance.pick(stack.labels);
    if (!stack.isRunning(label)) return;
    note(`stop ${label}`);
    await stack.stop(label);
    await startLater(stack, chance, [label]);
  },

  async kill(options) {
    const { stack, note } = options;
    await crash(options, (label) => {
      note(`kill ${label}`);
      stack.kill(label);
    });
  },

  async power(options) {
    const { stack, chance, note, onUndone } = options;
    await crash(options, (label) => {
      note(`power ${label}`);
      stack.losePower(label, (unflushed) => chance.integer(0, unflushed));
      onUndone(label, 'power');
    });
  },

  async cut({ stack, ways, chance, note, signal }) {
    const places = [...stack.labels, PEER];
    const [one, other] = [chance.pick(places), chance.pick(places)];
    const ms = chance.integer(...CUT_MS);
    note(`cut ${one} ${other} for ${ms} ms`);
    ways.cut(one, other);
    await lasts(ms, signal);
    ways.heal(one, other);
  },

  async weather({ ways, chance, note, signal }) {
    const [delay, loss] = [chance.integer(1, 300), chance.pick([0, 0.01, 0.1, 0.3])];
    const ms = chance.integer(...WEATHER_MS);
    note(`delays up to ${delay} ms, loss ${loss}, for ${ms} ms`);
    ways.weather = { delayMs: [0, delay], loss };
    await lasts(ms, signal);
    ways.weather = CALM;
  },

  async duplicate({ stack, ways, chance, note, signal }) {
    const label = chance.pick(stack.called);
    const ms = chance.integer(...DUPLICATE_MS);
    note(`calls to ${label} arrive twice for ${ms} ms`);
    ways.repeat(label, true);
    await lasts(ms, signal);
    ways.repeat(label, false);
  },

  async lie({ stack: { peer }, chance, note, signal }) {
    const lie = chance.pick(LIES);
    const ms = chance.integer(...LIE_MS);
    note(`the peer lies for ${ms} ms: ${lie}`);
    peer.lie = lie;
    await lasts(ms, signal);
    peer.lie = undefined;
  },

  async disk({ stack, chance, note, failingDisks }) {
    const label = chance.pick(stack.labels);
    const ms = chance.integer(...FULL_MS);
    const code = chance.pick(['ENOSPC', 'EIO'] as const);
    note(`${code} of ${label} for ${ms} ms`);
    const count = (change: number): void => {
      failingDisks.set(label, (failingDisks.get(label) ?? 0) + change);
    };
    count(1);
    stack.failWrites(label, code);
    await sleep(ms);
    stack.failWrites(label, undefined);
    // A failure of a moment ago may be reported later.
    await sleep(5_000);
    count(-1);
  },

  async clock({ time, chance, note }) {
    const ms = chance.integer(...STEP_MS);
    note(`the clock is set by ${ms} ms`);
    time.stepWall(ms);
  },

  async copy({ stack, time, chance, note, onUndone, signal }) {
    const label = chance.pick(stack.replaceable);
    const ms = chance.integer(...COPY_AGE_MS);
    const replace = stack.getCopy(label);
    const began = time.now();
    await lasts(ms, signal);
    note(`${label} gets its stores of ${time.now() - began} ms before`);
    stack.kill(label);
    replace();
    onUndone(label, 'copy');
    await startLater(stack, chance, [label]);
  },
};

/** Resolves after this long, or when no further fault begins: nothing would come in the meantime. */
const lasts = (ms: number, signal: AbortSignal): Promise<void> => sleep(ms, signal).catch(() => undefined);

/** Ends one or several parts between any two steps, or one of them when it has written something: in the middle of that step, or soon after. */
async function crash({ stack, time, chance }: Taken, end: (label: string) => void): Promise<void> {
  if (chance.happens(0.5)) {
    const label = chance.pick(stack.labels);
    const lateMs = chance.pick(LATE_MS);
    await stack.atCommit(label, chance.integer(1, 6), COMMIT_WITHIN_MS, () => {
      if (lateMs === 0) end(label);
    });
    if (lateMs > 0) {
      await sleep(lateMs);
      end(label);
    }
    return startLater(stack, chance, [label]);
  }
  await time.events(chance.integer(0, 200));
  const labels = getSeveral(stack.labels, chance);
  for (const label of labels) end(label);
  await startLater(stack, chance, labels);
}

function getSeveral(labels: readonly string[], chance: Chance): readonly string[] {
  const probability = chance.pick([0, 0.2, 1]);
  const first = chance.pick(labels);
  return labels.filter((label) => label === first || chance.happens(probability));
}

async function startLater(stack: SimulatedStack, chance: Chance, labels: readonly string[]): Promise<void> {
  const starts = labels.map(async (label) => {
    await sleep(chance.integer(...AWAY_MS));
    stack.start(label);
  });
  await Promise.all(starts);
}
