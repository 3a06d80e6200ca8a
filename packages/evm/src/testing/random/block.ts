import type { BlockAccessList } from '@switchyard/evm-machine/access-lists';
import { decodeAccessList } from '@switchyard/evm-machine/access-lists/decode';
import { accessListJson } from '@switchyard/evm-machine/access-lists/json';
import { AccessRecorder } from '@switchyard/evm-machine/access-lists/recorder';
import { type Fork, includes } from '@switchyard/evm-machine/fork';
import type { Data, Log } from '@switchyard/evm-machine/types';
import { bytesToHex, hexToBytes, keccakHex, ZERO_HASH } from '@switchyard/protocol/ethereum';
import type { Random } from '@switchyard/service/testing';
import { orderedRoot } from '../../blocks/ordered-root.ts';
import { encodeReceipt } from '../../blocks/receipt.ts';
import type { StoredReceipt } from '../../chain/chain.ts';
import { BlockGas } from '../../rules/block-gas.ts';
import { HISTORY_ADDRESS } from '../../rules/system-contracts.ts';
import { seal } from '../../state/seal.ts';
import { genesisState, StateOverlay } from '../../state/store.ts';
import { credit } from '../../transactions/accounts.ts';
import { openEngine, type TestBlock } from '../official/engine.ts';
import { logsHash } from '../official/state-test.ts';
import type { T8nResult } from './t8n.ts';
import { BASE_FEE, CHAIN_ID, type Draft, signDraft } from './transactions.ts';
import { BUILDER_CONTRACTS, COINBASE, REQUEST_CONTRACTS, SENDERS, type World } from './world.ts';

/** Contracts that the protocol calls, in addition to that of EIP-4788. */
const CALLED = [HISTORY_ADDRESS, ...REQUEST_CONTRACTS, ...BUILDER_CONTRACTS];

/** A block at random; in some of them gas runs out. */
export function makeBlock(random: Random, fork: Fork): TestBlock {
  return {
    fork,
    chainId: CHAIN_ID,
    number: 1_000n,
    timestamp: 1_700_000_000n,
    gasLimit: random.chance(0.05) ? 30_000_000n : 1n << 40n,
    coinbase: COINBASE,
    difficulty: 0n,
    // 0 as in the node's own blocks, which go through more of its code.
    prevRandao: random.chance(0.5) ? ZERO_HASH : keccakHex(Buffer.from('random')),
    baseFeePerGas: BASE_FEE,
    blobBaseFee: 1n,
    slotNumber: 12_345n,
    parentBeaconBlockRoot: ZERO_HASH,
    blockHash: (number) => keccakHex(Buffer.from(String(number))),
  };
}

export interface OurResult {
  readonly transactions: readonly Uint8Array[];
  readonly receipts: readonly StoredReceipt[];
  /** Positions of transactions that were not applied, and why. */
  readonly rejected: ReadonlyMap<number, string>;
  readonly stateRoot: string;
  readonly receiptsRoot: string;
  readonly logsHash: string;
  readonly gasUsed: bigint;
  /** EIP-7928, from Amsterdam on. */
  readonly accessList: BlockAccessList | undefined;
}

