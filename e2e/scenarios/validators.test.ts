import { signText } from '@switchyard/messenger/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cometbft, cometIsThere } from '../support/comet.ts';
import { createNetwork, type Network, until } from '../support/network.ts';
import { ALICE, ASSET, ask, getNonce, post } from '../support/submitting.ts';

/** Four validators of one instance, made and run by one command; each a pair of our application and a real CometBFT. */
describe.runIf(cometIsThere())('dev run --engine cometbft --validators 4', () => {
  let network: Network;
  const NODES = [0, 1, 2, 3];
  const rpc = (node: number) => `http://127.0.0.1:${26_657 + network.offset + 10 * node}`;

  async function getHeight(node: number): Promise<number> {
    return Number((await ask(`${rpc(node)}/status`)).body.result.sync_info.latest_block_height);
  }

  /** Waits until a node has this many more blocks than now. */
  async function blocksContinue(node: number, more: number): Promise<void> {
    const before = await getHeight(node);
    await until(
      `${more} more blocks`,
      async () => ((await getHeight(node)) >= before + more ? true : undefined),
      60_000,
    );
  }

  async function submit(text: string): Promise<string> {
    const url = network.url('rollup');
    const nonce = await getNonce(url, ALICE);
    const bytes = signText({ nonce, chainId: 'messenger', text, from: 'alice', feeAsset: ASSET }, ALICE);
    const { body } = await post(`${url}/v1/transactions`, bytes);
    return (await ask(`${url}/v1/transactions/${body.hash}?wait=executed`)).body.state;
  }

  const dev = (...args: string[]) => network.switchyard('dev', ...args, '--instance', network.instance);

  beforeAll(async () => {
    process.env.SWITCHYARD_COMETBFT = cometbft;
    network = await createNetwork();
    await network.start('cometbft', ['--engine', 'cometbft', '--validators', '4']);
  });

  afterAll(() => network?.dispose());

  test('all four sign, and are listed with the same power', async () => {
    const { stdout } = await network.switchyard('sequencer', 'validators', '--json');
    const { validators } = JSON.parse(stdout);
    expect(validators.map(({ power }: { power: string }) => power)).toEqual(['10', '10', '10', '10']);
    const own = await Promise.all(
      NODES.map(async (node) => (await ask(`${rpc(node)}/status`)).body.result.validator_info.address),
    );
    expect(validators.map(({ address }: { address: string }) => address).sort()).toEqual(own.sort());
  });

  test('a text goes through', async () => {
    expect(['executed', 'firm']).toContain(await submit('to four of them'));
  });

  test('one validator is stopped: blocks continue, and so do texts', async () => {
    expect(await dev('stop', 'cometbft-3')).toMatchObject({ status: 0 });
    await blocksContinue(0, 2);
    expect(['executed', 'firm']).toContain(await submit('to three of them'));
  });

  test('it comes back and has what it missed; all agree on the state', async () => {
    expect(await dev('start', 'cometbft-3')).toMatchObject({ status: 0 });
    const height = await getHeight(0);
    await until('the node has caught up', async () => ((await getHeight(3)) > height ? true : undefined));
    const roots = await Promise.all(
      NODES.map(
        async (node) => (await ask(`${rpc(node)}/commit?height=${height}`)).body.result.signed_header.header.app_hash,
      ),
    );
    expect(new Set(roots).size).toBe(1);
  });

  test('the node that composer and conductor were working with is stopped: they take another', async () => {
    for (const service of ['cometbft-0', 'sequencer-0']) {
      expect(await dev('stop', service)).toMatchObject({ status: 0 });
    }
    await blocksContinue(1, 2);
    expect(['executed', 'firm']).toContain(await submit('to the other three'));
    for (const service of ['sequencer-0', 'cometbft-0']) {
      expect(await dev('start', service)).toMatchObject({ status: 0 });
    }
    const height = await getHeight(1);
    await until('the node has caught up', async () => ((await getHeight(0)) > height ? true : undefined));
  });

  test('the application of one ends: CometBFT ends with it, and the tool brings both back', async () => {
    process.kill(await network.pid('sequencer-2'), 'SIGKILL');
    const services = async () => JSON.parse((await dev('status', '--json')).stdout).services;
    await until('both are ready again', async () => {
      const pair = (await services()).filter(({ name }: { name: string }) => name.endsWith('-2'));
      const back = pair.every(
        ({ state, restarts }: { state: string; restarts: number }) => state === 'ready' && restarts === 1,
      );
      return back && pair.length === 2 ? true : undefined;
    });
    await blocksContinue(2, 1);
  });
});
