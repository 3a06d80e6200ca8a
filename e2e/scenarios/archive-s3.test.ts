import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openArchiveStore } from '@switchyard/da';
import { archiveStoreSuite } from '@switchyard/da/testing';
import { signText } from '@switchyard/messenger/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LayerAndRelayer, startWithLayer } from '../support/da-processes.ts';
import { createNetwork, type Network, type Ran, root, run, until } from '../support/network.ts';
import { createS3Server, REGION, type S3Server, s3IsThere, withoutConditions } from '../support/s3.ts';
import { ALICE, ASSET, ask, getNonce, post } from '../support/submitting.ts';

/** An archive in S3-compatible storage: the features of a server that it relies on, and a rollup that is made again from it alone. */
const MINUTE_MS = 60_000;
const CHAIN = 'sequencer-test-chain-0';
const switchyard = join(root, 'packages', 'cli', 'bin', 'switchyard.mjs');

describe.skipIf(!s3IsThere())('S3', () => {
  let server: S3Server;
  let places = 0;

  beforeAll(async () => {
    server = await createS3Server();
    // This process opens archives too.
    Object.assign(process.env, server.credentials);
    await server.start();
  }, MINUTE_MS);

  afterAll(async () => {
    await server?.dispose();
  });

  archiveStoreSuite('S3', async () => {
    places += 1;
    const prefix = `suite/${places}`;
    const files = join(server.files, prefix);
    mkdirSync(files, { recursive: true });
    const at = `s3://${server.bucket}/${prefix}`;
    return { open: () => openArchiveStore({ at, endpoint: server.url, region: REGION }), files };
  });

  test('without conditional writes, a segment that is there is not put over', async () => {
    const plain = await withoutConditions(server.url);
    try {
      const at = `s3://${server.bucket}/plain`;
      const open = () => openArchiveStore({ at, endpoint: plain.url, region: REGION });
      const name = `segment-00000001-${'1'.padStart(19, '0')}`;
      await (await open()).create(name, Uint8Array.of(1));
      await (await open()).create(name, Uint8Array.of(1));
      await expect((await open()).create(name, Uint8Array.of(2))).rejects.toThrow('another process writes');
      expect([...(await (await open()).read(name))]).toEqual([1]);
    } finally {
      plain.close();
    }
  });

  describe('a rollup', () => {
    let network: Network;
    let posting: LayerAndRelayer;
    const s3 = () => [`s3://${server.bucket}/rollup`, '--s3-endpoint', server.url, '--s3-region', REGION];
    const objects = () => join(server.files, 'rollup');

    beforeAll(async () => {
      network = await createNetwork({ isBare: true });
      posting = await startWithLayer(network, CHAIN);
    }, 2 * MINUTE_MS);

    afterAll(async () => {
      for (const each of [posting?.relayer, posting?.layer]) await each?.stop('SIGKILL');
      await network?.dispose();
    });

    /** No output may have a part of the secret. */
    async function cli(args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Ran> {
      const ran = await run(switchyard, args, { ...network.env, ...server.credentials, ...more });
      expect(ran.stdout + ran.stderr).not.toContain(server.credentials.AWS_SECRET_ACCESS_KEY);
      return ran;
    }

    async function firmText(text: string): Promise<void> {
      const url = network.url('rollup');
      const { chainId } = (await ask(`${url}/v1/status`)).body;
      const bytes = signText(
        { nonce: await getNonce(url, ALICE), chainId, text, from: 'alice', feeAsset: ASSET },
        ALICE,
      );
      const { body } = await post(`${url}/v1/transactions`, bytes);
      const isFirm = async () => (await ask(`${url}/v1/transactions/${body.hash}`)).body.state === 'firm' || undefined;
      await until(`${text} is firm`, isFirm, MINUTE_MS, 100);
    }

    /** `archive run` until it was killed, once it has put some objects, before `in the meantime` and after it. */
    async function killedArchiver(meanwhile: (printed: () => string) => Promise<void>): Promise<void> {
      const args = ['archive', 'run', ...s3(), '--instance', network.instance, '--s3-every', '1'];
      const child = spawn(switchyard, args, {
        env: { ...process.env, ...network.env, ...server.credentials },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let printed = '';
      child.stderr.on('data', (chunk: Uint8Array) => (printed += String(chunk)));
      const closed = new Promise((resolve) => child.once('close', resolve));
      const more = async () => {
        const before = segments().length;
        await until('the archiver has put two objects', () => {
          if (child.exitCode !== null) throw new Error(`it ended: ${printed}`);
          return segments().length >= before + 2 || undefined;
        });
      };
      await more();
      await meanwhile(() => printed);
      await more();
      child.kill('SIGKILL');
      await closed;
    }

    async function rebuilt(args: readonly string[]) {
      const ran = await cli(args);
      expect(ran, ran.stderr).toMatchObject({ status: 0 });
      return JSON.parse(ran.stdout);
    }

    const segments = () => {
      try {
        return readdirSync(objects()).sort();
      } catch {
        return [];
      }
    };

    test(
      'is made again from the archive alone, with the same blocks, after the archiver was killed and all else is gone',
      async () => {
        await firmText('into the archive');
        await killedArchiver(() => firmText('while it runs'));
        await firmText('after a kill');
        await killedArchiver(async (printed) => {
          await server.stop();
          await until(
            'it waits',
            () => /waiting: s3:\S+: http:\S+ cannot be reached/.test(printed()) || undefined,
            MINUTE_MS,
          );
          await server.start();
        });
        const url = network.url('rollup');
        const { firm } = (await ask(`${url}/v1/status`)).body;
        const { body: first } = await ask(`${network.url('rpc')}/commit?height=1`);
        const anchor = `1:${first.result.signed_header.commit.block_id.hash}`;
        await posting.relayer.stop();
        await network.stop();

        const kept = Object.fromEntries(segments().map((name) => [name, statSync(join(objects(), name)).mtimeMs]));
        const ran = await cli(['archive', 'run', ...s3(), '--instance', network.instance, '--once', '--json']);
        expect(ran, ran.stderr).toMatchObject({ status: 0 });
        // Existing segments are not put again.
        for (const [name, at] of Object.entries(kept)) expect(statSync(join(objects(), name)).mtimeMs).toBe(at);
        const { last } = JSON.parse(ran.stdout);
        const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'header.GetByHeight', params: [Number(last)] });
        const headers = { 'content-type': 'application/json' };
        const { body } = await ask(posting.layer.url, { method: 'POST', headers, body: call });
        const trusted = ['--da-chain-id', 'local-da', '--da-trusted', `${last}:${body.result.commit.block_id.hash}`];
        const verified = await cli(['archive', 'verify', ...s3(), ...trusted]);
        expect(verified).toMatchObject({
          status: 0,
          stderr: '',
          stdout: expect.stringMatching(/^ok {2}s3:.* all proven/),
        });

        await posting.layer.stop('SIGKILL');
        rmSync(join(network.home, 'posting', 'da'), { recursive: true });
        const data = join(network.home, network.instance, 'data');
        rmSync(join(data, 'sequencer'), { recursive: true });
        const rebuild = ['rebuild', '--instance', network.instance, '--json', '--from-archive', ...s3(), ...trusted];
        const compared = await rebuilt(rebuild);
        expect(compared.comparison).not.toHaveProperty('different');
        expect(Number(compared.comparison.same)).toBeGreaterThanOrEqual(Number(firm.number));
        rmSync(join(data, 'rollup'), { recursive: true });
        const alone = await rebuilt([...rebuild, '--anchor', anchor]);
        expect(alone).toEqual({ into: join(data, 'rollup'), rebuilt: compared.rebuilt });

        // Damage: a byte in the middle of the second object.
        const [, second = ''] = segments();
        const path = join(objects(), second);
        const whole = readFileSync(path);
        const middle = Math.floor(whole.length / 2);
        writeFileSync(
          path,
          Uint8Array.from(whole, (byte, index) => (index === middle ? byte ^ 1 : byte)),
        );
        const place = new RegExp(`s3://${server.bucket}/rollup: ${second}: byte \\d+: `);
        for (const args of [
          ['archive', 'verify', ...s3(), ...trusted],
          [...rebuild, '--anchor', anchor, '--into', join(network.home, 'refused')],
        ]) {
          const refused = await cli(args);
          expect(refused).toMatchObject({ status: 1, stderr: expect.stringMatching(place) });
        }
      },
      5 * MINUTE_MS,
    );

    test(
      'what is wrong with a place, or with credentials, is one line',
      async () => {
        const verify = ['archive', 'verify', '--da-chain-id', 'local-da', '--da-trusted', `1:${'ab'.repeat(32)}`];
        const at = (bucket: string, url = server.url) => [...verify, `s3://${bucket}/x`, '--s3-endpoint', url];
        const region = { AWS_REGION: REGION };
        const none = {
          AWS_ACCESS_KEY_ID: '',
          AWS_SECRET_ACCESS_KEY: '',
          AWS_EC2_METADATA_DISABLED: 'true',
          HOME: network.home,
        };
        const cases: readonly (readonly [readonly string[], NodeJS.ProcessEnv, number, RegExp])[] = [
          [
            at('absent-bucket'),
            region,
            1,
            /s3:\/\/absent-bucket\/x: there is no bucket absent-bucket at http:\S+: create it/,
          ],
          [at(server.bucket), region, 1, /s3:\/\/archives\/x: holds no archive, or an empty one/],
          [
            at(server.bucket),
            { ...region, AWS_SECRET_ACCESS_KEY: 'wrong' },
            1,
            /does not accept the credentials \(SignatureDoesNotMatch\)/,
          ],
          [at(server.bucket), { ...region, ...none }, 1, /no credentials for http:\S+: set AWS_ACCESS_KEY_ID and/],
          [
            at(server.bucket),
            { AWS_REGION: undefined, AWS_DEFAULT_REGION: undefined, HOME: network.home },
            1,
            /no region: set --s3-region, or AWS_REGION/,
          ],
          [at(server.bucket), { AWS_REGION: 'eu-1' }, 1, /the region is not that of the bucket: set --s3-region/],
          [
            at(server.bucket, 'http://127.0.0.1:9'),
            region,
            1,
            /http:\/\/127.0.0.1:9 cannot be reached, to list segments/,
          ],
          [[...at(server.bucket), '--s3-region', '-'], {}, 1, /no region: set --s3-region/],
          [at('Not_A_Bucket'), region, 2, /expected s3:\/\/BUCKET\/PREFIX/],
        ];
        for (const [args, env, status, line] of cases) {
          const { stderr, ...ran } = await cli(args, env);
          expect([args, ran.status, stderr]).toEqual([args, status, expect.stringMatching(line)]);
          expect(stderr.trim().split('\n')).toHaveLength(1);
        }
      },
      2 * MINUTE_MS,
    );
  });
});
