import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { toClaim, verifyCommand } from './verify.ts';

// Defect: zsh refused the command for its unquoted `?`: no matches found
test('a shell that refuses patterns without a file takes the command as it stands', () => {
  const [address, url] = [`0x${'ab'.repeat(20)}`, 'http://127.0.0.1:3033/my%20rollup'];
  const [, ...given] = verifyCommand(address, url).split(' ');
  const script = verifyCommand(address, url).replace('forge', `printf '%s\\n'`);
  const printed = execFileSync('bash', ['-O', 'failglob', '-c', script], { cwd: tmpdir(), encoding: 'utf8' });
  expect(printed.trim().split('\n')).toEqual(given.map((each) => each.replaceAll("'", '')));
});

test.each([
  ['contract A {}', '200', 'solidity-single-file', '1'],
  ['contract A {}', '', 'solidity-single-file', '0'],
  ['\n{"language": "Solidity"}', '', 'solidity-standard-json-input', '0'],
])('%j is sent in its format', (sourcecode, runs, codeformat, optimizationused) => {
  const fields = { sourcecode, runs, compilerversion: '0.8.37' };
  expect(toClaim('0xa', fields)).toEqual({ ...fields, contractaddress: '0xa', codeformat, optimizationused });
});
