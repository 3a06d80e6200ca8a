import { expect, test } from 'vitest';
import { fromHex, rollupIdFromBytes, toHex } from '../accounts/ids.ts';
import { Rejected } from '../errors.ts';
import {
  isReservedNamespace,
  namespaceBytes,
  namespaceFromBytes,
  namespaceFromId,
  RESERVED_NAMESPACES,
  rollupNamespace,
  sequencerNamespace,
} from './namespace.ts';

test('a namespace is a version, 18 zero bytes and ten of its own', () => {
  const namespace = namespaceFromId(new Uint8Array(10).fill(0x2a));
  expect(namespace).toBe(`${'00'.repeat(19)}${'2a'.repeat(10)}`);
  expect(namespaceFromBytes(namespaceBytes(namespace))).toBe(namespace);
});

// Both were posted to by the recorded payment (testdata/celestia/pfb.json).
test('sequencer and rollups have the namespaces of the reference relayer', () => {
  expect(sequencerNamespace('switchyard-dev')).toBe(`${'00'.repeat(19)}108ee63e3a928bd09ef4`);
  const rollup = rollupIdFromBytes(new Uint8Array(32).fill(0x2a));
  expect(rollupNamespace(rollup)).toBe(`${'00'.repeat(19)}${'2a'.repeat(10)}`);
});

test('a rollup id of nine zero bytes leads into the reserved range', () => {
  const last = (byte: number) => rollupIdFromBytes(new Uint8Array(32).fill(byte, 9));
  expect(isReservedNamespace(rollupNamespace(last(0xff)))).toBe(true);
  expect(isReservedNamespace(rollupNamespace(rollupIdFromBytes(new Uint8Array(32).fill(1, 8))))).toBe(false);
});

test.each([
  ['the smallest', '00'.repeat(29), true],
  ['the last of the lower range', RESERVED_NAMESPACES.primaryPadding, true],
  ['the first after it', `${'00'.repeat(27)}0100`, false],
  ['the last of version 0', `${'00'.repeat(19)}${'ff'.repeat(10)}`, false],
  ['the first of version 255', `ff${'00'.repeat(28)}`, true],
  ['parity', RESERVED_NAMESPACES.parity, true],
])('reserved or not: %s', (_, text, reserved) => {
  expect(isReservedNamespace(namespaceFromBytes(fromHex(text)))).toBe(reserved);
});

test.each([
  ['28 bytes', '00'.repeat(28)],
  ['30 bytes', '00'.repeat(30)],
  ['version 1', `01${'00'.repeat(28)}`],
  ['version 0 with one of its zeros set', `${'00'.repeat(18)}01${'00'.repeat(10)}`],
])('refuses %s', (_, text) => {
  expect(() => namespaceFromBytes(fromHex(text))).toThrow(Rejected);
});

test('an id of another length is refused', () => {
  for (const length of [0, 9, 11]) expect(() => namespaceFromId(new Uint8Array(length))).toThrow(Rejected);
});

test('texts are ordered as bytes are', () => {
  const texts = [RESERVED_NAMESPACES.tailPadding, RESERVED_NAMESPACES.transactions, sequencerNamespace('a')];
  const byBytes = [...texts].sort((left, right) => Buffer.compare(namespaceBytes(left), namespaceBytes(right)));
  expect([...texts].sort().map((text) => toHex(namespaceBytes(text)))).toEqual(byBytes);
});
