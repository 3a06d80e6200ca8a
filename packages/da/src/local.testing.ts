/** The local layer in the process of a test, behind real sockets. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CelestiaSigner, createCelestiaSigner, formatCelestiaAddress } from '@switchyard/protocol/celestia';
import { createMetrics, loadConfig, silentLogger } from '@switchyard/service';
import { freePort } from '@switchyard/service/testing';
import { fields } from './config.ts';
import type { DaNetwork } from './layer.suite.ts';
import { runDa } from './run.ts';

export interface LocalLayer extends DaNetwork {
  readonly directory: string;
  /** Ends it; `start` resumes on the same ports. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

export const getSigner = (byte: number): CelestiaSigner => createCelestiaSigner(new Uint8Array(32).fill(byte));

export async function startLocalLayer(env: Readonly<Record<string, string>> = {}): Promise<LocalLayer> {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-da-'));
  const [api, grpc] = [await freePort(), await freePort()];
  const signers = [getSigner(1), getSigner(2)];
  const config = loadConfig(fields, {
    SVC_DA_API_LISTEN_ADDR: `127.0.0.1:${api}`,
    SVC_DA_GRPC_ADDR: `127.0.0.1:${grpc}`,
    SVC_DA_DB_FILEPATH: join(directory, 'blocks'),
    SVC_DA_BLOCK_INTERVAL_MS: '50',
    SVC_DA_EMPTY_BLOCK_INTERVAL_MS: '50',
    SVC_DA_GENESIS_ACCOUNTS: signers.map(({ account }) => `${formatCelestiaAddress(account)}:1000000000000`).join(','),
    ...env,
  });
  let stop = async (): Promise<void> => undefined;
  const start = async (): Promise<void> => {
    const stopping = new AbortController();
    const closers: (() => Promise<void> | void)[] = [];
    const running: Promise<unknown>[] = [];
    const failures: unknown[] = [];
    stop = async () => {
      stopping.abort(new Error('stopped by the test'));
      await Promise.allSettled(running);
      for (let close = closers.pop(); close !== undefined; close = closers.pop()) await close();
      stop = async () => undefined;
      if (failures.length > 0) throw failures[0];
    };
    await runDa(config, {
      log: silentLogger,
      signal: stopping.signal,
      metrics: createMetrics('switchyard_da_'),
      defer: (close) => void closers.push(close),
      background: (work) => void running.push(work.catch((error) => stopping.signal.aborted || failures.push(error))),
      fail: (error) => void failures.push(error),
    }).catch(async (error: unknown) => {
      await stop();
      throw error;
    });
  };
  await start().catch((error: unknown) => {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  });
  return {
    directory,
    lightNodeUrl: `http://127.0.0.1:${api}`,
    consensusNodeUrl: `http://127.0.0.1:${grpc}`,
    tokenFile: undefined,
    signers,
    start,
    stop: () => stop(),
    async close() {
      await stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
