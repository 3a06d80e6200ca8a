import { parseInput } from '@switchyard/service/input';
import { expect, test } from 'vitest';
import { evm, localNetwork, messenger } from './index.ts';

/** For a machine that is busy. */
const PATIENT = { timeout: 30_000 };

test('explorer and faucets reach their rollups by links: over a cut one they do not, and again when it heals', async () => {
  await using network = await localNetwork({ rollups: [messenger(), evm()], faucet: true, explorer: true });
  const ask = async (part: string, path: string) => parseInput(await (await network.fetch(part, path)).text(), path);
  /** Whether the explorer reaches the node of a rollup, and its faucet does. */
  const reached = async (rollup: string) => {
    const rollups = (await ask('explorer', '/v1/rollups')).at('items').list();
    const shown = rollups.find((each) => each.at('name').value === rollup)?.at('node');
    const faucet = (await ask(`${rollup}-faucet`, '/api/info')).at('state').text();
    // If threads cannot run from sources, it has another problem, which is its own.
    const isAnswering = shown !== undefined && shown.at('problem').value !== 'the rollup does not answer';
    return [isAnswering, faucet];
  };
  for (const rollup of ['messenger', 'evm']) {
    await expect.poll(() => reached(rollup), PATIENT).toEqual([true, 'ready']);
    const links = ['explorer', `${rollup}-faucet`].map((part) => network.link(part, rollup));
    for (const link of links) link.cut();
    await expect.poll(() => reached(rollup), PATIENT).toEqual([false, 'absent']);
    // Others reach it all the while.
    expect((await network.fetch(rollup, '/readyz')).status).toBe(200);
    for (const link of links) link.heal();
    await expect.poll(() => reached(rollup), PATIENT).toEqual([true, 'ready']);
  }
  const link = network.link('sequencer-faucet', 'sequencer');
  const state = async () => (await ask('sequencer-faucet', '/api/info')).at('state').text();
  await expect.poll(state, PATIENT).toBe('ready');
  link.cut();
  await expect.poll(state, PATIENT).toBe('absent');
  link.heal();
  await expect.poll(state, PATIENT).toBe('ready');
});
