import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { abci } from '@switchyard/protocol/gen';
import { afterEach, expect, test } from 'vitest';
import { createSuiteApp, newDisk } from '../testing.ts';
import { abciAddress } from './address.ts';
import { createCometEngine } from './engine.ts';
import { framePrefix, MAX_FRAME_BYTES } from './frames.ts';
import { connectAbci, encodeRequest } from './testing.ts';

const cleanups: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (let cleanup = cleanups.pop(); cleanup !== undefined; cleanup = cleanups.pop()) await cleanup();
});

/** An engine over the suite's application, for which no CometBFT answers. */
async function running(listen = 'tcp://127.0.0.1:0') {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-abci-'));
  cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
  const logged: string[] = [];
  const log = (fields: object, sentence: string) => void logged.push(`${sentence} ${Object.values(fields).join(' ')}`);
  const disk = newDisk();
  const app = createSuiteApp(disk);
  const address = abciAddress.fromText(listen.replace('DIR', directory));
  if (address === undefined) throw new Error(`no address: ${listen}`);
  const engine = createCometEngine(
    { directory, listen: address, rpcUrl: 'http://127.0.0.1:9' },
    { log: { info: () => undefined, debug: () => undefined, warn: log, error: log } },
  );
  const stopping = new AbortController();
  const ended = engine.run(app, stopping.signal).then(
    () => undefined,
    (error: unknown) => error,
  );
  cleanups.push(async () => {
    stopping.abort();
    await ended;
  });
  const { url } = await engine.listening();
  return { url, app, disk, logged, ended, directory, engine, stop: () => stopping.abort() };
}

const block = (height: bigint, ...txs: Uint8Array[]) => ({
  height,
  txs,
  hash: new Uint8Array(32).fill(Number(height)),
  time: { seconds: 1_700_000_000n + height, nanos: 5 },
  proposerAddress: new Uint8Array(20),
});

test.each(['tcp://127.0.0.1:0', 'unix://DIR/app.sock'])(
  'takes a chain from its first call to a block over %s',
  async (listen) => {
    const { url, disk } = await running(listen);
    const consensus = await connectAbci(url);
    const [info, flushed, init] = await consensus.ask(
      { case: 'info', value: { version: '0.38.26' } },
      { case: 'flush', value: {} },
      {
        case: 'initChain',
        value: {
          chainId: 'solo-test-1',
          time: { seconds: 1n },
          validators: [{ pubKey: { sum: { case: 'ed25519', value: new Uint8Array(32).fill(3) } }, power: 10n }],
          appStateBytes: Buffer.from('{}'),
          initialHeight: 1n,
        },
      },
    );
    expect(info).toMatchObject({ case: 'info', value: { data: 'astria_sequencer', lastBlockHeight: 0n } });
    expect(flushed?.case).toBe('flush');
    expect(init?.case === 'initChain' && init.value.appHash).toHaveLength(32);

    const mempool = await connectAbci(url);
    const [checked, refused, echoed] = await mempool.ask(
      { case: 'checkTx', value: { tx: Buffer.from('name=alice') } },
      { case: 'checkTx', value: { tx: Buffer.from('?'), type: abci.CheckTxType.RECHECK } },
      { case: 'echo', value: { message: 'hello' } },
    );
    expect([checked, refused, echoed]).toMatchObject([
      { case: 'checkTx', value: { code: 0 } },
      { case: 'checkTx', value: { code: 20, log: 'expected KEY=VALUE' } },
      { case: 'echo', value: { message: 'hello' } },
    ]);

    const [prepared] = await consensus.ask({ case: 'prepareProposal', value: { ...block(1n), maxTxBytes: 1_000n } });
    const txs = prepared?.case === 'prepareProposal' ? prepared.value.txs : [];
    expect(txs).toHaveLength(2);
    // All of a height in one write: answered one after another.
    const answers = await consensus.ask(
      { case: 'processProposal', value: block(1n, ...txs) },
      { case: 'processProposal', value: block(1n, new Uint8Array(32), ...txs.slice(1)) },
      { case: 'extendVote', value: block(1n, ...txs) },
      { case: 'verifyVoteExtension', value: { height: 1n, voteExtension: new Uint8Array([1]) } },
      { case: 'finalizeBlock', value: block(1n, ...txs) },
      { case: 'commit', value: {} },
      { case: 'info', value: {} },
    );
    const { ACCEPT, REJECT } = abci.ProposalStatus;
    expect(answers).toMatchObject([
      { case: 'processProposal', value: { status: ACCEPT } },
      { case: 'processProposal', value: { status: REJECT } },
      { case: 'extendVote', value: { voteExtension: new Uint8Array() } },
      { case: 'verifyVoteExtension', value: { status: REJECT } },
      {
        case: 'finalizeBlock',
        value: { txResults: [{ code: 0 }, { code: 0, gasUsed: 3n }], appHash: Uint8Array.from(disk.appHash) },
      },
      { case: 'commit' },
      { case: 'info', value: { lastBlockHeight: 1n, lastBlockAppHash: Uint8Array.from(disk.appHash) } },
    ]);

    const query = await connectAbci(url);
    const [found, none] = await query.ask(
      { case: 'query', value: { path: 'name' } },
      { case: 'query', value: { path: 'city' } },
    );
    expect(found).toMatchObject({ case: 'query', value: { code: 0, value: new Uint8Array(Buffer.from('alice')) } });
    expect(none).toMatchObject({ case: 'query', value: { code: 8 } });
  },
);

