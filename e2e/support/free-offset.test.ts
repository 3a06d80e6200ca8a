import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodePorts } from '@switchyard/stack/ports';
import { expect, onTestFinished, test, vi } from 'vitest';
import { freeOffset, PORTS } from './network.ts';

/** Higher than any offset that is given out. */
const MANY = 10_000;

test('attempts in vain keep no ports', async () => {
  const claims = mkdtempSync(join(tmpdir(), 'claims-'));
  vi.stubEnv('SWITCHYARD_TEST_PORTS', claims);
  onTestFinished(() => void vi.unstubAllEnvs());
  const taken = Array.from({ length: MANY }, (_, offset) => String(PORTS.explorer + offset));
  for (const port of taken) writeFileSync(join(claims, port), 'another file');
  await expect(freeOffset()).rejects.toThrow('no range of free ports');
  expect(readdirSync(claims).sort()).toEqual(taken.sort());
});

test('the ports of four nodes under CometBFT are claimed too', async () => {
  const claims = mkdtempSync(join(tmpdir(), 'claims-'));
  vi.stubEnv('SWITCHYARD_TEST_PORTS', claims);
  onTestFinished(() => void vi.unstubAllEnvs());
  const offset = await freeOffset();
  const nodes = [0, 1, 2, 3].flatMap((node) => Object.values(nodePorts(node, offset)).map(String));
  expect(readdirSync(claims)).toEqual(expect.arrayContaining(nodes));
});
