import { appendFileSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export interface LogFileOptions {
  /** A file that has grown past this is set aside as `.1`, and that one as `.2`. */
  readonly maxBytes: number;
  readonly keep: number;
}

const DEFAULTS: LogFileOptions = { maxBytes: 16 * 1024 * 1024, keep: 2 };
const FLUSH_MS = 100;
const FLUSH_BYTES = 64 * 1024;

/** A file that lines are appended to. What is written reaches the file within a tenth of a second. */
export interface LogFile {
  write(line: string): void;
  close(): void;
}

/** A full disk or a lost directory costs lines, never the services: `onError` hears of it once. */
export function openLogFile(path: string, onError: (error: unknown) => void, options = DEFAULTS): LogFile {
  let pending = '';
  let size = 0;
  let timer: NodeJS.Timeout | undefined;
  let failed = false;
  try {
    mkdirSync(dirname(path), { recursive: true });
    size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  } catch (error) {
    failed = true;
    onError(error);
  }
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const text = pending;
    pending = '';
    if (text === '' || failed) return;
    try {
      if (size > options.maxBytes) {
        rotate(path, options.keep);
        size = 0;
      }
      appendFileSync(path, text);
      size += Buffer.byteLength(text);
    } catch (error) {
      failed = true;
      onError(error);
    }
  };
  return {
    write(line) {
      pending += `${line}\n`;
      if (pending.length > FLUSH_BYTES) flush();
      else timer ??= setTimeout(flush, FLUSH_MS);
    },
    close: flush,
  };
}

function rotate(path: string, keep: number): void {
  rmSync(`${path}.${keep}`, { force: true });
  for (let age = keep - 1; age >= 1; age -= 1) {
    if (statSync(`${path}.${age}`, { throwIfNoEntry: false })) renameSync(`${path}.${age}`, `${path}.${age + 1}`);
  }
  renameSync(path, `${path}.1`);
}
