import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CELESTIA_PORTS } from '@switchyard/cli/dev';
import { signText } from '@switchyard/messenger/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { celestiaFiles } from '../support/celestia.ts';
import { createNetwork, type Network, run, until } from '../support/network.ts';
import { ALICE, ASSET, ask, getNonce, post } from '../support/submitting.ts';

/** An instance whose layer is Celestia's own programs: posted to a consensus node, read through a light node. */
const MINUTE_MS = 60_000;
const files = celestiaFiles();

describe.skipIf(files === undefined)('blocks on Celestia', () => {
  let network: Network;
  const start = () => network.start('local', ['--da', 'celestia'], 3 * MINUTE_MS);

  beforeAll(async () => {
    network = await createNetwork({ init: ['--data-availability', 'celestia'] });
    const bin = join(network.home, 'bin');
    mkdirSync(bin);
    for (const program of files === undefined ? [] : [files.celestia, files.appd])
      symlinkSync(program, join(bin, basename(program)));
    await start();
  }, 4 * MINUTE_MS);

  afterAll(() => network?.dispose(), MINUTE_MS);

  const conductor = async () => (await ask(`${network.url('conductor')}/status`)).body;

  const becomesFirm = async (text: string) => {
    const url = network.url('rollup');
    const { chainId } = (await ask(`${url}/v1/status`)).body;
    const bytes = signText({ nonce: await getNonce(url, ALICE), chainId, text, from: 'alice', feeAsset: ASSET }, ALICE);
    const { status, body } = await post(`${url}/v1/transactions`, bytes);
    expect(status).toBe(202);
    const isIn = (...states: readonly string[]) =>
      until(
        `${text} is ${states[0]}`,
        async () => states.includes((await ask(`${url}/v1/transactions/${body.hash}`)).body.state) || undefined,
        2 * MINUTE_MS,
        20,
      );
    await isIn('executed', 'firm');
    await isIn('firm');
  };

  test(
    'a text is executed, and firm once it was read back through the light node, at a height of the layer',
    async () => {
      await becomesFirm('to Celestia and back');
      const { commitLevel, firmLayerHeight, layerHead } = await conductor();
      expect(commitLevel).toBe('SoftAndFirm');
      expect(firmLayerHeight).toBeGreaterThan(1);
      expect(layerHead).toBeGreaterThanOrEqual(firmLayerHeight);
    },
    3 * MINUTE_MS,
  );

  test(
    'blocks become firm across a change of the validators of Celestia',
    async () => {
      const home = join(network.home, network.instance, 'data', 'celestia', 'app');
      const rpc = `http://127.0.0.1:${CELESTIA_PORTS.appRpc + network.offset}`;
      const validatorsHash = async () =>
        (await ask(`${rpc}/commit`)).body.result.signed_header.header.validators_hash as string;
      const appd = async (...args: readonly string[]) => {
        const { status, stdout, stderr } = await run(files?.appd ?? '', [...args, '--home', home]);
        expect([status, stderr]).toEqual([0, expect.anything()]);
        return stdout.trim();
      };
      const keyring = ['--keyring-backend', 'test'];
      const before = await validatorsHash();
      const validator = await appd('keys', 'show', 'validator', '--bech', 'val', '--address', ...keyring);
      await appd(
        ...[
          'tx',
          'staking',
          'delegate',
          validator,
          '1000000000utia',
          '--from',
          'validator',
          '--chain-id',
          'celestia-dev',
        ],
        ...['--node', rpc.replace('http', 'tcp'), '--gas', '400000', '--fees', '20000utia', '--yes', ...keyring],
      );
      await until('other voting power', async () => (await validatorsHash()) !== before || undefined, MINUTE_MS, 200);
      const { layerHead } = await conductor();
      await becomesFirm('by other validators');
      expect((await conductor()).firmLayerHeight).toBeGreaterThanOrEqual(layerHead);
    },
    3 * MINUTE_MS,
  );

  test('no secret of the network is readable by others, or in the arguments of a process', async () => {
    const config = join(network.home, network.instance, 'config');
    const names = ['bridge_p2p_key.json', 'light_jwt_secret.json', 'light_read_token'];
    const secrets = [...names.map((name) => join(config, 'celestia', name)), join(config, 'relayer_dev_priv_key')];
    for (const path of secrets) expect(statSync(path).mode & 0o777, path).toBe(0o600);
    const parts = ['celestia-app', 'celestia-bridge', 'celestia-light', 'conductor', 'relayer'];
    const processes = await Promise.all(
      parts.map(async (part) => {
        const pid = await network.pid(part);
        return ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8')).join('\0');
      }),
    );
    for (const path of secrets) {
      const text = readFileSync(path, 'utf8').trim();
      expect(processes.filter((shown) => shown.includes(text))).toEqual([]);
    }
  });

  test.each(['celestia-light', 'celestia-bridge', 'celestia-app'])(
    'blocks become firm after %s was killed',
    async (part) => {
      process.kill(await network.pid(part), 'SIGKILL');
      await becomesFirm(`without ${part}`);
    },
    3 * MINUTE_MS,
  );

  test(
    'a stopped instance continues its Celestia network',
    async () => {
      const before = await conductor();
      await network.stop();
      await start();
      await becomesFirm('after a start');
      const after = await conductor();
      expect(after.firm).toBeGreaterThan(before.firm);
      expect(after.firmLayerHeight).toBeGreaterThan(before.firmLayerHeight);
    },
    4 * MINUTE_MS,
  );

  test('its layer cannot be changed', async () => {
    await network.stop();
    const { status, stderr } = await network.switchyard('dev', 'run', '--instance', network.instance, '--da', 'none');
    expect(status).toBe(1);
    expect(stderr).toContain(
      `instance ${network.instance} has data availability celestia, asked for is none: take another instance: \`switchyard dev init --data-availability none`,
    );
  });

  test(
    'with the sequencer and all data gone, the rollup is made again from Celestia alone, with the same blocks',
    async () => {
      await start();
      await becomesFirm('the last one');
      const { body: first } = await ask(`${network.url('rpc')}/commit?height=1`);
      const anchor = `1:${first.result.signed_header.commit.block_id.hash}`;
      const stop = async (service: string) => {
        const stopped = await network.switchyard('dev', 'stop', service, '--instance', network.instance);
        expect(stopped).toMatchObject({ status: 0 });
      };
      await stop('sequencer');
      // A block that is posted after the first rebuild would be in the second one only.
      const isPosted = async () => {
        const { soft, firm } = await conductor();
        return soft === firm || undefined;
      };
      await until('every block is firm', isPosted, 2 * MINUTE_MS, 200);
      for (const service of ['conductor', 'rollup']) await stop(service);
      const rebuilt = async (...more: readonly string[]) => {
        const args = ['rebuild', '--from-da', '--instance', network.instance, '--json', ...more];
        const { status, stdout, stderr } = await network.switchyard(...args);
        expect([status, stderr]).toEqual([0, expect.anything()]);
        return JSON.parse(stdout);
      };
      // All firm blocks are there again, unchanged.
      const compared = await rebuilt();
      expect(compared.comparison).not.toHaveProperty('different');
      expect(Number(compared.comparison.same)).toBeGreaterThan(1);

      const own = compared.into.replace(/\.rebuilt$/, '');
      for (const gone of [own, join(dirname(own), 'sequencer')]) rmSync(gone, { recursive: true });
      const alone = await rebuilt('--anchor', anchor);
      expect(alone.into).toBe(own);
      expect(alone.rebuilt).toEqual(compared.rebuilt);
    },
    6 * MINUTE_MS,
  );
});
