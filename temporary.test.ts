import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProbe } from './scripts/probe.ts';
import { releasePorts } from './scripts/temporary/directory.mjs';

test('a run leaves nothing in the temporary directory, whatever its tests and their processes create there', {
  timeout: 60_000,
}, () => {
  const place = mkdtempSync(join(tmpdir(), 'place-'));
  const { status, printed } = runProbe('untidy', { TMPDIR: place });
  expect({ status, left: readdirSync(place), printed }).toMatchObject({ status: 0, left: [] });
});

test('a file whose tests are all skipped leaves nothing', { timeout: 60_000 }, () => {
  const place = mkdtempSync(join(tmpdir(), 'place-'));
  const { status, printed } = runProbe('skipped', { TMPDIR: place });
  expect({ status, left: readdirSync(place), printed }).toMatchObject({ status: 0, left: [] });
});

test('a directory that outlives its test file fails the run, and is removed', { timeout: 60_000 }, () => {
  const place = mkdtempSync(join(tmpdir(), 'place-'));
  const { status, printed } = runProbe('outside', { TMPDIR: place });
  expect(printed).toMatch(/tests left 1 temporary directories: outlives-/);
  expect({ status, left: readdirSync(place) }).toEqual({ status: 1, left: [] });
});

test('a file gives back the ports that it has claimed, and no others', () => {
  const ports = mkdtempSync(join(tmpdir(), 'ports-'));
  for (const [port, owner] of Object.entries({ 4030: 'one', 4031: 'another', 4032: 'one' }))
    writeFileSync(join(ports, port), owner);
  releasePorts(ports, 'one');
  expect(readdirSync(ports)).toEqual(['4031']);
});
