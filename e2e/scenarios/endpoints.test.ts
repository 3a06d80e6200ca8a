import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNetwork, type Network, PORTS, until } from '../support/network.ts';
import { createProxy, type TcpProxy } from '../support/proxy.ts';
import { ask, fund, newSigner, writeTexts } from '../support/submitting.ts';

/** Composer and conductor know two ways to the sequencer. Each is cut in turn, and one of them lies. */
let network: Network;
let ways: readonly { readonly grpc: TcpProxy; readonly rpc: TcpProxy }[];

beforeAll(async () => {
  network = await createNetwork({ isBare: true });
  const way = async () => ({
    grpc: await createProxy(PORTS.grpc + network.offset),
    rpc: await createProxy(PORTS.rpc + network.offset),
  });
  ways = [await way(), await way()];
  const grpc = ways.map((each) => each.grpc.url).join(',');
  const rpc = ways.map((each) => each.rpc.url).join(',');
  appendFileSync(
    join(network.home, network.instance, 'networks-config.toml'),
    `
[networks.local.services.composer.env]
SVC_COMPOSER_SEQUENCER_GRPC_ENDPOINT = "${grpc}"
SVC_COMPOSER_SEQUENCER_ABCI_ENDPOINT = "${rpc}"

[networks.local.services.conductor.env]
SVC_CONDUCTOR_SEQUENCER_GRPC_URL = "${grpc}"
SVC_CONDUCTOR_SEQUENCER_COMETBFT_URL = "${rpc}"
`,
  );
  await network.switchyard('dev', 'setconfig', 'blockinterval', '100', '--instance', network.instance);
  await network.start();
});

afterAll(async () => {
  await network?.dispose();
  for (const { grpc, rpc } of ways ?? []) await Promise.all([grpc.close(), rpc.close()]);
});

const cut = (index: number): void => {
  ways[index]?.grpc.cut();
  ways[index]?.rpc.cut();
};
const repair = (index: number): void => {
  ways[index]?.grpc.repair();
  ways[index]?.rpc.repair();
};

/** Which of the two a service uses. */
async function inUse(service: 'composer' | 'conductor'): Promise<number> {
  const { body } = await ask(`${network.url(service)}/status`);
  return body.sequencers.findIndex((each: { inUse: boolean }) => each.inUse);
}

async function allTexts(url: string): Promise<string[]> {
  const shown: string[] = [];
  for (;;) {
    const { body } = await ask(`${url}/v1/texts?after=${shown.length}&limit=1000`);
    if (body.texts.length === 0) return shown;
    shown.push(...body.texts.map(({ message }: { message: string }) => message));
  }
}

const written: string[] = [];

async function untilExecuted(url: string, hashes: readonly string[]): Promise<void> {
  await until('every text is executed', async () => {
    for (const hash of hashes) {
      const { body } = await ask(`${url}/v1/transactions/${hash}`);
      if (body.state !== 'executed' && body.state !== 'firm') return undefined;
    }
    return true;
  });
}

test('every acknowledged text is executed exactly once though each way to the sequencer is cut under load', async () => {
  const url = network.url('rollup');
  const { chainId } = (await ask(`${url}/v1/status`)).body;
  const writers = Array.from({ length: 4 }, newSigner);
  await fund(url, chainId, writers);
  let stopped = false;
  const writing = writers.map((signer, index) =>
    writeTexts(url, signer, { chainId, name: `writer ${index}`, until: () => stopped }),
  );
  for (const [away, other] of [
    [0, 1],
    [1, 0],
    [0, 1],
  ] as const) {
    repair(other);
    cut(away);
    for (const service of ['composer', 'conductor'] as const) {
      await until(`the ${service} uses way ${other}`, async () =>
        (await inUse(service)) === other ? true : undefined,
      );
    }
    const before = Number((await ask(`${url}/v1/status`)).body.texts);
    await until(`texts continue without way ${away}`, async () =>
      Number((await ask(`${url}/v1/status`)).body.texts) > before + 20 ? true : undefined,
    );
  }
  stopped = true;
  const all = (await Promise.all(writing)).flat();
  expect(all.length).toBeGreaterThan(60);
  await untilExecuted(
    url,
    all.map(({ hash }) => hash),
  );
  written.push(...all.map(({ text }) => text));
  expect((await allTexts(url)).sort()).toEqual([...written].sort());
});

test('a way that changes a block is named, and left for the other one', async () => {
  const url = network.url('rollup');
  const { chainId } = (await ask(`${url}/v1/status`)).body;
  const [first, second] = ways;
  if (first === undefined || second === undefined) throw new Error('there are two ways');
  repair(0);
  cut(1);
  await until('the conductor uses way 0', async () => ((await inUse('conductor')) === 0 ? true : undefined));
  repair(1);
  first.grpc.alter('honest', 'forged');
  const writer = newSigner();
  await fund(url, chainId, [writer]);
  let count = 0;
  const texts = await writeTexts(url, writer, { chainId, name: 'honest', until: () => count++ >= 5 });
  await untilExecuted(
    url,
    texts.map(({ hash }) => hash),
  );
  written.push(...texts.map(({ text }) => text));
  expect((await allTexts(url)).sort()).toEqual([...written].sort());

  const { body } = await ask(`${network.url('conductor')}/status`);
  expect(body.sequencers).toMatchObject([
    { url: first.grpc.url, state: 'bad', inUse: false },
    { url: second.grpc.url, state: 'answers', inUse: true },
  ]);
  expect(network.output()).toContain('a sequencer endpoint returned invalid data');
  expect(network.output()).toContain(first.grpc.url);
});
