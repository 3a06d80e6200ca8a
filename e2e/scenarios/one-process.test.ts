import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNetwork, type Network, until } from '../support/network.ts';
import { ask, fund, getTexts, newSigner, type Written, writeTexts } from '../support/submitting.ts';

/** The services of a network as parts of one process: restarted one by one under load, and exchanged for processes and back. */
let network: Network;
const written: Written[] = [];

beforeAll(async () => {
  network = await createNetwork({ isBare: true, hasProcesses: false });
  await network.start();
});

afterAll(() => network?.dispose());

const status = async () => (await ask(`${network.url('rollup')}/v1/status`)).body;

/** Writes texts while `during` runs, and waits until all that was acknowledged is executed. */
async function writeDuring(name: string, during: () => Promise<void>): Promise<void> {
  const url = network.url('rollup');
  const { chainId } = await status();
  const writers = [newSigner(), newSigner()];
  await fund(url, chainId, writers);
  let stopped = false;
  const writing = writers.map((signer, index) =>
    writeTexts(url, signer, { chainId, name: `${name} ${index}`, until: () => stopped }),
  );
  await during().finally(() => {
    stopped = true;
  });
  const mine = (await Promise.all(writing)).flat();
  written.push(...mine);
  for (const { hash } of mine) {
    await until(`the text ${hash} is executed`, async () => {
      const { body } = await ask(`${url}/v1/transactions/${hash}?wait=executed&timeoutMs=9000`);
      if (body.state === 'refused') throw new Error(JSON.stringify(body));
      return body.state === 'executed' || body.state === 'firm' ? true : undefined;
    });
  }
}

const shown = () => getTexts(network.url('rollup'));

const expected = () => written.map(({ text }) => text).sort();

async function texts(count: number): Promise<void> {
  // A rollup that was restarted a moment ago may not listen yet.
  const before = await until('the rollup answers', async () => Number((await status()).texts));
  await until('texts are executed', async () => (Number((await status()).texts) > before + count ? true : undefined));
}

/** Root of the sequencer's state after each block, and the hash of each rollup block, up to a height. */
async function hashes(height: number): Promise<unknown[]> {
  const heights = Array.from({ length: height }, (_, index) => index + 1);
  return Promise.all(
    heights.map(async (each) => {
      const { body } = await ask(`${network.url('rpc')}/commit?height=${each}`);
      const block = await ask(`${network.url('rollup')}/v1/blocks/${each}`);
      expect(block.status).toBe(200);
      return [body.result.signed_header.header.app_hash, block.body.hash];
    }),
  );
}

test('each service is restarted alone under load, and every acknowledged text is executed once', async () => {
  const { services } = JSON.parse((await network.switchyard('dev', 'status', '--instance', 'e2e', '--json')).stdout);
  expect(new Set(services.map(({ pid }: { pid: number }) => pid))).toEqual(new Set([network.toolPid()]));
  await writeDuring('restarted', async () => {
    for (const service of ['composer', 'conductor', 'rollup', 'sequencer']) {
      await texts(3);
      const ran = await network.switchyard('dev', 'restart', service, '--instance', 'e2e');
      expect(ran, ran.stderr).toMatchObject({ status: 0 });
    }
    await texts(3);
  });
  expect(await shown()).toEqual(expected());
});

test('a second run of the instance is refused with the id of the process, in either mode', async () => {
  for (const mode of [[], ['--processes']]) {
    const ran = await network.switchyard('dev', 'run', '--instance', 'e2e', '--headless', ...mode);
    expect(ran.status).toBe(1);
    expect(ran.stderr).toContain(`process ${network.toolPid()}`);
  }
});

test('a network that was stopped continues in processes, and then again in one, from the same hashes', async () => {
  for (const mode of [['--processes'], []]) {
    const { soft } = await status();
    const before = await hashes(soft.number);
    await network.stop();
    await network.start('local', mode);
    expect(await hashes(soft.number)).toEqual(before);
    await writeDuring(`continued ${mode.join()}`, () => texts(3));
  }
  expect(await shown()).toEqual(expected());
});
