import { statfs } from 'node:fs/promises';
import { wallClock } from '@switchyard/service';
import { spaceFinding } from '../dev/doctor/machine.ts';
import { type Disk, type NetworkFacts, SHARED } from './facts.ts';
import { askHttp, BEFORE_FIRST_POLL, poll, type Urls } from './poll.ts';
import { UsageMeter } from './usage.ts';

const POLL_MS = 1_000;
/** Space runs out slowly. */
const POLLS_PER_DISK = 15;

export interface Polled {
  readonly urls: Urls;
  processes(): readonly { readonly name: string; readonly pid?: number | undefined }[];
  /** Directory whose free space is watched. */
  readonly directory: string;
  onFacts(facts: NetworkFacts): void;
}

/** Processes of single services, and this one where it has services as its parts. */
function apart(services: ReturnType<Polled['processes']>): ReturnType<Polled['processes']> {
  const own = services.filter(({ pid }) => pid !== process.pid);
  return own.length === services.length ? own : [...own, { name: SHARED, pid: process.pid }];
}

async function diskAt(directory: string): Promise<Disk | undefined> {
  // A directory that was removed meanwhile has no space to show.
  const space = await statfs(directory).catch(() => undefined);
  if (space === undefined) return undefined;
  const { level, advice } = spaceFinding(directory, space);
  return { freeBytes: space.bavail * space.bsize, level, advice };
}

/** Polls the services and measures their processes once a second, until the returned function is called. */
export function startPolling({ urls, processes, directory, onFacts }: Polled): () => void {
  const meter = new UsageMeter();
  let state = BEFORE_FIRST_POLL;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  let disk: Disk | undefined;
  let polls = 0;
  let height: number | undefined;
  let movedAt: number | undefined;
  const again = async () => {
    const began = performance.now();
    state = await poll(urls, state, askHttp, () => performance.now());
    const at = wallClock.unixMs();
    if (state.facts.sequencerHeight !== height) movedAt = at;
    height = state.facts.sequencerHeight;
    if (polls % POLLS_PER_DISK === 0) disk = await diskAt(directory);
    polls += 1;
    if (isOver) return;
    onFacts({ ...state.facts, at, movedAt, disk, usage: meter.measure(apart(processes()), performance.now()) });
    timer = setTimeout(() => void again(), Math.max(0, began + POLL_MS - performance.now()));
  };
  void again();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
