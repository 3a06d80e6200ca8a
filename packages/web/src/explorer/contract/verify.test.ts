import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { verifyCommand } from './verify.ts';

// Defect: zsh refused the command for its unquoted `?`: no matches found
test('a shell that refuses patterns without a file takes the command as it stands', () => {
  const [address, url] = [`0x${'ab'.repeat(20)}`, 'http://127.0.0.1:3033/my%20rollup'];
  const [, ...given] = verifyCommand(address, url).split(' ');
  const script = verifyCommand(address, url).replace('forge', `printf '%s\\n'`);
  const printed = execFileSync('bash', ['-O', 'failglob', '-c', script], { cwd: tmpdir(), encoding: 'utf8' });
  expect(printed.trim().split('\n')).toEqual(given.map((each) => each.replaceAll("'", '')));
});
