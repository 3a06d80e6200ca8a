import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessContext, ProcessSpec } from '@switchyard/service';
import { standardFields } from '@switchyard/service/settings';
import { expect, test } from 'vitest';
import { Host } from './host.ts';
import type { AnyProcess } from './programs.ts';

const fields = standardFields('X_', '127.0.0.1:0');
const env = { X_NO_METRICS: 'true', X_LOG: 'info' };

function part(main: (context: ProcessContext) => Promise<unknown>) {
  const spec: ProcessSpec<typeof fields> = { name: 'x', fields, main: (_config, context) => main(context) };
  const lines: string[] = [];
  return {
    name: 'x',
    load: async () => spec as AnyProcess,
    env,
    write: (text: string) => void lines.push(text),
    lines,
  };
}

test('a part closes what it has opened when it is asked to end, and its exit code is 0', async () => {
  const closed: string[] = [];
  const options = part(async ({ defer }) => {
    for (const each of ['first', 'second']) defer(() => void closed.push(each));
  });
  const running = new Host().start(options);
  await expect.poll(() => options.lines.join('')).toContain('starting');
  await sleep(0);
  running.stop('SIGTERM');
  expect(await running.ended).toBe(0);
  expect(closed).toEqual(['second', 'first']);
  expect(options.lines.join('')).toContain('SIGTERM');
});

test('a part that fails ends alone, with its error as its last line', async () => {
  const host = new Host();
  const other = host.start(part(async () => {}));
  const options = part(async () => {
    throw new Error('no more paper');
  });
  expect(await host.start(options).ended).toBe(1);
  expect(options.lines.at(-1)).toBe('x: no more paper\n');
  other.stop('the end of the test');
  expect(await other.ended).toBe(0);
});

test('settings that cannot be used end a part with the code of a wrong configuration', async () => {
  const options = { ...part(async () => {}), env: { ...env, X_LOG: 'loud' } };
  expect(await new Host().start(options).ended).toBe(78);
  expect(options.lines.join('')).toContain('X_LOG');
});

test('a part that does not close is not waited for after it was asked twice', async () => {
  const running = new Host().start(part(({ defer }) => Promise.resolve(defer(() => new Promise(() => {})))));
  await sleep(0);
  running.stop('SIGTERM');
  running.stop('SIGKILL');
  expect(await running.ended).toBe(1);
});

test('an error that was handled nowhere ends the part that it came from, which closes', async () => {
  const host = new Host();
  const other = host.start(part(async () => {}));
  let closed = false;
  let take = (): boolean => false;
  const options = part(async ({ defer }) => {
    defer(() => {
      closed = true;
    });
    // The listener of the process is called in the context in which an error came up.
    await sleep(0);
    take = () => host.takeUnhandled(new Error('a bug'));
    setTimeout(() => take(), 1);
  });
  const running = host.start(options);
  expect(await running.ended).toBe(70);
  expect(closed).toBe(true);
  expect(options.lines.join('')).toContain('x: unhandled error: a bug\n');
  other.stop('the end of the test');
  expect(await other.ended).toBe(0);
});

test('an error that came from no part is left to the process', async () => {
  const host = new Host();
  const running = host.start(part(async () => {}));
  await sleep(1);
  expect(host.takeUnhandled(new Error('a bug'))).toBe(false);
  running.stop('the end of the test');
  expect(await running.ended).toBe(0);
});

test('an error of the reader of its output is none of the part', async () => {
  const host = new Host();
  let taken: boolean | undefined;
  const write = () => {
    taken = host.takeUnhandled(new Error('a bug'));
  };
  const running = host.start({ ...part(async () => {}), write });
  await expect.poll(() => taken).toBe(false);
  running.stop('the end of the test');
  expect(await running.ended).toBe(0);
});

/** One part whose handler never ends, alongside a healthy one. */
const HANGS = `
  import { Host } from '@switchyard/network/host';
  import { watchLoop } from '@switchyard/service';
  import { standardFields } from '@switchyard/service/settings';
  const host = new Host();
  const start = (name, main) => host.start({
    name,
    load: async () => ({ name, fields: standardFields('TEST_', '127.0.0.1:0'), main }),
    env: { TEST_NO_METRICS: 'true' },
    write: () => undefined,
  });
  watchLoop(() => host.runningPart());
  start('well', async () => undefined);
  start('stuck', async () => {
    await new Promise(setImmediate);
    (function handleRequest() {
      for (;;);
    })();
  });
`;

// Defect: A part that hangs left no line about it
test('a part whose handler never ends is named from outside of the loop, with the function', async () => {
  const cwd = join(import.meta.dirname, '..');
  const child = spawn(process.execPath, ['--input-type=module', '-e', HANGS], {
    cwd,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let printed = '';
  child.stderr.on('data', (chunk: Uint8Array) => (printed += String(chunk)));
  await expect.poll(() => printed, { timeout: 60_000 }).toContain('\n');
  child.kill('SIGKILL');
  expect(printed).toMatch(
    /^switchyard: the event loop has hung for 6 s .*: part stuck, handleRequest \(.*:\d+\), called by /,
  );
}, 70_000);
