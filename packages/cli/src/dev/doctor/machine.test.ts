import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  checkFiles,
  checkFileTime,
  checkMemory,
  checkNode,
  checkPlatform,
  checkSpace,
  machineFindings,
} from './machine.ts';

const MB = 1_048_576;

test.each([
  ['20.19.0', 'ok'],
  ['20.20.2', 'ok'],
  ['22.0.0', 'ok'],
  ['20.18.3', 'fail'],
  ['18.20.0', 'fail'],
])('Node %s is %s', (version, level) => {
  expect(checkNode(version, '20.19.0').level).toBe(level);
});

test.each([
  ['linux', 'x64', false, 'ok'],
  ['darwin', 'arm64', false, 'ok'],
  ['linux', 'x64', true, 'warn'],
  ['linux', 'riscv64', false, 'warn'],
  ['win32', 'x64', false, 'warn'],
])('%s %s (musl: %s) is %s', (system, processor, musl, level) => {
  expect(checkPlatform(system, processor, musl).level).toBe(level);
});

test.each([
  [8_000 * MB, 4_000 * MB, 'ok'],
  [8_000 * MB, 400 * MB, 'warn'],
  [8_000 * MB, 100 * MB, 'fail'],
  [8_000 * MB, undefined, 'ok'],
  [512 * MB, undefined, 'warn'],
])('memory of %d with %s free is %s', (total, free, level) => {
  expect(checkMemory(total, free).level).toBe(level);
});

test.each([
  [Number.POSITIVE_INFINITY, 'ok'],
  [1_024, 'ok'],
  [256, 'warn'],
  [64, 'fail'],
  [undefined, 'warn'],
])('a limit of %s open files is %s', (limit, level) => {
  expect(checkFiles(limit).level).toBe(level);
});

test.each([
  [10_000 * MB, 100, 'ok'],
  [1_000 * MB, 100, 'warn'],
  [100 * MB, 100, 'fail'],
  [10_000 * MB, 0, 'fail'],
])('%d bytes and %d files free are %s', (bytes, files, level) => {
  expect(checkSpace('/home', bytes, files).level).toBe(level);
});

test.each([
  [1_500, 'ok'],
  [60_000, 'warn'],
  [-60_000, 'warn'],
])('files dated %d ms after the clock are %s', (ms, level) => {
  expect(checkFileTime('/home', ms).level).toBe(level);
});

test('this machine can be checked, for a home that does not exist yet, and nothing is left there', () => {
  const place = mkdtempSync(join(tmpdir(), 'switchyard-doctor-'));
  const findings = machineFindings(join(place, 'home', 'instance'));
  expect(findings.map(({ check }) => check)).toEqual(['node', 'system', 'memory', 'open files', 'disk', 'file time']);
  expect(findings[0]?.level).toBe('ok');
  expect(readdirSync(place)).toEqual([]);
});
