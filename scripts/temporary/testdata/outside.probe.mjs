import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'vitest';

test('creates a directory that outlives its file', () => {
  mkdtempSync(join(dirname(tmpdir()), 'outlives-'));
});
