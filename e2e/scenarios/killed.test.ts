import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNetwork, type Network, until } from '../support/network.ts';
import { ALICE, ask, writeTexts } from '../support/submitting.ts';

/** The tool is killed alone; `npm run chaos` kills the processes, under load. */
let network: Network;

beforeAll(async () => {
  network = await createNetwork({ isBare: true });
  await network.switchyard('dev', 'setconfig', 'blockinterval', '100', '--instance', network.instance);
  await network.start();
});

afterAll(() => network?.dispose());

const KILLED = ['composer', 'sequencer', 'rollup', 'conductor'] as const;

test('nothing that ran is left behind when the tool itself is killed, and acknowledged texts are there afterwards', async () => {
  const url = network.url('rollup');
  const { chainId } = (await ask(`${url}/v1/status`)).body;
  const ends = Array.from({ length: 20 }, () => false);
  const written = await writeTexts(url, ALICE, { chainId, name: 'alice', until: () => ends.pop() ?? true });
  expect(written).toHaveLength(20);
  const pids = await Promise.all(KILLED.map((service) => network.pid(service)));
  const { stdout } = await network.switchyard('dev', 'status', '--instance', network.instance, '--json');
  const { pid } = JSON.parse(stdout) as { pid: number };
  process.kill(pid, 'SIGKILL');
  const alive = (each: number) => {
    try {
      process.kill(each, 0);
      return true;
    } catch {
      return false;
    }
  };
  await until('all services have ended', () => (pids.some(alive) ? undefined : true));
  await network.start();
  await until('all are executed', async () => {
    const { texts } = (await ask(`${url}/v1/texts?limit=1000`)).body;
    // Behind the one of the genesis file.
    const [, ...shown] = texts.map(({ message }: { message: string }) => message);
    expect(shown).toEqual(written.map(({ text }) => text));
    return true;
  });
});
