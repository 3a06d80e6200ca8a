/** Balances of a rollup from the layer alone: made again in a directory that is then removed. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rollupClient } from '@switchyard/client';
import { contractApi, httpApi } from '@switchyard/client/http-api';
import { listState, type StateProofAnswer } from '@switchyard/client/rollup-contract';
import { provenBalance, type StateValue, verifyBalance } from '@switchyard/messenger/client/verify';
import { type AssetId, parseDenom } from '@switchyard/protocol';
import { toJson } from '@switchyard/service';
import { Failure, usage } from '@switchyard/service/failure';
import { type RebuildDeps, type RebuildOptions, type Rebuilt, rebuild, withRollup } from './rebuild.ts';

export interface OwedOptions extends Omit<RebuildOptions, 'into'> {
  /** Name of the asset (default: that of the genesis accounts). */
  readonly asset: string | undefined;
  /** Directory of the proofs of balances: a directory that is absent or empty. */
  readonly proofs: string | undefined;
}

export interface Owed {
  readonly rollup: string;
  readonly asset: string;
  readonly block: StateProofAnswer['block'];
  /** The last posted sequencer block, and the height of the layer that has it. */
  readonly read: Pick<Rebuilt, 'sequencerHeight' | 'layerHeight' | 'time'>;
  readonly sum: bigint;
  /** All of the asset that deposits have brought; the rest is of the genesis. */
  readonly deposited: bigint;
  readonly accounts: readonly { readonly address: string; readonly amount: bigint }[];
}

const PAGE = 1_000;

/** Each balance is checked against the state root before it is given. @throws {Failure} */
export async function owed({ asset, proofs, ...options }: OwedOptions, deps: RebuildDeps): Promise<Owed> {
  if (proofs !== undefined) mustBeNew(proofs);
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-owed-'));
  try {
    const plan = { ...options, into: join(directory, 'state') };
    const read = await rebuild(plan, deps);
    return await withRollup(plan, deps.env, async (_, rollup, http) => {
      const balances = getBalances(http, read, { asset, proofs });
      return Promise.race([balances, rollup.ended]);
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function getBalances(
  url: string,
  { sequencerHeight, layerHeight, time, hash }: Rebuilt,
  { asset: wanted, proofs }: Pick<OwedOptions, 'asset' | 'proofs'>,
): Promise<Owed> {
  const node = rollupClient({ url });
  const { rollup, all } = await node.status();
  const native = all.nativeAsset;
  const asset = wanted ?? (typeof native === 'string' ? native : undefined);
  if (asset === undefined) throw usage(`rollup ${rollup} names no asset of its genesis accounts: expected --asset`);
  const { id } = parseDenom(asset);
  const accounts: { readonly address: string; readonly amount: bigint }[] = [];
  let block: StateProofAnswer['block'] | undefined;
  for await (const address of holders(url, id)) {
    const value = await provenBalance(node, address, asset);
    const verified = verifyBalance(value, { address, asset });
    if (verified.block.hash !== hash) throw new Failure(`the balance of ${address} is of another block than ${hash}`);
    block = verified.block;
    if (verified.amount > 0n) accounts.push({ address, amount: verified.amount });
    if (proofs !== undefined) writeProof(proofs, address, value);
  }
  if (block === undefined) throw new Failure(`no account of rollup ${rollup} has ever held ${asset}`);
  const sum = accounts.reduce((total, { amount }) => total + amount, 0n);
  const deposited = await getDeposits(node, id);
  accounts.sort((one, other) => (one.amount === other.amount ? 0 : one.amount > other.amount ? -1 : 1));
  return { rollup, asset, block, read: { sequencerHeight, layerHeight, time }, sum, deposited, accounts };
}

/** Addresses of accounts with a row for the asset. */
async function* holders(url: string, asset: AssetId): AsyncGenerator<string> {
  const ask = contractApi(httpApi('rollup', { url }));
  for (let after: string | undefined; ; ) {
    const { rows, next } = await ask(listState, { table: 'balances', limit: PAGE, after });
    for (const { key } of rows) {
      const slash = key.indexOf('/');
      if (parseDenom(key.slice(slash + 1)).id === asset) yield key.slice(0, slash);
    }
    if (next === null) return;
    after = next;
  }
}

async function getDeposits(node: ReturnType<typeof rollupClient>, asset: string): Promise<bigint> {
  let total = 0n;
  for (let before: bigint | undefined; ; ) {
    const { items, older } = await node.deposits({ limit: 200, ...(before !== undefined && { before }) });
    for (const { account, amount, asset: name } of items) {
      if (account !== undefined && parseDenom(name).id === asset) total += amount;
    }
    if (older === undefined) return total;
    before = older;
  }
}

function mustBeNew(directory: string): void {
  try {
    mkdirSync(directory, { recursive: false });
  } catch (error) {
    throw new Failure(`--proofs ${directory}: expected a directory that does not exist yet: ${String(error)}`, error);
  }
}

/** The node's answer verbatim, so that any checker of answers takes it. */
const writeProof = (directory: string, address: string, value: StateValue): void =>
  writeFileSync(join(directory, `${address}.json`), `${toJson(value)}\n`);
