import { dirname } from 'node:path';
import { EMPTY_ROOT } from '@switchyard/protocol';
import { StoreFile } from '@switchyard/storage';
import { verifyState } from './verify.ts';

const STATE = 's:';
const PAGE = 't:';

/**
 * Derives the root of the state in an LMDB file from its values. The file may be in use. It is mapped: inspect it first.
 *
 * @returns number of keys under the root, or the fault.
 */
export function verifyStateFile(path: string): number | string {
  const file = new StoreFile<string>(dirname(path), 'state', { keys: 'text', isReadOnly: true });
  const records = file.main;
  try {
    return verifyState({
      root: records.get('m:root') ?? EMPTY_ROOT,
      page: (page) => records.get(PAGE + page),
      *values() {
        const all = { start: STATE, end: `${STATE}\x7f` };
        for (const [key, value] of records.entries(all)) yield [key.slice(STATE.length), value];
      },
    });
  } finally {
    void file.close();
  }
}
