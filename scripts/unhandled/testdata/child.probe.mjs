import { spawnSync } from 'node:child_process';
import { test } from 'vitest';

test('starts a process that forgets an error', () => {
  spawnSync(process.execPath, ['-e', "void Promise.reject(new Error('forgotten by a child'))"]);
});
