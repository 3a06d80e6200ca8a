import { appendFileSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { describeEvent } from '@switchyard/network/supervisor/describe-event';
import type { SupervisorEvent } from '@switchyard/network/supervisor/events';
import { wallDate } from '@switchyard/service';
import { systemReason } from '../files/files.ts';
import type { InstancePaths } from '../instance/home.ts';
import { logPath, TOOL } from './names.ts';

/** The log files of one run: one for each service, and the tool's own with their events. */
export type Logs = Readonly<ReturnType<typeof openLogs>>;

export function openLogs(paths: InstancePaths, services: readonly string[], onNotice: (line: string) => void) {
  const files = new Map<string, LogFile>();
  for (const name of [TOOL, ...services]) {
    const path = logPath(paths, name);
    files.set(
      name,
      openLogFile(path, (error) => onNotice(`${path}: lines are lost: ${systemReason(error)}`)),
    );
  }
  const say = (line: string) => files.get(TOOL)?.write(line);
  return {
    /** A line of the tool itself. */
    say,
    event(event: SupervisorEvent) {
      if (event.kind === 'line') files.get(event.service)?.write(event.text);
      else for (const line of describeEvent(event)) say(line);
    },
    close() {
      for (const file of files.values()) file.close();
    },
  };
}

interface LogFileOptions {
  /** A file that has grown past this is set aside as `.1`, and that one as `.2`. */
  readonly maxBytes: number;
  readonly keep: number;
}

/** Ten services have 120 MiB of lines at most. */
const DEFAULTS: LogFileOptions = { maxBytes: 4 * 1024 * 1024, keep: 2 };
const FLUSH_MS = 100;
const FLUSH_BYTES = 64 * 1024;

type LogFile = ReturnType<typeof openLogFile>;

/**
 * A file that lines are appended to, each with a timestamp; they reach it within a tenth of a second.
 *
 * A full disk or a lost directory costs lines, never the services: `onError` is called once, and the loss is noted
 * in the file as soon as it takes lines again.
 */
export function openLogFile(path: string, onError: (error: unknown) => void, options = DEFAULTS) {
  let pending = '';
  let lines = 0;
  let lost = 0;
  let size: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const append = (text: string) => {
    if (size === undefined) {
      mkdirSync(dirname(path), { recursive: true });
      size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    }
    if (size > options.maxBytes) {
      rotate(path, options.keep);
      size = 0;
    }
    appendFileSync(path, text);
    size += Buffer.byteLength(text);
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const [text, count] = [pending, lines];
    pending = '';
    lines = 0;
    if (text === '') return;
    try {
      // A failed write may have left half a line.
      append(lost === 0 ? text : `\n${stamped(`switchyard: ${lost} lines are lost here`)}${text}`);
      lost = 0;
    } catch (error) {
      // The directory may have been removed, so it is created again the next time.
      size = undefined;
      if (lost === 0) onError(error);
      lost += count;
    }
  };
  return {
    write(line: string) {
      pending += stamped(line);
      lines += 1;
      if (pending.length > FLUSH_BYTES) flush();
      else timer ??= setTimeout(flush, FLUSH_MS);
    },
    close: flush,
  };
}

const stamped = (line: string) => `${wallDate().toISOString()} ${line}\n`;

function rotate(path: string, keep: number): void {
  rmSync(`${path}.${keep}`, { force: true });
  for (let age = keep - 1; age >= 1; age -= 1) {
    if (statSync(`${path}.${age}`, { throwIfNoEntry: false })) renameSync(`${path}.${age}`, `${path}.${age + 1}`);
  }
  renameSync(path, `${path}.1`);
}