/** Signs each transaction when its turn comes, and applies it. */
export async function runBlock(block: TestBlock, world: World, drafts: readonly Draft[]): Promise<OurResult> {
  const alloc = [...world.alloc].map(([address, each]) => [address, { ...each, code: hexToBytes(each.code) }] as const);
  const pre = genesisState(new Map(alloc));
  const state = new StateOverlay(pre);
  const recorder = includes(block.fork, 'amsterdam') ? new AccessRecorder() : undefined;
  const engine = openEngine(block, state, recorder);
  await engine.begin();
  const transactions: Uint8Array[] = [];
  const receipts: StoredReceipt[] = [];
  const rejected = new Map<number, string>();
  const allLogs: Log[] = [];
  const gas = new BlockGas(block.fork, block.gasLimit);
  let gasUsed = 0n;
  for (const [index, draft] of drafts.entries()) {
    const sender = SENDERS[draft.sender];
    const raw = signDraft(draft, (sender && state.account(sender.address)?.nonce) ?? 0n);
    transactions.push(raw);
    if (recorder !== undefined) recorder.index = receipts.length + 1;
    const applied = await engine.apply(raw, gas);
    if (applied.kind !== 'applied') {
      rejected.set(index, applied.reason);
      continue;
    }
    gasUsed += applied.gasUsed;
    gas.add(applied.blockGas);
    for (const log of applied.logs) allLogs.push(log);
    const { status, logs } = applied;
    const amounts = { gasUsed: applied.gasUsed, cumulativeGasUsed: gasUsed, effectiveGasPrice: 0n };
    receipts.push({ type: typeOf(raw), status, logs, contractAddress: undefined, ...amounts });
  }
  credit(state, block.coinbase, 0n);
  // Their code does nothing, so that a call does no more than look at them.
  for (const address of CALLED) recorder?.accessed(address);
  return {
    transactions,
    receipts,
    rejected,
    stateRoot: seal(state, pre).root,
    receiptsRoot: orderedRoot(receipts.map((receipt) => encodeReceipt(receipt).bytes)),
    logsHash: logsHash(allLogs),
    gasUsed: gas.used,
    accessList: recorder?.list(),
  };
}

function typeOf([first = 0]: Uint8Array): number {
  return first >= 0xc0 ? 0 : first;
}

export interface Difference {
  readonly what: string;
  /** Position of the first transaction that differs, if there is one. */
  readonly index: number | undefined;
}

/** The first thing in which both sides differ. */
export function firstDifference(own: OurResult, theirs: T8nResult): Difference | undefined {
  const theirRejected = new Map(theirs.rejected.map(({ index, error }) => [index, error]));
  let position = 0;
  for (const index of own.transactions.keys()) {
    const [mine, other] = [own.rejected.get(index), theirRejected.get(index)];
    if ((mine === undefined) !== (other === undefined))
      return { index, what: `ours: ${mine ?? 'applied'}; geth: ${other ?? 'applied'}` };
    if (mine !== undefined) continue;
    const [receipt, their] = [own.receipts[position], theirs.receipts[position]];
    position += 1;
    if (receipt === undefined || their === undefined) return { index, what: 'a receipt is missing' };
    const [left, right] = [
      getOutline({ ...receipt, logs: receipt.logs.map(({ data }) => ({ data: bytesToHex(data) })) }),
      getOutline({ ...their, status: Number(their.status) }),
    ];
    if (left !== right) return { index, what: `ours: ${left}; geth: ${right}` };
  }
  for (const name of ['stateRoot', 'receiptsRoot', 'logsHash', 'gasUsed'] as const)
    if (own[name] !== theirs[name])
      return { index: undefined, what: `${name}: ours ${own[name]}, geth ${theirs[name]}` };
  const what = accessDifference(own.accessList, theirs.blockAccessList);
  return what === undefined ? undefined : { index: undefined, what };
}

/** The first account that is listed otherwise. */
function accessDifference(own: BlockAccessList | undefined, theirs: Data | undefined): string | undefined {
  if (own === undefined) return undefined;
  const others = decodeAccessList(hexToBytes(theirs ?? '0xc0'));
  const [left, right] = [own, others].map((list) => accessListJson(list).map((each) => JSON.stringify(each)));
  const length = Math.max(own.length, others.length);
  const at = Array.from({ length }, (_, index) => index).find((index) => left?.[index] !== right?.[index]);
  return at === undefined
    ? undefined
    : `access list: ours ${left?.[at] ?? 'no more'}, geth ${right?.[at] ?? 'no more'}`;
}

interface Outline {
  readonly status: number;
  readonly gasUsed: bigint;
  readonly logs: readonly { readonly data: string }[];
}

function getOutline({ status, gasUsed, logs }: Outline): string {
  return `status ${status}, gas ${gasUsed}, logs ${logs.map(({ data }) => data).join(' ')}`.slice(0, 200);
}
