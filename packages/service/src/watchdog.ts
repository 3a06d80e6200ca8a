import { backgroundThread } from './background-thread.ts';
import { hasThreads, systemClock } from './clock.ts';

const PROGRAM = new URL('./watchdog-thread.js', import.meta.url);
const BEAT_MS = 1_000;
/** Name under which the thread asks for the part whose code is running. */
export const RUNNING_PART = 'switchyardRunningPart';

/**
 * Watches the event loop of this thread from another one, which writes to standard error where it hangs: nothing of this thread
 * is answered then, its health included.
 *
 * @param part Names the part whose code is running.
 */
export function watchLoop(part: () => string | undefined): void {
  if (!hasThreads()) return;
  Object.assign(globalThis, { [RUNNING_PART]: part });
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const beat = (): void => {
    Atomics.add(beats, 0, 1);
    systemClock.after(BEAT_MS, beat, true);
  };
  beat();
  // Without the thread, a loop that hangs is not reported.
  backgroundThread(PROGRAM, { data: beats, maxHeapMb: 16, nicerBy: 0 }).on('error', () => undefined);
}
