import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { signText } from '@switchyard/messenger/testing';
import { freePort } from '@switchyard/service/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LayerAndRelayer, type Restartable, restartable, startWithLayer } from '../support/da-processes.ts';
import { createNetwork, type Network, root, run, until } from '../support/network.ts';
import { ALICE, ASSET, ask, getNonce, post } from '../support/submitting.ts';

/** A text becomes firm through relayer, local layer and conductor, and the rollup is made again from the layer alone. */
const MINUTE_MS = 60_000;
const CHAIN = 'sequencer-test-chain-0';

let network: Network;
let posting: LayerAndRelayer;
const others: Restartable[] = [];
/** Trusted block of the sequencer, for rebuilds. */
let anchor: string;
let archive: Awaited<ReturnType<typeof archived>>;
let rebuiltFromLayer: { readonly number: string; readonly hash: string };

const status = async () => (await ask(`${network.url('rollup')}/v1/status`)).body;
const conductor = async () => (await ask(`${network.url('conductor')}/status`)).body;

beforeAll(async () => {
  network = await createNetwork({ isBare: true });
  posting = await startWithLayer(network, CHAIN);
}, 2 * MINUTE_MS);

afterAll(async () => {
  for (const each of [...others, posting?.relayer, posting?.layer]) await each?.stop('SIGKILL');
  await network?.dispose();
});

/** Writes a text. @returns the URL of its state. */
async function write(text: string): Promise<string> {
  const url = network.url('rollup');
  const { chainId } = await status();
  const bytes = signText({ nonce: await getNonce(url, ALICE), chainId, text, from: 'alice', feeAsset: ASSET }, ALICE);
  const { status: answered, body } = await post(`${url}/v1/transactions`, bytes);
  expect([answered, body]).toEqual([202, expect.anything()]);
  return `${url}/v1/transactions/${body.hash}`;
}

const isIn = (url: string, ...states: readonly string[]) =>
  until(
    `${url} is ${states.join(' or ')}`,
    async () => states.includes((await ask(url)).body.state) || undefined,
    MINUTE_MS,
    100,
  );

test(
  'a text is executed by its block, and firm once the layer has it',
  async () => {
    const written = await write('soft, then firm');
    await isIn(written, 'executed', 'firm');
    await isIn(written, 'firm');
    const seen = await conductor();
    expect(seen).toMatchObject({ commitLevel: 'SoftAndFirm' });
    expect(Number(seen.firm)).toBeGreaterThan(0);
    expect(Number(seen.firmLayerHeight)).toBeGreaterThan(1);
  },
  2 * MINUTE_MS,
);

test(
  'without a relayer nothing more becomes firm, and with it all that came in between',
  async () => {
    await posting.relayer.stop('SIGKILL');
    const before = await until(
      'what was posted is read',
      async () => {
        const { firm, layerRead, layerHead } = await conductor();
        const { body } = await ask(`${posting.layer.url}/healthz`);
        return body !== undefined && layerRead === layerHead ? Number(firm) : undefined;
      },
      MINUTE_MS,
    );
    const written = await write('while the relayer is away');
    await isIn(written, 'executed');
    // The rollup answers before the conductor counts the block.
    const firm = await until(
      'a soft block is not firm',
      async () => {
        const seen = await conductor();
        return Number(seen.firm) < Number(seen.soft) ? Number(seen.firm) : undefined;
      },
      MINUTE_MS,
    );
    expect(firm).toBeGreaterThanOrEqual(before);
    await posting.relayer.start();
    await isIn(written, 'firm');
  },
  2 * MINUTE_MS,
);

test(
  'the rollup is made again from the layer alone, with the same blocks, when the sequencer is gone',
  async () => {
    const last = await write('the last one');
    await isIn(last, 'firm');
    const { body: first } = await ask(`${network.url('rpc')}/commit?height=1`);
    anchor = `1:${first.result.signed_header.commit.block_id.hash}`;
    const { firm } = await status();
    const original = (await ask(`${network.url('rollup')}/v1/blocks/${firm.number}`)).body;
    await posting.relayer.stop();
    await network.stop();
    archive = await archived();

    const compared = await rebuilt();
    expect(compared.comparison).not.toHaveProperty('different');
    expect(Number(compared.comparison.same)).toBeGreaterThanOrEqual(Number(firm.number));
    const refused = await network.switchyard('rebuild', '--from-da', '--instance', network.instance);
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('is not empty') });

    const own = compared.into.replace(/\.rebuilt$/, '');
    for (const gone of [own, join(dirname(own), 'sequencer')]) rmSync(gone, { recursive: true });
    const alone = await rebuilt('--anchor', anchor);
    expect(alone.into).toBe(own);
    expect(alone.rebuilt).toEqual(compared.rebuilt);
    rebuiltFromLayer = alone.rebuilt;

    const genesis = join(network.home, network.instance, 'config', 'rollup_genesis.json');
    const again = await rollupOn(genesis, alone.into);
    expect((await ask(`${again.url}/v1/blocks/${firm.number}`)).body).toMatchObject({
      hash: original.hash,
      stateRoot: original.stateRoot,
    });
    expect((await ask(`${again.url}/v1/status`)).body).toMatchObject({ firmMeaning: 'posted' });
    // Its blocks are firm because they were posted, and stay so.
    const other = await run(process.execPath, [join(root, 'packages', 'conductor', 'dist', 'main.js')], {
      SVC_CONDUCTOR_EXECUTION_RPC_URL: again.execution,
      SVC_CONDUCTOR_EXECUTION_COMMIT_LEVEL: 'SoftIsFirm',
      SVC_CONDUCTOR_API_LISTEN_ADDR: '127.0.0.1:0',
      SVC_CONDUCTOR_NO_METRICS: 'true',
    });
    expect(other.status).toBe(1);
    expect(other.stdout + other.stderr).toMatch(
      /expected commit level SoftOnly or SoftAndFirm or FirmOnly, got SoftIsFirm; set SVC_CONDUCTOR_EXECUTION_COMMIT_LEVEL/,
    );
  },
  3 * MINUTE_MS,
);

