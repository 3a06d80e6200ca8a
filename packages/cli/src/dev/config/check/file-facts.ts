import { readFileSync, statSync } from 'node:fs';
import { jsonIn } from '@switchyard/network/supervisor/http-get';
import type { FileFacts } from './finding.ts';

const ABSENT: FileFacts = { exists: false, mode: 0, modifiedMs: 0, text: '', value: undefined };

/** Reads a file; a pipe or a device counts as absent. @param next Text that it will hold instead. */
export function factsOf(path: string, next?: string): FileFacts {
  try {
    const status = statSync(path);
    if (!status.isFile()) return ABSENT;
    const { mode, mtimeMs } = status;
    const text = next ?? readFileSync(path, 'utf8');
    return { exists: true, mode: mode & 0o777, modifiedMs: mtimeMs, text, value: jsonIn(text) };
  } catch {
    return ABSENT;
  }
}
