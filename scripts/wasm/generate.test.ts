import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WASM_FILES } from './generate.ts';

const packages = join(import.meta.dirname, '../../packages');

test.each(Object.entries(WASM_FILES))('%s has the modules that are written here', (path, text) => {
  // Not `toBe` on the texts: a difference of base64 is nothing to print.
  expect(readFileSync(join(packages, path), 'utf8') === text, 'differs, run npm run gen').toBe(true);
});
