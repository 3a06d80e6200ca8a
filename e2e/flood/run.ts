import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sequencerClient } from '@switchyard/client';
import { parseDenom, rollupIdFromName, signTransaction, txHashOf } from '@switchyard/protocol';
import { createNetwork, type Network, PORTS, root, until } from '../support/network.ts';
import { quantile } from '../support/statistics.ts';
import { ALICE, ask, getAddress } from '../support/submitting.ts';
import type { FloodKind, Material, Ports, Service } from './attack.ts';
import type { AttackJob } from './attacker.ts';
import { startFloor } from './floor.ts';
import { latencies, recovery } from './measure.ts';
import { divideProcessors, type Processors } from './processors.ts';
import { createUsers, type TimedUsers } from './users.ts';
import { evaluate, MAX_RATIO, type Verdict } from './verdict.ts';

export interface FloodOptions {
  readonly kinds: readonly FloodKind[];
  readonly seconds: number;
  readonly progress: (text: string) => void;
}

export interface FloodReport {
  readonly note: string;
  readonly rows: readonly (Verdict & { readonly service: Service; readonly what: string; readonly attacks: number })[];
}

const ENTRY = join(root, 'e2e', 'dist', 'flood', 'attacker.js');
/** Loopback is a whole network on Linux: the attacker has an address of its own there. */
const ATTACKER = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1';
const WATCHED_MS = 20_000;
const WARM_UP_SECONDS = 2;
const START_MS = 120_000;
const OVERDUE_MS = 10_000;
const BLOCK_INTERVAL_MS = 200;

/** Each flood in turn against one network; before, during and after it, honest users are timed. */
export async function runFloods({ kinds, seconds, progress }: FloodOptions): Promise<FloodReport> {
  const processors = divideProcessors();
  progress(processors.note);
  const network = await createNetwork({ instance: 'flood', init: ['--template', 'messenger,evm'] });
  const floor = await startFloor();
  try {
    await network.switchyard('dev', 'setconfig', 'blockinterval', String(BLOCK_INTERVAL_MS), '--instance', 'flood');
    allowLargeBlocks(network);
    await network.start('local', [], START_MS);
    let users = await createUsers(network);
    const material = await getMaterial(network);
    const rows: FloodReport['rows'][number][] = [];
    for (const { name, service, what } of kinds) {
      const honest: TimedUsers = { ...users[service], floor: floor.request };
      await latencies(honest, WARM_UP_SECONDS);
      // It lasts as long as the flood: a 99th percentile of more samples would be of a rarer kind.
      const before = await latencies(honest, seconds);
      const attack = startAttack(
        { kind: name, ports: getPorts(network), from: ATTACKER, seconds, material },
        processors,
      );
      const during = await latencies(honest, seconds);
      const attacks = await attack;
      const bounds = {
        read: quantile(before.read, 0.99) * MAX_RATIO,
        submit: quantile(before.submit, 0.99) * MAX_RATIO,
      };
      const recoveryMs = await recovery(honest, bounds, WATCHED_MS);
      const verdict = evaluate({ kind: name, quiet: before, during, recoveryMs });
      progress(
        `${name}: ${verdict.violations.length === 0 ? 'good' : verdict.violations.join(', ')} (${attacks} times)`,
      );
      rows.push({ ...verdict, service, what, attacks });
      if (recoveryMs !== undefined) continue;
      // Effects of this flood must not pass for the quiet before the next one.
      await network.stop();
      await network.start('local', [], START_MS);
      users = await createUsers(network);
    }
    return { note: processors.note, rows };
  } finally {
    floor.stop();
    await network.dispose();
  }
}

const LARGE_BYTES = 10_000_000;

function allowLargeBlocks({ home, instance }: Network): void {
  const file = join(home, instance, 'config', 'genesis.json');
  const genesis = JSON.parse(readFileSync(file, 'utf8'));
  const limit = String(2 * LARGE_BYTES);
  genesis.app_state.limits = { max_sequenced_bytes_per_block: limit, max_transaction_bytes: limit };
  writeFileSync(file, JSON.stringify(genesis));
}

async function getMaterial(network: Network): Promise<Material> {
  const { body } = await ask(`${network.url('rollup')}/v1/status`);
  const client = sequencerClient({ rpcUrl: network.url('rpc') });
  const chainId = await client.genesisChainId();
  const { nonce } = await client.nonce(getAddress(ALICE));
  const [rollup, feeAsset] = [rollupIdFromName('large'), parseDenom('ntia')];
  const action = { kind: 'rollupDataSubmission', rollup, data: new Uint8Array(LARGE_BYTES), feeAsset } as const;
  const transaction = signTransaction({ nonce, chainId, actions: [action] }, ALICE);
  await client.broadcastSync(transaction);
  const included = await until('a large block', () => client.tx(txHashOf(transaction)));
  return { messengerChain: body.chainId, sequencerChain: chainId, largeBlock: Number(included.height) };
}

function getPorts({ offset }: Network): Ports {
  const { rollup, evm, evmWs, rpc, grpc, collector, execution, faucet } = PORTS;
  const ports = { messenger: rollup, evm, evmWs, rpc, grpc, collector, execution, faucet };
  return Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, port + offset])) as Record<
    Service,
    number
  >;
}

/** Resolves when the attacker has ended, with the number of its actions. */
function startAttack(job: AttackJob, { attacker }: Processors): Promise<number> {
  const [command = '', ...args] = [...attacker, process.execPath, ENTRY, JSON.stringify(job)];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk: Uint8Array) => (printed += String(chunk)));
  const overdue = setTimeout(() => child.kill('SIGKILL'), job.seconds * 1_000 + OVERDUE_MS);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => {
      clearTimeout(overdue);
      resolve(Number(printed.trim() || 0));
    });
  });
}
