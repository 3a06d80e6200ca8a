import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('removes nothing of what it and its child create', () => {
  const directory = mkdtempSync(join(tmpdir(), 'own-'));
  mkdirSync(join(directory, 'locked'), { mode: 0o500 });
  expect(spawnSync('mktemp', ['-d']).status).toBe(0);
});
