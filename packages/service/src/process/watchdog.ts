import { url } from 'node:inspector';
import { hasThreads, systemClock } from '../timing/clock.ts';
import { backgroundThread } from './background-thread.ts';

const PROGRAM = new URL('./watchdog-thread.js', import.meta.url);
const BEAT_MS = 1_000;
/** Elements of the memory that both threads share. */
export const BEATS = 0;
export const DEBUGGED = 1;
/** Name under which the thread asks for the part whose code is running. */
export const RUNNING_PART = 'switchyardRunningPart';

/**
 * Watches the event loop of this thread from another one, which writes to standard error if it hangs: nothing of this thread
 * is answered then, its health included.
 *
 * @param part Names the part whose code is running.
 */
export function watchLoop(part: () => string | undefined): void {
  if (!hasThreads()) return;
  Object.assign(globalThis, { [RUNNING_PART]: part });
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const beat = (): void => {
    Atomics.add(shared, BEATS, 1);
    // A loop that a debugger has paused does not hang.
    Atomics.store(shared, DEBUGGED, url() === undefined ? 0 : 1);
    systemClock.after(BEAT_MS, beat, true);
  };
  beat();
  // Without the thread, a loop that hangs is not reported.
  backgroundThread(PROGRAM, { data: shared, maxHeapMb: 16, nicerBy: 0 }).on('error', () => undefined);
}
