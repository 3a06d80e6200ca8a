/** Runs the contract of engines with a real CometBFT behind this one; skipped without the program. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { eventually, freePort } from '@switchyard/service/testing';
import { describe } from 'vitest';
import { engineSuite } from '../engine.suite.ts';
import { createCometEngine } from './engine.ts';
import { type Recorded, recordBetween } from './record.testing.ts';

const CHAIN = 'solo-test-1';
/** A file that is written with the exchange of all tests that are run; name one test with `-t`. */
const record = process.env.SWITCHYARD_RECORD_ABCI;
const recorded: Recorded[] = [];
const known = new Set<string>();
const program = findProgram();
if (program === undefined) {
  console.log('no cometbft found: the suite of the engine is left out (node scripts/cometbft.mjs builds it, with Go)');
}

describe.runIf(program !== undefined)('with a real CometBFT', () => {
  engineSuite('the CometBFT engine', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'switchyard-comet-suite-'));
    const home = join(directory, 'home');
    const command = (...args: string[]) => {
      const { status, stderr } = spawnSync(program ?? '', [...args, '--home', home], { encoding: 'utf8' });
      if (status !== 0) throw new Error(`cometbft ${args.join(' ')}: ${stderr}`);
    };
    command('init');
    const genesis = join(home, 'config', 'genesis.json');
    const document = { ...JSON.parse(readFileSync(genesis, 'utf8')), chain_id: CHAIN };
    writeFileSync(genesis, JSON.stringify(document));
    const port = await freePort();
    const socket = join(directory, 'app.sock');
    const rpc = `http://127.0.0.1:${port}`;
    const { pub_key: key, power } = document.validators[0];
    return {
      chainId: CHAIN,
      validator: { publicKey: Uint8Array.from(Buffer.from(key.value, 'base64')), power: BigInt(power) },
      async start(app) {
        const silent = () => undefined;
        const engine = createCometEngine(
          { directory: join(directory, 'headers'), listen: { kind: 'unix', path: socket }, rpcUrl: rpc },
          { log: { info: silent, warn: silent, error: silent, debug: silent } },
        );
        const stopping = new AbortController();
        const ended = engine.run(app, stopping.signal).catch(() => undefined);
        await engine.listening();
        const comet = startComet(home, await outside(socket), port);
        const over = ended.then(() => end(comet));
        return {
          feed: engine,
          async submit(tx) {
            // The RPC answers a moment after the first blocks are made.
            const url = `${rpc}/broadcast_tx_sync?tx=0x${Buffer.from(tx).toString('hex')}`;
            const response = await eventually(() => fetch(url).catch(() => undefined));
            if (!response.ok) throw new Error(await response.text());
          },
          async stop() {
            await end(comet);
            stopping.abort();
            await over;
          },
          ended: () => over,
        };
      },
      async dispose() {
        if (record !== undefined) writeFileSync(record, JSON.stringify(recorded));
        rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
      },
    };
  });
});

/** Address to which CometBFT connects: to the engine, or to a recorder in between. */
async function outside(socket: string): Promise<string> {
  if (record === undefined) return socket;
  const between = `${socket}.${recorded.length}`;
  recorded.push({ start: known.has(socket) ? 'again' : 'new' });
  known.add(socket);
  await recordBetween(between, socket, recorded);
  return between;
}

function startComet(home: string, socket: string, port: number): ChildProcess {
  return spawn(
    program ?? '',
    [
      'start',
      ...['--home', home, '--proxy_app', `unix://${socket}`, '--log_level', 'none'],
      ...['--rpc.laddr', `tcp://127.0.0.1:${port}`, '--rpc.pprof_laddr', '', '--p2p.laddr', 'tcp://127.0.0.1:0'],
    ],
    { stdio: 'ignore', env: { ...process.env, CMT_CONSENSUS_TIMEOUT_COMMIT: '20ms' } },
  );
}

/** Ends it like a crash: everything it has not written is lost. */
async function end(comet: ChildProcess): Promise<void> {
  if (comet.exitCode !== null || comet.signalCode !== null) return;
  const ended = new Promise((resolve) => comet.once('exit', resolve));
  comet.kill('SIGKILL');
  await ended;
}

function findProgram(): string | undefined {
  const set = process.env.SWITCHYARD_COMETBFT;
  if (set !== undefined && set !== '') return set;
  const root = import.meta.dirname.replace(/\/packages\/sequencer\/src\/engine\/comet$/, '');
  const cache = process.env.SWITCHYARD_CACHE ?? join(root, '.cache');
  const built = existsSync(cache) ? readdirSync(cache).filter((name) => name.startsWith('cometbft-')) : [];
  const places = [...built.map((name) => join(cache, name)), ...(process.env.PATH ?? '').split(delimiter)];
  return places.map((place) => join(place, 'cometbft')).find((file) => existsSync(file));
}
