import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { evmGenesisFile } from '@switchyard/evm/client';
import { openDatabase, testChain, testInput } from '@switchyard/evm/testing';
import { freePort } from '@switchyard/service/testing';
import { root, until } from '../support/network.ts';
import { Endpoint } from './evm-endpoint.ts';

const CHOICES = { rollupName: 'stored', sequencerChainId: 'sequencer-test', startHeight: 2, timestamp: 1_700_000_000 };
const BATCH = 500n;
/** Every so many blocks one has a transfer. */
const PACE = 10n;

/** Seconds from the start of the EVM node's process to its first answer, with so many blocks on disk. */
export async function readyWithBlocks({
  runs,
  blocks,
  progress,
}: {
  readonly runs: number;
  readonly blocks: number;
  readonly progress: (text: string) => void;
}): Promise<number[]> {
  const home = mkdtempSync(join(tmpdir(), 'switchyard-bench-'));
  const genesis = join(home, 'genesis.json');
  const seconds: number[] = [];
  try {
    writeFileSync(genesis, evmGenesisFile({ ...CHOICES }));
    progress(`stored: making ${blocks} blocks`);
    await makeBlocks(join(home, 'data'), BigInt(blocks));
    for (let run = 0; run < runs; run += 1) {
      seconds.push(await startOnce(home, genesis, blocks));
      progress(`stored: ready in ${seconds.at(-1)?.toFixed(2)} s`);
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  return seconds;
}

async function makeBlocks(directory: string, blocks: bigint): Promise<void> {
  const database = openDatabase(directory);
  const { executor, account } = await testChain({ database, genesis: { ...CHOICES, bridges: [] } });
  const [from, to] = [account(0), account(1)];
  for (let next = 1n; next <= blocks; next += BATCH) {
    const { commitments } = await executor.state();
    const count = blocks - next + 1n < BATCH ? blocks - next + 1n : BATCH;
    const inputs = Array.from({ length: Number(count) }, (_, index) => {
      const number = next + BigInt(index);
      const data =
        number % PACE === 0n ? [{ kind: 'sequencedData', data: from.transfer(to.address, 1n) } as const] : [];
      return testInput(number, data);
    });
    await executor.executeBatch(commitments.soft.hash, inputs, { firm: true });
  }
  await database.close();
}

async function startOnce(home: string, genesis: string, blocks: number): Promise<number> {
  const [http, ws, execution] = await Promise.all([freePort(), freePort(), freePort()]);
  const start = performance.now();
  const child = spawn(process.execPath, [join(root, 'packages', 'evm', 'dist', 'main.js')], {
    env: {
      PATH: process.env.PATH,
      HOME: home,
      SVC_EVM_GENESIS_FILEPATH: genesis,
      SVC_EVM_DB_FILEPATH: join(home, 'data'),
      SVC_EVM_HTTP_ADDR: `127.0.0.1:${http}`,
      SVC_EVM_WS_ADDR: `127.0.0.1:${ws}`,
      SVC_EVM_EXECUTION_GRPC_ADDR: `127.0.0.1:${execution}`,
      SVC_EVM_NO_METRICS: 'true',
    },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const node = new Endpoint('ours', `http://127.0.0.1:${http}`);
  try {
    await until('an answer', async () => ((await node.blockNumber()) === blocks ? true : undefined), 60_000);
    return (performance.now() - start) / 1_000;
  } finally {
    node.close();
    child.kill('SIGTERM');
    await ended;
  }
}
