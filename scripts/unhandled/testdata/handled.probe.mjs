import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('starts a process that handles its errors', () => {
  const program = "Promise.reject(new Error('handled')).catch(() => console.log('caught'))";
  expect(spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' }).stdout).toBe('caught\n');
});
