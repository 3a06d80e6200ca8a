import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNetwork, type Network, until } from '../support/network.ts';
import { ask, fund, newSigner, writeTexts } from '../support/submitting.ts';

/** Any process may be killed at any moment: what was acknowledged is executed, once. */
let network: Network;

beforeAll(async () => {
  network = await createNetwork();
  await network.switchyard('dev', 'setconfig', 'blockinterval', '100', '--instance', network.instance);
  await network.start();
});

afterAll(() => network?.dispose());

const KILLED = ['composer', 'sequencer', 'rollup', 'conductor'] as const;

test('every acknowledged text is executed exactly once though each process is killed under load', async () => {
  const url = network.url('rollup');
  const { chainId } = (await ask(`${url}/v1/status`)).body;
  const writers = Array.from({ length: 6 }, newSigner);
  await fund(url, chainId, writers);

  let stopped = false;
  const writing = writers.map((signer, index) =>
    writeTexts(url, signer, { chainId, name: `writer ${index}`, until: () => stopped }),
  );
  for (const round of [1, 2]) {
    for (const service of KILLED) {
      const before = Number((await until('status', () => ask(`${url}/v1/status`))).body.texts);
      const pid = await network.pid(service);
      process.kill(pid, 'SIGKILL');
      await until(`${service} has been started again, round ${round}`, async () =>
        (await network.pid(service)) === pid ? undefined : true,
      );
      await until(`texts continue after ${service} was killed`, async () =>
        Number((await ask(`${url}/v1/status`)).body.texts) > before + 10 ? true : undefined,
      );
    }
  }
  stopped = true;
  const written = (await Promise.all(writing)).flat();
  expect(written.length).toBeGreaterThan(100);

  await until('every text is executed', async () => {
    for (const { hash } of written) {
      const { body } = await ask(`${url}/v1/transactions/${hash}`);
      if (body.state === 'refused') throw new Error(`refused: ${JSON.stringify(body)}`);
      if (body.state !== 'executed' && body.state !== 'firm') return undefined;
    }
    return true;
  });
  const shown: string[] = [];
  for (;;) {
    const { body } = await ask(`${url}/v1/texts?after=${shown.length}&limit=1000`);
    if (body.texts.length === 0) break;
    shown.push(...body.texts.map(({ message }: { message: string }) => message));
  }
  expect(shown.sort()).toEqual(written.map(({ text }) => text).sort());
});

test('nothing that ran is left behind when the tool itself is killed', async () => {
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
  expect(Number((await ask(`${network.url('rollup')}/v1/status`)).body.texts)).toBeGreaterThan(100);
});
