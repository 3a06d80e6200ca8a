import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { forgetRemoved } from './scripts/prepare.mjs';

test("a package whose dist was removed is compiled again, in spite of the compiler's note", () => {
  const repository = mkdtempSync(join(tmpdir(), 'switchyard-prepare-'));
  const note = (name: string) => join(repository, 'packages', name, 'tsconfig.tsbuildinfo');
  for (const name of ['built', 'removed']) {
    mkdirSync(join(repository, 'packages', name), { recursive: true });
    writeFileSync(note(name), '{}');
  }
  mkdirSync(join(repository, 'packages', 'built', 'dist'));
  forgetRemoved(repository);
  expect([existsSync(note('built')), existsSync(note('removed'))]).toEqual([true, false]);
});
