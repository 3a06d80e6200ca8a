import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { celestiaFiles } from '../support/celestia.ts';
import { type CelestiaDevnet, startCelestia } from '../support/celestia-devnet.ts';
import { until } from '../support/network.ts';

/** Validator, bridge node and light node of Celestia on loopback, for tests of readers of such a network. */
const MINUTE_MS = 60_000;

describe.skipIf(celestiaFiles() === undefined)('a Celestia network on loopback', () => {
  let devnet: CelestiaDevnet;

  beforeAll(async () => {
    devnet = await startCelestia();
  }, 4 * MINUTE_MS);

  afterAll(async () => {
    const parts = (['app', 'bridge', 'light'] as const).map((part) => devnet?.pid(part));
    await devnet?.stop();
    // Nothing that it started runs, though a killed process may not have been collected by its new parent.
    const left = parts.filter((pid) => existsSync(`/proc/${pid}`));
    for (const pid of left) expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ');
  }, MINUTE_MS);

  const advances = async () => {
    const before = await until('the light node has a head', () => devnet.head(), MINUTE_MS, 200);
    await until('it advances', async () => ((await devnet.head()) > before ? true : undefined), MINUTE_MS, 200);
  };

  test('the head of the light node advances', advances);

  test.each(['light', 'bridge', 'app'] as const)('continues after %s was killed', async (part) => {
    process.kill(devnet.pid(part), 'SIGKILL');
    await until('that shows', async () => ((await devnet.status()).status === 1 ? true : undefined), MINUTE_MS, 200);
    await devnet.up();
    expect((await devnet.status()).status).toBe(0);
    await advances();
  });
});
