import { randomInt } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type CometNetwork,
  type CometNode,
  cometIsThere,
  createCometNetwork,
  lastOutput,
  reach,
} from '../support/comet.ts';
import { createNetwork, type Network, until } from '../support/network.ts';
import { ask, fund, getTexts, newSigner, type Written, writeTexts } from '../support/submitting.ts';

/**
 * One validator of real CometBFT with our application, and composer, conductor and messenger on top: after any kill,
 * acknowledged submissions are executed once, and every replay gives the roots that stand in the blocks.
 */
const ALICE_KEY = '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90';
const POCKET_MONEY = '100000000000';
const KILLS = Number(process.env.SWITCHYARD_COMET_KILLS ?? 3);
const SEED = Number(process.env.SWITCHYARD_COMET_SEED ?? randomInt(1_000_000));

/** Numbers from 0 to 1 that a seed gives again (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

describe.runIf(cometIsThere())('one validator of CometBFT', () => {
  let chain: CometNetwork;
  let node: CometNode;
  let network: Network;
  const written: Written[] = [];

  beforeAll(async () => {
    network = await createNetwork({ isBare: true });
    const file = join(network.home, network.instance, 'config', 'genesis.json');
    const { app_state: appState, consensus_params: params } = JSON.parse(readFileSync(file, 'utf8'));
    chain = await createCometNetwork({ appState, consensusParams: { block: params.block } });
    const [only] = chain.nodes;
    if (only === undefined) throw new Error('no node');
    node = only;
    await node.start();
    await reach(node, 2n);
    const added = await network.switchyard(
      ...['dev', 'network', 'add', 'far', '--instance', network.instance, '--json'],
      ...['--grpc', node.grpc, '--rpc', node.rpc],
    );
    if (added.status !== 0) throw new Error(added.stderr);
    const { composer } = JSON.parse(added.stdout);
    const env = { SEQUENCER_URL: '', SEQUENCER_PRIVATE_KEY: ALICE_KEY };
    Object.assign(network.env, env);
    const sent = await network.switchyard(
      ...['sequencer', 'transfer', composer.address, '--amount', POCKET_MONEY],
      ...['--network', 'far', '--instance', network.instance],
    );
    if (sent.status !== 0) throw new Error(sent.stderr);
    await network.start('far');
  });

  afterAll(async () => {
    await network?.dispose();
    await chain?.dispose();
  });

  const status = async () => (await ask(`${network.url('rollup')}/v1/status`)).body;

  /** Writes texts while `during` runs, and waits until they are executed. */
  async function writeDuring(name: string, during: () => Promise<void>): Promise<void> {
    const url = network.url('rollup');
    const { chainId } = await status();
    const writers = Array.from({ length: 4 }, newSigner);
    await fund(url, chainId, writers);
    let stopped = false;
    const writing = writers.map((signer, index) =>
      writeTexts(url, signer, { chainId, name: `${name} ${index}`, until: () => stopped }),
    );
    try {
      await during();
    } finally {
      stopped = true;
    }
    const mine = (await Promise.all(writing)).flat();
    written.push(...mine);
    await until(
      'every text is executed',
      async () => {
        for (const { hash } of mine) {
          const { body } = await ask(`${url}/v1/transactions/${hash}`);
          if (body.state === 'refused') throw new Error(`refused: ${JSON.stringify(body)}`);
          if (body.state !== 'executed' && body.state !== 'firm') return undefined;
        }
        return true;
      },
      60_000,
    );
  }

  async function textsContinue(what: string): Promise<void> {
    const before = Number((await status()).texts);
    await until(
      `texts continue after ${what}`,
      async () => (Number((await status()).texts) > before + 10 ? true : undefined),
      60_000,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${lastOutput(node)}`);
    });
  }

  const shown = () => getTexts(network.url('rollup'));

  const expected = () => written.map(({ text }) => text).sort();

  test('texts arrive once, through a restart of either process', async () => {
    await writeDuring('restart', async () => {
      await textsContinue('the start');
      await node.stop();
      await node.start();
      await textsContinue('a restart of both');
      await node.comet.stop();
      await node.start();
      await textsContinue('a restart of CometBFT');
      await node.stopApp();
      await node.start();
      await textsContinue('a restart of the application');
    });
    expect(await shown()).toEqual(expected());
  });

  test(
    `either is killed at random moments under load (seed ${SEED}, ${KILLS} times), and nothing is lost or doubled`,
    async () => {
      const random = randomFrom(SEED);
      await writeDuring('killed', async () => {
        for (let round = 0; round < KILLS; round += 1) {
          await new Promise((resolve) => setTimeout(resolve, 300 + random() * 700));
          const victim = random() < 0.5 ? node.app : node.comet;
          await (victim === node.app ? node.stopApp('SIGKILL') : victim.stop('SIGKILL'));
          await node.start();
          await textsContinue(`kill ${round} of ${victim === node.app ? 'the application' : 'CometBFT'}`);
        }
      });
      expect(await shown()).toEqual(expected());
    },
    60_000 + KILLS * 15_000,
  );

  test('a replay of all blocks from nothing gives the same roots', async () => {
    const before = await node.height();
    const roots = await Promise.all([2n, before / 2n, before].map((height) => node.appHash(height)));
    await node.stopApp();
    rmSync(join(node.home, 'app', 'app'), { recursive: true });
    await node.start();
    // CometBFT compares the root after each block with the one in the next, and would halt.
    await reach(node, before + 2n, 60_000);
    expect(await Promise.all([2n, before / 2n, before].map((height) => node.appHash(height)))).toEqual(roots);
  });
});
