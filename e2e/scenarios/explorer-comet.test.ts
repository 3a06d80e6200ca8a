import { join } from 'node:path';
import { signText } from '@switchyard/messenger/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cometbft, cometIsThere } from '../support/comet.ts';
import { withExplorer } from '../support/explorer.ts';
import { provenByRoute } from '../support/inclusion.ts';
import { createNetwork, type Network, until } from '../support/network.ts';
import { ALICE, type Answer, ASSET, ask, getNonce, post, read } from '../support/submitting.ts';

/** Four validators of real CometBFT, as the explorer shows them. */
describe.runIf(cometIsThere())('the explorer of a CometBFT network', () => {
  const START = ['--engine', 'cometbft', '--validators', '4'];
  let network: Network;
  /** Result of a call to CometBFT over HTTP. */
  const comet = async (path: string): Promise<Answer['body']> =>
    (await ask(`${network.url('rpc')}${path}`)).body.result;
  const api = (path: string): Promise<Answer['body']> => read(`${network.url('explorer')}${path}`);
  const newest = async () => Number((await comet('/status')).sync_info.latest_block_height);

  /** Waits until the explorer has the present newest block, and the commit of the one before. */
  const indexed = async (): Promise<number> => {
    const height = await newest();
    return until(
      `the explorer has block ${height}`,
      async () => ((await api('/v1/status').catch(() => undefined))?.height >= height ? height : undefined),
      60_000,
    );
  };

  beforeAll(async () => {
    process.env.SWITCHYARD_COMETBFT = cometbft;
    network = await createNetwork();
    await network.start('cometbft', START);
  }, 180_000);
  afterAll(() => network?.dispose());

  test('blocks and their signers are those of CometBFT', { timeout: 120_000 }, async () => {
    await until('there are blocks', async () => ((await newest()) > 5 ? true : undefined), 60_000);
    const height = await indexed();
    const { validators } = await comet(`/validators?height=${height}`);
    for (let at = 2; at < height; at += 1) {
      const [block, next] = [await api(`/v1/blocks/${at}`), await comet(`/block?height=${at + 1}`)];
      const { block_id: id, signatures } = next.block.last_commit;
      expect([block.hash, block.height]).toEqual([id.hash.toLowerCase(), at]);
      const signed = signatures.filter((each: { block_id_flag: number }) => each.block_id_flag === 2).length;
      expect(block.commit).toMatchObject({ signed, validators: 4 });
      expect(block.absent).toHaveLength(4 - signed);
    }
    const shown = (await api('/v1/validators')).validators;
    expect(shown.map(({ address }: { address: string }) => address).sort()).toEqual(
      validators.map(({ address }: { address: string }) => address.toLowerCase()).sort(),
    );
    expect(shown).toMatchObject(validators.map(() => ({ active: true, power: expect.stringMatching(/^[1-9]/) })));
  });

  test('a text is traced, with a proof against a commit of four validators', { timeout: 120_000 }, async () => {
    const url = network.url('rollup');
    const { chainId } = (await ask(`${url}/v1/status`)).body;
    const nonce = await getNonce(url, ALICE);
    const bytes = signText({ nonce, chainId, text: 'to four validators', from: 'alice', feeAsset: ASSET }, ALICE);
    const { body } = await post(`${url}/v1/transactions`, bytes);
    const found = await until(
      'it is executed',
      async () => {
        const { submissions } = await api(`/v1/trace/${body.hash}`);
        return submissions[0]?.execution === null ? undefined : submissions[0];
      },
      60_000,
    );
    const proof = await api(`/v1/rollups/messenger/proof/${found.sequencer.height}/${found.position}`);
    expect(proof.validators).toHaveLength(4);
    const { node_info: info } = await comet('/status');
    expect(Buffer.from(provenByRoute(proof, info.network)).includes(Buffer.from(bytes))).toBe(true);
    expect(() => provenByRoute(proof, 'another-chain')).toThrow();
  });

  test('a validator that is away is absent in the blocks of that time', { timeout: 180_000 }, async () => {
    const { address } = (await ask(`http://127.0.0.1:${26_657 + network.offset + 30}/status`)).body.result
      .validator_info;
    const pids = await Promise.all(['sequencer-3', 'cometbft-3'].map((service) => network.pid(service)));
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    try {
      // Any vote may be late for once.
      await until(
        'three blocks without its signature are in the index',
        async () => {
          const { items } = await api('/v1/blocks?limit=20');
          const heights = items.map(({ height }: { height: number }) => height);
          const blocks = await Promise.all(heights.map((height: number) => api(`/v1/blocks/${height}`)));
          const missing = blocks.filter(({ absent }) => absent.includes(address.toLowerCase()));
          return missing.length >= 3 ? true : undefined;
        },
        60_000,
      );
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    }
    const { validators } = await api('/v1/validators');
    const missed = validators.find((each: { address: string }) => each.address === address.toLowerCase());
    expect(missed.missed).toBeGreaterThan(0);
  });

  test('an empty index is filled by many blocks in one request, with the same contents', async () => {
    const height = (await indexed()) - 1;
    const contents = async (explorer: string) => {
      const blocks = [];
      for (let each = 1; each <= height; each += 1) blocks.push(await read(`${explorer}/v1/blocks/${each}`));
      const { items } = await read(`${explorer}/v1/rollups/messenger/transactions?limit=100`);
      const texts = items.filter((each: Answer['body']) => each.sequencer.height <= height);
      return { blocks, hashes: texts.map(({ hash }: { hash: string }) => hash) };
    };
    const expected = await contents(network.url('explorer'));
    expect(expected.hashes.length).toBeGreaterThan(0);
    const env = {
      SVC_EXPLORER_SEQUENCER_ABCI_ENDPOINT: network.url('rpc'),
      SVC_EXPLORER_SEQUENCER_GRPC_ENDPOINT: network.url('grpc'),
      SVC_EXPLORER_ROLLUP_URLS: network.url('rollup'),
    };
    await withExplorer({ directory: join(network.home, 'another-index'), env }, async ({ url }) => {
      await until(
        'it has all blocks',
        async () => {
          const { height: has, rollups } = (await ask(`${url}/v1/status`)).body;
          return has > height && rollups[0]?.number >= height - 1 ? true : undefined;
        },
        60_000,
      );
      expect(await contents(url)).toEqual(expected);
    });
  }, 120_000);
});