test.each<[string, Uint8Array, string]>([
  ['a length above the limit', framePrefix(MAX_FRAME_BYTES + 1), 'expected at most 104857600'],
  ['bytes that are no message', Buffer.from([3, 255, 255, 255]), 'message that is no request'],
  ['a kind of request that is not known', Buffer.from([3, 0x8a, 0x06, 0]), 'request of a kind that is not known'],
  ['a message without anything', Buffer.from([0]), 'request of a kind that is not known'],
])('%s ends that connection with one line, and no other', async (_, bytes, problem) => {
  const { url, logged } = await running();
  const [bad, good] = [await connectAbci(url), await connectAbci(url)];
  bad.socket.write(bytes);
  await bad.closed();
  expect(logged).toHaveLength(1);
  expect(logged[0]).toContain(problem);
  expect(await good.ask({ case: 'echo', value: { message: 'on' } })).toMatchObject([{ value: { message: 'on' } }]);
});

test('a failing application reports that to CometBFT and ends the node', async () => {
  const { url, app, ended } = await running();
  app.before = (call) => {
    if (call === 'prepareProposal') throw new Error('the disk is full');
  };
  const connection = await connectAbci(url);
  const answers = connection.ask({ case: 'prepareProposal', value: block(1n) });
  expect(await answers).toMatchObject([{ case: 'exception', value: { error: 'the disk is full' } }]);
  expect(String(await ended)).toBe('Error: the disk is full');
});

test('a socket that another process listens on is not taken away from it', async () => {
  const { directory, url, stop, ended } = await running('unix://DIR/app.sock');
  const other = createCometEngine(
    { directory: join(directory, 'other'), listen: { kind: 'unix', path: url.slice(7) }, rpcUrl: 'http://127.0.0.1:9' },
    { log: { info: () => undefined, debug: () => undefined, warn: () => undefined, error: () => undefined } },
  );
  const second = other.run(createSuiteApp(newDisk()), new AbortController().signal);
  await expect(second).rejects.toThrow(/^cannot listen on unix:.* a program listens there already/);
  stop();
  await ended;
});

test('requests are bytes that CometBFT would send: the numbers of the fields are the published ones', () => {
  expect(Buffer.from(encodeRequest({ case: 'flush', value: {} })).toString('hex')).toBe('1200');
  expect(
    Buffer.from(encodeRequest({ case: 'checkTx', value: { tx: Buffer.from('a'), type: 1 } })).toString('hex'),
  ).toBe('42050a01611001');
  expect(Buffer.from(encodeRequest({ case: 'commit', value: {} })).toString('hex')).toBe('5a00');
});

test('a genesis with keys of another type ends the connection with one line', async () => {
  const { url, logged } = await running();
  const connection = await connectAbci(url);
  const publicKey = { sum: { case: 'secp256k1' as const, value: new Uint8Array(33) } };
  const answers = connection.ask({ case: 'initChain', value: { chainId: 'c', validators: [{ pubKey: publicKey }] } });
  await expect(answers).rejects.toThrow('the connection has ended');
  expect(logged).toEqual([expect.stringContaining('validator key of type secp256k1, expected ed25519')]);
});

test('idle connections keep neither an old nor a new connection of CometBFT out', async () => {
  const { url } = await running();
  const before = await connectAbci(url);
  await before.ask({ case: 'info', value: {} }, { case: 'flush', value: {} });
  const port = Number(new URL(url).port);
  const silent: Socket[] = [];
  for (let count = 0; count < 40; count += 1) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    cleanups.push(() => socket.destroy());
    await new Promise((resolve) => socket.once('connect', resolve));
    silent.push(socket);
  }
  const after = await connectAbci(url);
  for (const connection of [before, after]) {
    const [info] = await connection.ask({ case: 'info', value: {} }, { case: 'flush', value: {} });
    expect(info?.case).toBe('info');
  }
});

// Defect: Each connection to the ABCI port that is not ABCI made a line of the log for ever
test('connections that are not understood are logged once and then by their number', async () => {
  const { url, logged } = await running();
  const port = Number(new URL(url).port);
  for (let count = 0; count < 20; count += 1) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    // A length above the limit, another each time.
    socket.end(framePrefix(MAX_FRAME_BYTES + 1 + count));
    socket.resume();
    await new Promise((resolve) => socket.once('close', resolve));
  }
  const about = logged.filter((line) => line.includes('not understood'));
  expect(about).toEqual([expect.stringContaining(`message of ${MAX_FRAME_BYTES + 1} bytes`)]);
});

test('a web page that posts to the port is not understood', async () => {
  const { url, ended, stop } = await running();
  const port = Number(new URL(url).port);
  const posted = fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: new Uint8Array(100_000) });
  await expect(posted).rejects.toThrow('fetch failed');
  const consensus = await connectAbci(url);
  const [info] = await consensus.ask({ case: 'info', value: {} }, { case: 'flush', value: {} });
  expect(info?.case).toBe('info');
  stop();
  expect(await ended).toBeUndefined();
});
