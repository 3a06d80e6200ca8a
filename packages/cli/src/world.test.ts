import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

/** Another process cannot run these sources, so it runs the build. */
const built = join(import.meta.dirname, '..', 'dist', 'world.js');
const hasMounts = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

/** Writes to its output before, while and after its disk is full. */
const PROGRAM = `
  import { rmSync, writeFileSync } from 'node:fs';
  import { setImmediate } from 'node:timers/promises';
  const { processWorld } = await import(process.argv[1]);
  const { stdout, onStop } = processWorld();
  onStop((why) => process.stderr.write('stopped by ' + why));
  const write = async (text) => {
    stdout.write(text + '\\n');
    await setImmediate();
  };
  await write('before');
  try {
    writeFileSync(process.argv[2], Buffer.alloc(1_000_000));
  } catch {}
  for (let at = 0; at < 5; at += 1) await write('x'.repeat(5_000));
  rmSync(process.argv[2]);
  await write('after');
`;

// Defect: A full disk under its own log ended a network
test.runIf(existsSync(built) && hasMounts)(
  'a full disk under the output costs lines, which are counted, and ends nothing',
  () => {
    const disk = mkdtempSync(join(tmpdir(), 'world-'));
    const shell = `mount -t tmpfs -o size=32k none ${disk}; "$0" --input-type=module -e "$1" "$2" ${disk}/other > ${disk}/log; cat ${disk}/log`;
    const args = ['-rm', 'bash', '-c', shell, process.execPath, PROGRAM, pathToFileURL(built).href];
    const { stdout, stderr } = spawnSync('unshare', args, { encoding: 'utf8' });
    expect([stderr, stdout.replace(/x+/, 'x')]).toEqual([
      '',
      expect.stringMatching(/^before\n(x\n*)?switchyard: [45] lines are lost here: the disk was full\nafter\n$/),
    ]);
  },
);

// Defect: Output of every command was cut after 64 KiB in a pipe, with exit status 0
test.runIf(existsSync(built))('a process that ends gives the reader of a pipe all that it has written', () => {
  const program = `
    const { exitWhenWritten } = await import(process.argv[1]);
    process.stdout.on('error', () => undefined);
    process.stdout.write('x'.repeat(1_000_000));
    await exitWhenWritten(3);`;
  const args = ['--input-type=module', '-e', program, pathToFileURL(built).href];
  const slow = '"$0" "$@" | { sleep 0.2; wc -c; }; exit $PIPESTATUS';
  const { stdout, status } = spawnSync('bash', ['-c', slow, process.execPath, ...args], { encoding: 'utf8' });
  expect([stdout.trim(), status]).toEqual(['1000000', 3]);
  // A reader that goes away is no error and keeps no process.
  const gone = spawnSync('bash', ['-c', '"$0" "$@" | head -c 10', process.execPath, ...args], { encoding: 'utf8' });
  expect([gone.stdout, gone.stderr]).toEqual(['xxxxxxxxxx', '']);
});
