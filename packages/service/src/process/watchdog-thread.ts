import { writeSync } from 'node:fs';
import { type Debugger, Session } from 'node:inspector';
import { workerData } from 'node:worker_threads';
import { systemClock } from '../timing/clock.ts';
import type { BackgroundData } from './background-thread.ts';
import { BEATS, DEBUGGED, RUNNING_PART } from './watchdog.ts';

const LOOK_MS = 3_000;
/** Looks in a row without a beat: the whole process may have been paused before the first. */
const MISSED = 2;
/** Code that is not JavaScript cannot be paused. */
const PAUSED_WITHIN_MS = 2_000;
const FRAMES = 3;

const { data: shared } = workerData as BackgroundData<Int32Array>;
const wait = (ms: number): Promise<void> => new Promise((resolve) => void systemClock.after(ms, resolve));
const say = (line: string): void => void writeSync(2, `switchyard: ${line}\n`);

let seen = -1;
for (let missed = 0; ; await wait(LOOK_MS)) {
  const now = Atomics.load(shared, BEATS);
  if (now === seen && Atomics.load(shared, DEBUGGED) === 0) missed += 1;
  else {
    if (missed >= MISSED) say('the event loop runs again');
    missed = 0;
  }
  seen = now;
  if (missed === MISSED)
    say(
      `the event loop has hung for ${(MISSED * LOOK_MS) / 1_000} s and answers nothing, health included: ${await place()}`,
    );
}

/** The part and the functions that the watched thread executes. */
async function place(): Promise<string> {
  const session = new Session();
  session.connectToMainThread();
  try {
    const paused = new Promise<Debugger.PausedEventDataType>((resolve) => {
      session.once('Debugger.paused', ({ params }) => resolve(params));
    });
    const urls = new Map<string, string>();
    session.on('Debugger.scriptParsed', ({ params }) => urls.set(params.scriptId, params.url));
    session.post('Debugger.enable');
    session.post('Debugger.pause');
    const at = await Promise.race([paused, wait(PAUSED_WITHIN_MS)]);
    if (at === undefined) return 'in code of the system or of a library that is not JavaScript';
    const [top] = at.callFrames;
    const part = await new Promise<unknown>((resolve) => {
      const expression = `globalThis.${RUNNING_PART}?.()`;
      session.post(
        'Debugger.evaluateOnCallFrame',
        { callFrameId: top?.callFrameId ?? '', expression, returnByValue: true },
        (_, answer) => resolve(answer?.result.value),
      );
    });
    session.post('Debugger.resume');
    const frames = at.callFrames.slice(0, FRAMES).map(({ functionName, location: { scriptId, lineNumber } }) => {
      return `${functionName || 'a function without a name'} (${urls.get(scriptId)}:${lineNumber + 1})`;
    });
    return `${typeof part === 'string' ? `part ${part}, ` : ''}${frames.join(', called by ')}`;
  } finally {
    session.disconnect();
  }
}
