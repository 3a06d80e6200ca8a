import { readFileSync, statSync } from 'node:fs';
import { jsonIn } from '../../supervisor/http-get.ts';
import type { FileFacts } from './finding.ts';

const ABSENT: FileFacts = { exists: false, mode: 0, modifiedMs: 0, text: '', value: undefined };

/** What can be read of a file; of a pipe or a device nothing. @param next What it will hold instead. */
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
