import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSigner, type Signer, type Timestamp, timestampFromMillis } from '@switchyard/protocol';
import { type Clock, wallClock } from '@switchyard/service';
import type { GenesisFile, SoloConfig, SoloEngine } from '../engine.ts';
import { parseGenesisFile } from '../genesis-file.ts';
import { createSuiteApp, type Disk, newDisk, type SuiteApp } from '../testing.ts';
import { createSoloEngine } from './engine.ts';

export const CHAIN = 'solo-test-1';
export const signer: Signer = createSigner(Buffer.alloc(32, 7));

export function genesisFile(overrides: object = {}): GenesisFile {
  const document = {
    genesis_time: '2025-01-02T03:04:05.6Z',
    chain_id: CHAIN,
    initial_height: '0',
    consensus_params: { block: { max_bytes: '1048576', max_gas: '-1' }, version: { app: '1' } },
    validators: [
      {
        pub_key: { type: 'tendermint/PubKeyEd25519', value: Buffer.from(signer.publicKey).toString('base64') },
        power: '10',
        name: 'core',
      },
    ],
    app_hash: '',
    app_state: { kept: ['as', 'it', 'is'] },
    ...overrides,
  };
  return parseGenesisFile(JSON.stringify(document), 'genesis.json');
}

/** A solo engine over the application of the suite, in this process, which can be killed and started again. */
export interface Fixture {
  readonly directory: string;
  readonly disk: Disk;
  readonly logged: readonly string[];
  app: SuiteApp;
  engine: SoloEngine;
  /** URL of the RPC; empty before it answers. */
  url: string;
  /** Starts an engine, the first or one more over the same directory and disk. */
  start(config?: Partial<SoloConfig>, app?: SuiteApp): Promise<void>;
  /** Resolves when `run` of the last engine has ended, with its error or with nothing. */
  ended(): Promise<unknown>;
  stop(): Promise<void>;
  /** Offers a transaction and waits for the block that it comes to. */
  include(tx: string): Promise<bigint>;
  /** Waits until a transaction is in the pool. */
  pending(): Promise<void>;
  /** Waits until a height can be seen. */
  reach(height: bigint): Promise<void>;
  dispose(): Promise<void>;
}

export function createFixture(
  clock?: Clock,
  now: () => Timestamp = () => timestampFromMillis(wallClock.unixMs()),
): Fixture {
  const directory = mkdtempSync(join(tmpdir(), 'solo-'));
  const disk = newDisk();
  const logged: string[] = [];
  const log = (fields: object, sentence: string) => void logged.push(`${sentence} ${Object.values(fields).join(' ')}`);
  const never = createSuiteApp(disk);
  let controller = new AbortController();
  let running: Promise<unknown> = Promise.resolve(undefined);

  function make(config: Partial<SoloConfig> = {}): SoloEngine {
    return createSoloEngine(
      {
        directory,
        genesis: genesisFile(),
        rpc: { host: '127.0.0.1', port: 0 },
        blockIntervalMs: 10,
        emptyBlockIntervalMs: 50,
        ...config,
      },
      {
        signer,
        pool: fixture.app.pool,
        now,
        ...(clock !== undefined && { clock }),
        log: { info: log, warn: log, error: log, debug: () => undefined },
      },
    );
  }

  const fixture: Fixture = {
    directory,
    disk,
    logged,
    app: never,
    engine: undefined as unknown as SoloEngine,
    url: '',

    async start(config, app = createSuiteApp(disk)) {
      fixture.app = app;
      fixture.engine = make(config);
      controller = new AbortController();
      running = fixture.engine.run(fixture.app, controller.signal).then(
        () => undefined,
        (error: unknown) => error,
      );
      fixture.url = await fixture.engine.listening().then(
        ({ url }) => url,
        () => '',
      );
    },

    ended: () => running,

    async stop() {
      controller.abort();
      await running;
    },

    include(tx) {
      const before = fixture.disk.height;
      const bytes = Buffer.from(tx);
      return new Promise((resolve) => {
        const stop = fixture.engine.onBlock((height) => {
          if (height <= before || fixture.app.pool.transactions(1_000).some((each) => bytes.equals(each))) return;
          stop();
          resolve(height);
        });
        fixture.app.checkTx(bytes, 'new');
      });
    },

    pending() {
      return new Promise((resolve) => {
        const { pool } = fixture.app;
        if (pool.pendingCount > 0) return resolve();
        const stop = pool.onPending(() => {
          stop();
          resolve();
        });
      });
    },

    reach(height) {
      return new Promise((resolve) => {
        if (fixture.disk.height >= height && fixture.engine.commits.at(height) !== undefined) return resolve();
        const stop = fixture.engine.onBlock((at) => {
          if (at < height) return;
          stop();
          resolve();
        });
      });
    },

    async dispose() {
      await fixture.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  fixture.engine = make();
  return fixture;
}
