import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { recordUnhandled } from './e2e/support/unhandled.ts';
import { runProbe } from './scripts/probe.ts';

test.each([
  ['in a process that a test starts', 'child', 'forgotten by a child'],
  ['in the process of a test', 'own', 'forgotten by a test'],
])('an unhandled error %s fails the run', { timeout: 60_000 }, (_, probe, message) => {
  const { status, printed } = runProbe(probe);
  expect(printed).toContain(message);
  expect(status).toBe(1);
});

test('one that is handled does not', { timeout: 60_000 }, () => {
  const { status, printed } = runProbe('handled');
  expect({ status, failed: printed.includes('FAIL') }).toEqual({ status: 0, failed: false });
});

test('what a service of a dev network prints of it is recorded, and nothing else', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'recorded-'));
  const own = process.env.SWITCHYARD_TEST_UNHANDLED;
  process.env.SWITCHYARD_TEST_UNHANDLED = join(directory, 'errors');
  try {
    const output = new PassThrough();
    const lines = recordUnhandled(output);
    output.end('evm | ready\nevm | evm: unhandled error: no such block\nevm | composer: handled error: refused\n');
    await lines;
    expect(readFileSync(join(directory, 'errors'), 'utf8')).toBe('evm | evm: unhandled error: no such block\n');
  } finally {
    if (own === undefined) delete process.env.SWITCHYARD_TEST_UNHANDLED;
    else process.env.SWITCHYARD_TEST_UNHANDLED = own;
  }
});
