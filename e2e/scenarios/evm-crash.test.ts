import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createClient } from '@connectrpc/connect';
import { DEV_ACCOUNTS, evmGenesisFile } from '@switchyard/evm/client';
import { signTransaction } from '@switchyard/evm/testing';
import { execution2 } from '@switchyard/protocol/gen';
import { grpcTransport } from '@switchyard/service';
import { afterEach, expect, test } from 'vitest';

/* The EVM node is killed at the worst moments, driven call by call as a conductor drives it. */

const PROGRAM = fileURLToPath(new URL('../../packages/evm/dist/main.js', import.meta.url));

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function chain() {
  const home = await mkdtemp(join(tmpdir(), 'switchyard-evm-'));
  cleanups.push(() => rm(home, { recursive: true, force: true }));
  const genesis = join(home, 'genesis.json');
  await writeFile(genesis, evmGenesisFile({ rollupName: 'crash', sequencerChainId: 'test', startHeight: 2 }));
  return { home, genesis };
}

/** A node on its files, and its conductor's side. */
async function start({ home, genesis }: { readonly home: string; readonly genesis: string }) {
  const child = spawn(process.execPath, [PROGRAM], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      SVC_EVM_GENESIS_FILEPATH: genesis,
      SVC_EVM_DB_FILEPATH: join(home, 'db'),
      SVC_EVM_COMPOSER_ADDR: 'http://127.0.0.1:1',
      SVC_EVM_EXECUTION_GRPC_ADDR: '127.0.0.1:0',
      SVC_EVM_HTTP_ADDR: '127.0.0.1:0',
      SVC_EVM_WS_ADDR: '127.0.0.1:0',
      SVC_EVM_NO_METRICS: 'true',
    },
  });
  cleanups.push(() => kill(child));
  const { executionUrl } = await answering(child);
  const transport = grpcTransport(executionUrl);
  cleanups.push(() => transport.close());
  const execution = createClient(execution2.ExecutionService, transport);
  const session = await execution.createExecutionSession({});
  if (session.commitmentState === undefined) throw new Error('the session has no commitments');
  return { child, execution, sessionId: session.sessionId, commitments: session.commitmentState };
}

type Node = Awaited<ReturnType<typeof start>>;

/** Waits until the node answers, and reads the URL of its execution API. */
async function answering(child: ChildProcess): Promise<{ readonly executionUrl: string }> {
  const seen: string[] = [];
  if (child.stdout === null) throw new Error('the node has no output');
  for await (const line of createInterface({ input: child.stdout })) {
    seen.push(line);
    if (line.includes('node answers')) {
      child.stdout.resume();
      return JSON.parse(line) as { executionUrl: string };
    }
  }
  throw new Error(`the node ended: ${seen.join('\n')}`);
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

const [rich] = DEV_ACCOUNTS;

/** Input that moves coins; the same for the same number. */
function execute({ execution, sessionId }: Node, parentHash: string, number: number) {
  if (rich === undefined) throw new Error('no development account');
  const transfer = signTransaction(
    {
      chainId: 1337n,
      nonce: BigInt(number - 1),
      gasLimit: 21_000n,
      maxFeePerGas: 10n ** 10n,
      to: rich.address,
      value: 1n,
    },
    rich.privateKey,
  );
  return execution.executeBlock({
    sessionId,
    parentHash,
    transactions: [{ value: { case: 'sequencedData', value: transfer } }],
    timestamp: { seconds: BigInt(1_700_000_000 + number), nanos: 0 },
    sequencerBlockHash: number.toString(16).padStart(64, '0'),
  });
}

test('a block that was executed and not committed is gone with the process, and is executed again with the same hash', async () => {
  const files = await chain();
  const first = await start(files);
  const genesis = first.commitments.softExecutedBlockMetadata;
  const executed = await execute(first, genesis?.hash ?? '', 1);
  await kill(first.child);
  const again = await start(files);
  expect(again.commitments.softExecutedBlockMetadata).toEqual(genesis);
  expect(await execute(again, genesis?.hash ?? '', 1)).toEqual(executed);
});

test('a commitment that was answered survives the end of the process a moment later', async () => {
  const files = await chain();
  let hash = '';
  for (let number = 1; number <= 4; number += 1) {
    const node = await start(files);
    const { softExecutedBlockMetadata: soft, firmExecutedBlockMetadata: firm } = node.commitments;
    expect([soft?.number, firm?.number]).toEqual([BigInt(number - 1), 0n]);
    if (hash !== '') expect(soft?.hash).toBe(hash);
    const { executedBlockMetadata: block } = await execute(node, soft?.hash ?? '', number);
    const commitmentState = { ...node.commitments, softExecutedBlockMetadata: block };
    await node.execution.updateCommitmentState({ sessionId: node.sessionId, commitmentState });
    await kill(node.child);
    hash = block?.hash ?? '';
  }
});
