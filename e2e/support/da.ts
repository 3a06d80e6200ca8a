import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DaNetwork, getSigner } from '@switchyard/da/testing';
import { formatCelestiaAddress } from '@switchyard/protocol/celestia';
import { freePort } from '@switchyard/service/testing';
import { restartable } from './da-processes.ts';

/** The local data-availability layer as a process of its own. */
export interface DaProcess extends DaNetwork {
  /** Everything it printed. */
  output(): string;
  /** Takes no leave. */
  kill(): Promise<void>;
  /** On the same disk and ports as before. */
  start(): Promise<void>;
}

/** @param settings Names without the prefix. */
export async function startDa(settings: Readonly<Record<string, string>> = {}): Promise<DaProcess> {
  const home = mkdtempSync(join(tmpdir(), 'switchyard-da-'));
  const [api, grpc] = [await freePort(), await freePort()];
  const lightNodeUrl = `http://127.0.0.1:${api}`;
  const signers = [getSigner(1), getSigner(2)];
  const all = {
    API_LISTEN_ADDR: `127.0.0.1:${api}`,
    GRPC_ADDR: `127.0.0.1:${grpc}`,
    DB_FILEPATH: join(home, 'blocks'),
    BLOCK_INTERVAL_MS: '100',
    GENESIS_ACCOUNTS: signers.map(({ account }) => `${formatCelestiaAddress(account)}:1000000000000`).join(','),
    NO_METRICS: 'true',
    ...settings,
  };
  const env = Object.fromEntries(Object.entries(all).map(([name, value]) => [`SVC_DA_${name}`, value]));
  const layer = restartable('da', env, lightNodeUrl);
  const da: DaProcess = {
    lightNodeUrl,
    consensusNodeUrl: `http://127.0.0.1:${grpc}`,
    tokenFile: undefined,
    signers,
    output: layer.log,
    kill: () => layer.stop('SIGKILL'),
    start: layer.start,
    async close() {
      await da.kill();
      rmSync(home, { recursive: true, force: true });
    },
  };
  await da.start();
  return da;
}