test(
  'with the data of the layer gone too, an archive gives the same blocks, and a changed byte is refused',
  async () => {
    for (const each of others.splice(0)) await each.stop();
    const data = join(network.home, network.instance, 'data', 'rollup');
    await posting.layer.stop('SIGKILL');
    rmSync(join(network.home, 'posting', 'da'), { recursive: true });
    rmSync(data, { recursive: true });
    const alone = await rebuiltFrom(['--from-archive', archive.directory, '--anchor', anchor]);
    expect(alone.rebuilt).toMatchObject({ number: rebuiltFromLayer.number, hash: rebuiltFromLayer.hash });

    const [first = ''] = readdirSync(archive.directory);
    const path = join(archive.directory, first);
    const bytes = readFileSync(path);
    const middle = Math.floor(bytes.length / 2);
    bytes[middle] = (bytes[middle] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    const place = /segment-00000001-\d{19}: byte \d+: the entry that begins there does not have its hash/;
    const verified = await network.switchyard('archive', 'verify', archive.directory, ...archive.trusted);
    expect(verified).toMatchObject({ status: 1, stderr: expect.stringMatching(place) });
    const args = ['--from-archive', archive.directory, '--anchor', anchor, '--into', join(network.home, 'refused')];
    const refused = await network.switchyard('rebuild', '--instance', network.instance, ...args);
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringMatching(place) });
  },
  3 * MINUTE_MS,
);

/** An archive of all that the layer has. */
async function archived() {
  const directory = join(network.home, 'archive');
  const args = [directory, '--instance', network.instance, '--once', '--json'];
  const ran = await network.switchyard('archive', 'run', ...args);
  expect(ran).toMatchObject({ status: 0 });
  const { last } = JSON.parse(ran.stdout);
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'header.GetByHeight', params: [Number(last)] });
  const headers = { 'content-type': 'application/json' };
  const { body } = await ask(posting.layer.url, { method: 'POST', headers, body: call });
  const trusted = ['--da-chain-id', 'local-da', '--da-trusted', `${last}:${body.result.commit.block_id.hash}`];
  const verified = await network.switchyard('archive', 'verify', directory, ...trusted);
  expect(verified).toMatchObject({ status: 0, stdout: expect.stringMatching(/^ok {2}.*, all proven/) });
  return { directory, trusted };
}

/** Result that `switchyard rebuild` prints for the instance. */
const rebuilt = (...more: readonly string[]) => rebuiltFrom(['--from-da', ...more]);

async function rebuiltFrom(more: readonly string[]) {
  const args = ['rebuild', '--instance', network.instance, '--json', ...more];
  const { status: ended, stdout, stderr } = await network.switchyard(...args);
  expect([ended, stderr.split('\n').filter((line) => !line.includes('"note"'))]).toEqual([0, ['']]);
  return JSON.parse(stdout);
}

/** A messenger on a database. */
async function rollupOn(genesis: string, database: string) {
  const [rest, execution] = await Promise.all([freePort(), freePort()]);
  const rollup = restartable(
    'messenger',
    {
      GENESIS_FILEPATH: genesis,
      DB_FILEPATH: database,
      REST_ADDR: `127.0.0.1:${rest}`,
      EXECUTION_GRPC_ADDR: `127.0.0.1:${execution}`,
      COMPOSER_ADDR: 'http://127.0.0.1:9',
      NO_METRICS: 'true',
    },
    `http://127.0.0.1:${rest}`,
  );
  others.push(rollup);
  await rollup.start();
  return { url: rollup.url, execution: `http://127.0.0.1:${execution}` };
}

test(
  'an instance with a layer of its own needs no settings',
  async () => {
    const own = await createNetwork({ instance: 'layered', init: ['--data-availability', 'local'] });
    try {
      await own.start();
      const url = own.url('rollup');
      const { chainId } = (await ask(`${url}/v1/status`)).body;
      const nonce = await getNonce(url, ALICE);
      const bytes = signText({ nonce, chainId, text: 'out of the box', from: 'alice', feeAsset: ASSET }, ALICE);
      const { body } = await post(`${url}/v1/transactions`, bytes);
      await isIn(`${url}/v1/transactions/${body.hash}`, 'firm');
      expect((await ask(`${own.url('conductor')}/status`)).body).toMatchObject({ commitLevel: 'SoftAndFirm' });
    } finally {
      await own.dispose();
    }
  },
  2 * MINUTE_MS,
);
