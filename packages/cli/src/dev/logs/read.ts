import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createLineCutter } from '@switchyard/network/supervisor/lines';
import type { InstancePaths } from '../instance/home.ts';
import { logPath, TOOL } from './names.ts';

/** One line of a service, as its log file has it. */
export interface LogLine {
  /** Timestamp, as `2026-01-01T00:00:00.000Z`; empty before the first one of a file. */
  readonly time: string;
  readonly service: string;
  readonly text: string;
}

/** A log file and whose it is. Older ones lie next to it as `.1` and `.2`. */
export interface LogSource {
  readonly service: string;
  readonly path: string;
  /** Size of the file at the last look: the rest is new. */
  readonly size: number;
}

/** Every log of an instance, also those of services that the files do not name any more. */
export function logSources(paths: InstancePaths, services: readonly string[]): LogSource[] {
  const known = new Map([TOOL, ...services].map((name) => [logPath(paths, name), name]));
  const names = existsSync(paths.logs) ? readdirSync(paths.logs) : [];
  const found = names.filter((name) => name.endsWith('.log')).map((name) => join(paths.logs, name));
  return [...new Set([...found.sort(), ...known.keys()])].map((path) => ({
    service: known.get(path) ?? basename(path, '.log'),
    path,
    size: statSync(path, { throwIfNoEntry: false })?.size ?? 0,
  }));
}

const STAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) /;

/** A piece of a line too long for one has no time of its own: it has that of the piece before it. */
export function stampReader(service: string): (line: string) => LogLine {
  let time = '';
  return (line) => {
    const stamp = STAMP.exec(line)?.[1];
    if (stamp === undefined) return { time, service, text: line };
    time = stamp;
    return { time, service, text: line.slice(stamp.length + 1) };
  };
}

/** Lines of several services in the order of their times, up to the sizes the files had. */
export async function* readLogs(sources: readonly LogSource[], since = ''): AsyncGenerator<LogLine> {
  const open = sources.map((source) => formatLines(source, since));
  const heads = await Promise.all(open.map(async (lines) => ({ lines, next: await lines.next() })));
  for (;;) {
    let first: (typeof heads)[number] | undefined;
    for (const head of heads) {
      if (head.next.done || (first !== undefined && !first.next.done && first.next.value.time <= head.next.value.time))
        continue;
      first = head;
    }
    if (first === undefined || first.next.done) return;
    if (first.next.value.time >= since) yield first.next.value;
    first.next = await first.lines.next();
  }
}

async function* formatLines({ service, path, size }: LogSource, since: string): AsyncGenerator<LogLine, undefined> {
  const read = stampReader(service);
  for (const file of [`${path}.2`, `${path}.1`, path]) {
    const status = statSync(file, { throwIfNoEntry: false });
    // Nothing in it is younger than its last change.
    const end = file === path ? Math.min(size, status?.size ?? 0) : status?.size;
    if (status === undefined || !end || status.mtime.toISOString() < since) continue;
    let lines: string[] = [];
    const cutter = createLineCutter((line) => {
      // Ours all begin with a time; an empty one ends half a line, of a disk that was full.
      if (line !== '') lines.push(line);
    });
    for await (const chunk of createReadStream(file, { end: end - 1 })) {
      cutter.push(chunk);
      for (const line of lines) yield read(line);
      lines = [];
    }
    cutter.end();
    for (const line of lines) yield read(line);
  }
  return undefined;
}
