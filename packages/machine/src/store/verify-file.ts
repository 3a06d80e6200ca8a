import { EMPTY_ROOT } from '@switchyard/protocol';
import { readOnly } from '@switchyard/storage';
import { verifyState } from './verify.ts';

const STATE = 's:';
const PAGE = 't:';

/**
 * Derives the root of the state in an LMDB file from its values. The file may be in use. It is mapped: inspect it first.
 *
 * @returns number of keys under the root, or what is wrong.
 */
export function verifyStateFile(path: string): number | string {
  return readOnly(path, ({ get, entries }) =>
    verifyState({
      root: get('m:root') ?? EMPTY_ROOT,
      page: (page) => get(PAGE + page),
      *values() {
        for (const [key, value] of entries(STATE)) yield [key.slice(STATE.length), value];
      },
    }),
  );
}
