import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLineCutter } from '../supervisor/lines.ts';
import { type LogLine, type LogSource, stampReader } from './read.ts';

const LOOK_EVERY_MS = 150;
const PIECE = 64 * 1024;

/** One log file, read as it grows. */
interface Tail {
  /** Lines added since the last call. */
  more(): LogLine[];
}

/** New lines of several services from now on, in the order of their times as far as they come together. */
export async function* followLogs(sources: readonly LogSource[], signal: AbortSignal): AsyncGenerator<LogLine> {
  const tails = sources.map(tailOf);
  while (!signal.aborted) {
    const lines = tails.flatMap((tail) => tail.more());
    yield* lines.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
  }
}

function tailOf({ service, path, size }: LogSource): Tail {
  const read = stampReader(service);
  let lines: LogLine[] = [];
  const cutter = createLineCutter((line) => {
    if (line !== '') lines.push(read(line));
  });
  let file = statSync(path, { throwIfNoEntry: false })?.ino;
  let at = size;
  const take = (from: string) => {
    const descriptor = openSync(from, 'r');
    try {
      const buffer = Buffer.alloc(PIECE);
      for (
        let count = readSync(descriptor, buffer, 0, PIECE, at);
        count > 0;
        count = readSync(descriptor, buffer, 0, PIECE, at)
      ) {
        cutter.push(buffer.subarray(0, count));
        at += count;
      }
    } finally {
      closeSync(descriptor);
    }
  };
  return {
    more() {
      lines = [];
      const now = statSync(path, { throwIfNoEntry: false });
      if (now === undefined) return lines;
      try {
        if (now.ino !== file) {
          // Set aside since the last look: its end is there now, and the file starts again.
          const aside = statSync(`${path}.1`, { throwIfNoEntry: false });
          if (file !== undefined && aside?.ino === file) take(`${path}.1`);
          file = now.ino;
          at = 0;
        } else if (now.size < at) at = 0;
        if (now.size > at) take(path);
      } catch {
        // It was removed between two calls.
      }
      return lines;
    },
  };
}
