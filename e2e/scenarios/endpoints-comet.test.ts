import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cometbft, cometIsThere } from '../support/comet.ts';
import { createNetwork, type Network, until } from '../support/network.ts';
import { ask, fund, newSigner, writeTexts } from '../support/submitting.ts';

/** Composer and conductor know four validators of real CometBFT, each of which is killed or stands still in turn. */
describe.runIf(cometIsThere())('composer and conductor with four nodes', () => {
  let network: Network;
  const rpc = (node: number) => `http://127.0.0.1:${26_657 + network.offset + 10 * node}`;
  const heightOf = async (node: number) =>
    Number((await ask(`${rpc(node)}/status`)).body.result.sync_info.latest_block_height);
  const textCount = async () => Number((await ask(`${network.url('rollup')}/v1/status`)).body.texts);

  /** The nodes that composer and conductor use, by the order in which they know them. */
  async function inUse(): Promise<number[]> {
    const statuses = await Promise.all(
      (['composer', 'conductor'] as const).map((service) => ask(`${network.url(service)}/status`)),
    );
    return statuses.map(({ body }) => body.sequencers.findIndex((each: { inUse: boolean }) => each.inUse));
  }

  async function grows(what: string, more: number): Promise<void> {
    const before = await textCount();
    await until(what, async () => ((await textCount()) >= before + more ? true : undefined), 45_000);
  }

  beforeAll(async () => {
    process.env.SWITCHYARD_COMETBFT = cometbft;
    network = await createNetwork();
    await network.start('cometbft', ['--engine', 'cometbft', '--validators', '4']);
  });

  afterAll(() => network?.dispose());

  test('every acknowledged text is executed exactly once though each node is killed or stands still under load', async () => {
    const url = network.url('rollup');
    const { chainId } = (await ask(`${url}/v1/status`)).body;
    const writers = Array.from({ length: 3 }, newSigner);
    await fund(url, chainId, writers);
    let stopped = false;
    const writing = writers.map((signer, index) =>
      writeTexts(url, signer, { chainId, name: `writer ${index}`, until: () => stopped }),
    );
    await grows('texts are executed', 5);
    for (const node of [0, 1]) {
      for (const service of [`sequencer-${node}`, `cometbft-${node}`]) {
        await network.pid(service).then(
          (pid) => process.kill(pid, 'SIGKILL'),
          () => undefined,
        );
      }
      await grows(`texts continue after node ${node} was killed`, 5);
      const height = await heightOf(3);
      await until('it has caught up', async () => ((await heightOf(node)) >= height ? true : undefined), 45_000);
    }
    // A node that stands still neither refuses nor answers; the other two and the rest of its peers have enough votes.
    const [used = 0] = await inUse();
    const still = await Promise.all([`sequencer-${used}`, `cometbft-${used}`].map((service) => network.pid(service)));
    for (const pid of still) process.kill(pid, 'SIGSTOP');
    try {
      // Answers that were under way when it stopped may still arrive.
      await until('another node is used', async () => ((await inUse())[0] === used ? undefined : true), 45_000);
      await grows(`texts continue though node ${used} stands still`, 5);
    } finally {
      for (const pid of still) process.kill(pid, 'SIGCONT');
    }
    stopped = true;
    const all = (await Promise.all(writing)).flat();
    await until(
      'every text is executed',
      async () => {
        for (const { hash } of all) {
          const { body } = await ask(`${url}/v1/transactions/${hash}`);
          if (body.state !== 'executed' && body.state !== 'firm') return undefined;
        }
        return true;
      },
      60_000,
    );
    const shown: string[] = [];
    for (;;) {
      const { body } = await ask(`${url}/v1/texts?after=${shown.length}&limit=1000`);
      if (body.texts.length === 0) break;
      shown.push(...body.texts.map(({ message }: { message: string }) => message));
    }
    expect(shown.sort()).toEqual(all.map(({ text }) => text).sort());
    expect(network.output()).not.toContain('returned invalid data');
  }, 240_000);
});
