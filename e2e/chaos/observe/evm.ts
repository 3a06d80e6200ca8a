import { readFileSync } from 'node:fs';
import type { HttpClient } from '../../support/http-client.ts';
import type { Execution, RollupBlock } from '../check/observed.ts';
import type { History } from '../history.ts';
import { EVM_ASSET } from '../load/evm.ts';
import { askAll, range } from './pages.ts';
import type { RollupView } from './rollup-view.ts';

const GWEI = 10n ** 9n;
const TRANSFER_GAS = 21_000n;

interface EvmBlock {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly parentBeaconBlockRoot: string;
  readonly baseFeePerGas: string;
  readonly gasUsed: string;
  readonly miner: string;
  readonly transactions: readonly {
    readonly hash: string;
    readonly gasPrice: string;
    readonly transactionIndex: string;
  }[];
  readonly withdrawals: readonly { readonly address: string; readonly amount: string }[];
}

export async function evmHeight(http: HttpClient, genesisHeight: number): Promise<number> {
  return Number(await http.rpc('eth_blockNumber')) + genesisHeight;
}

/** The EVM rollup's view of a run. @param from The newest block before the load. */
export async function evmView(
  http: HttpClient,
  history: History,
  { from, to, genesisFile }: { readonly from: number; readonly to: number; readonly genesisFile: string },
): Promise<RollupView> {
  const blocks = await askAll(
    range(1, to),
    async (number) => (await http.rpc('eth_getBlockByNumber', hex(number), true)) as EvmBlock,
  );
  const loaded = blocks.filter(({ number }) => Number(number) > from);
  const executions = loaded.flatMap(getExecutions);
  const included = new Set(executions.map(({ id }) => id));
  const rest = [...history.sent.values()].filter(({ id, intent }) => intent.kind !== 'deposit' && !included.has(id));
  const refused = (await askAll(rest, ({ id }) => findRefusal(http, id))).filter(
    (execution) => execution !== undefined,
  );

  const postponed = await postponedIn(http, loaded);
  const accounts = history.funded.map(({ address }) => address);
  const held = async (address: string) => BigInt(String(await http.rpc('eth_getBalance', address, hex(to))));
  const balances = await askAll(accounts, async (address) => ({
    address,
    asset: EVM_ASSET,
    amount: await held(address),
  }));
  const withdrawals = blocks.flatMap((block) => block.withdrawals);
  // The file that `dev init` wrote.
  const genesis = JSON.parse(readFileSync(genesisFile, 'utf8')) as { alloc: Record<string, { balance: string }> };
  const others = new Set([
    ...Object.keys(genesis.alloc).map((address) => address.toLowerCase()),
    ...blocks.map(({ miner }) => miner.toLowerCase()),
    ...withdrawals.map(({ address }) => address.toLowerCase()),
  ]);
  for (const address of accounts) others.delete(address);
  const rich = (await askAll([...others], held)).reduce((sum, amount) => sum + amount, 0n);
  const burnt = blocks.reduce((sum, block) => sum + BigInt(block.baseFeePerGas) * BigInt(block.gasUsed), 0n);
  const deposited = withdrawals.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  const supply = rich + burnt + balances.reduce((sum, { amount }) => sum + amount, 0n) - deposited * GWEI;
  return {
    executions: [...executions, ...refused],
    postponed,
    texts: new Map(),
    executedInAll: loaded.reduce((sum, { transactions }) => sum + transactions.length, 0),
    rollupBlocks: blocks.map(makeBlock),
    balances,
    depositUnit: GWEI,
    depositAsset: EVM_ASSET,
    supply,
    genesisSupply: Object.values(genesis.alloc).reduce((sum, { balance }) => sum + BigInt(balance), 0n),
    deposited,
  };
}

function getExecutions({ number, transactions }: EvmBlock): Execution[] {
  return transactions.map(({ hash, gasPrice, transactionIndex }) => ({
    id: hash,
    block: Number(number),
    index: Number(transactionIndex),
    outcome: 'executed',
    fee: BigInt(gasPrice) * TRANSFER_GAS,
  }));
}

/** A transaction that is in no block, if the node has recorded why. */
async function findRefusal(http: HttpClient, id: string): Promise<Execution | undefined> {
  const status = (await http.rpc('switchyard_transactionStatus', id)) as {
    status: string;
    block?: string | number;
    reason?: string;
  };
  if (status.status !== 'refused') return undefined;
  const reason = status.reason === undefined ? {} : { reason: status.reason };
  return { id, block: Number(status.block ?? 0), index: undefined, outcome: 'refused', ...reason, fee: 0n };
}

/** The pool submits these again. */
const POSTPONED = ['block-gas', 'block-size', 'nonce-too-high', 'fee-cap-too-low'];

async function postponedIn(http: HttpClient, blocks: readonly EvmBlock[]): Promise<Map<string, Set<number>>> {
  const found = new Map<string, Set<number>>();
  const refusals = await askAll(
    blocks,
    async ({ number }) =>
      (await http.rpc('switchyard_getRefusals', number)) as { readonly hash: string | null; readonly code: string }[],
  );
  for (const [index, ofBlock] of refusals.entries()) {
    for (const { hash, code } of ofBlock) {
      if (hash === null || !POSTPONED.includes(code)) continue;
      const numbers = found.get(hash) ?? new Set<number>();
      found.set(hash, numbers.add(Number(blocks[index]?.number)));
    }
  }
  return found;
}

function makeBlock({ number, hash, parentHash, parentBeaconBlockRoot }: EvmBlock): RollupBlock {
  return { number: Number(number), hash, parentHash, sequencerHash: parentBeaconBlockRoot.slice(2) };
}

const hex = (number: number): string => `0x${number.toString(16)}`;
