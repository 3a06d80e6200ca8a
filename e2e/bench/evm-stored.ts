import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { evmGenesisFile } from '@switchyard/evm/client';
import { openDatabase, testChain, testInput } from '@switchyard/evm/testing';
import { freePort } from '@switchyard/service/testing';
import { until } from '../support/network.ts';
import { withProcess } from '../support/node-process.ts';
import { withEndpoint } from './evm-pair.ts';
import { type Measure, repeated } from './measure.ts';

const GENESIS = evmGenesisFile({
  rollupName: 'stored',
  sequencerChainId: 'sequencer-test',
  startHeight: 2,
  timestamp: 1_700_000_000,
});
const BATCH = 500n;
/** Every this many blocks one has a transfer. */
const PACE = 10n;

/** Seconds from the start of the EVM node's process to its first answer, with this many blocks on disk. */
export const stored: Measure = async (options) => {
  const { blocks, progress } = options;
  const home = mkdtempSync(join(tmpdir(), 'switchyard-bench-'));
  try {
    writeFileSync(join(home, 'genesis.json'), GENESIS);
    progress(`stored: making ${blocks} blocks`);
    await makeBlocks(join(home, 'data'), BigInt(blocks));
    const figures = { ready: [`EVM node ready, ${blocks} blocks stored`, 's', '<= 3'] } as const;
    return await repeated(options, 'stored', figures, async () => ({ ready: await startOnce(home, blocks) }));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
};

async function makeBlocks(directory: string, blocks: bigint): Promise<void> {
  const database = openDatabase(directory);
  const { executor, account } = await testChain({ database, genesisText: GENESIS });
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

async function startOnce(home: string, blocks: number): Promise<number> {
  const [http, ws, execution] = await Promise.all([freePort(), freePort(), freePort()]);
  const settings = {
    HOME: home,
    SVC_EVM_GENESIS_FILEPATH: join(home, 'genesis.json'),
    SVC_EVM_DB_FILEPATH: join(home, 'data'),
    SVC_EVM_HTTP_ADDR: `127.0.0.1:${http}`,
    SVC_EVM_WS_ADDR: `127.0.0.1:${ws}`,
    SVC_EVM_EXECUTION_GRPC_ADDR: `127.0.0.1:${execution}`,
    SVC_EVM_NO_METRICS: 'true',
  };
  const start = performance.now();
  return withEndpoint(`http://127.0.0.1:${http}`, (node) =>
    withProcess('evm', settings, async () => {
      await until('an answer', async () => (await node.blockNumber()) === blocks || undefined);
      return (performance.now() - start) / 1_000;
    }),
  );
}
