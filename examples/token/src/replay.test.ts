import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** Hash of the last block of the history, executed by a process with these settings of the machine. */
function replayed(locale: string, zone: string): string {
  const env = { PATH: process.env.PATH, LC_ALL: locale, TZ: zone };
  return execFileSync(process.execPath, [fileURLToPath(import.meta.resolve('./history.js'))], {
    env,
    encoding: 'utf8',
  });
}

test('the history gives one state, whatever the locale and the time zone', () => {
  const hash = replayed('C', 'UTC');
  assert.match(hash, /^[0-9a-f]{64}\n$/);
  assert.equal(replayed('tr_TR.UTF-8', 'Asia/Kathmandu'), hash);
});
