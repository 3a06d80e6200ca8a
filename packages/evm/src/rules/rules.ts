import { mostItems } from '@switchyard/evm-machine/access-lists';
import { type Fork, includes } from '@switchyard/evm-machine/fork';
import { computeIntrinsicGas } from '@switchyard/evm-machine/intrinsic';
import { MAX_GAS } from '@switchyard/evm-machine/limits';
import { getRules, rulesWith } from '@switchyard/evm-machine/rules';
import type { Address, Hash, Header, Withdrawal } from '@switchyard/evm-machine/types';
import { type AccountId, type Deposit, parseDenom, Rejected, rollupIdBytes } from '@switchyard/protocol';
import { bytesToHex, hexToBytes, keccak256, parseEthereumAddress, sizeOfString } from '@switchyard/protocol/ethereum';
import { type Refusal, refusal } from '../transactions/refusals.ts';
import {
  decodeTransaction,
  expectTakenType,
  InvalidTransaction,
  type Transaction,
} from '../transactions/transaction.ts';
import { type GasLeft, hasRoom } from './block-gas.ts';

/*
 * Rules for the content of a rollup block, the same for every back end and without a state or clock of their own.
 * Entries keep the order of the sequencer block. An entry that the block's fork refuses is left out alone and recorded.
 */

/** Bytes; the bound in pools of Ethereum nodes. */
export const MAX_TRANSACTION_BYTES = 131_072;
/** EIP-7825, from Osaka on. */
export const MAX_TRANSACTION_GAS = BigInt(MAX_GAS);
/** EIP-8037, from Amsterdam on: with the cost of state. */
const MAX_GAS_WITH_STATE = (1n << 32n) - 1n;
/** EIP-7934, from Osaka on: of the RLP of a whole block. */
export const MAX_BLOCK_BYTES = 8_388_608;
/** More than a header, the heads of all lists and the empty one of the uncles have. */
const BYTES_BESIDE_BODY = 1_024;
/** EIP-1559 as every Ethereum client has it. */
const ELASTICITY = 2n;
const BASE_FEE_CHANGE_DENOMINATOR = 8n;

/** Seconds. Blocks of Ethereum are always later than their parents, blocks of the sequencer may share a second. */
export function nextTimestamp(sequencerSeconds: bigint, parentTimestamp: bigint): bigint {
  return sequencerSeconds > parentTimestamp ? sequencerSeconds : parentTimestamp + 1n;
}

/** Wei for each unit of gas, of the block after `parent` (EIP-1559). */
export function nextBaseFee({
  baseFeePerGas = 0n,
  gasLimit,
  gasUsed,
}: Pick<Header, 'baseFeePerGas' | 'gasLimit' | 'gasUsed'>): bigint {
  const target = gasLimit / ELASTICITY;
  if (gasUsed === target || target === 0n) return baseFeePerGas;
  const distance = gasUsed > target ? gasUsed - target : target - gasUsed;
  const change = (baseFeePerGas * distance) / target / BASE_FEE_CHANGE_DENOMINATOR;
  if (gasUsed > target) return baseFeePerGas + (change > 1n ? change : 1n);
  return baseFeePerGas > change ? baseFeePerGas - change : 0n;
}

type Priced = Pick<Transaction, 'to' | 'value' | 'data' | 'accessList' | 'authorizations'>;

/** Gas that a transaction costs before anything is executed, and for its data alone. @param from See `computeIntrinsicGas`. */
export function leastGas(tx: Priced, fork: Fork, from: Address | undefined): { intrinsic: bigint; floor: bigint } {
  const { to, value, data, accessList, authorizations } = tx;
  const priced = { from, to, value, data, accessList, authorizations };
  const { intrinsic, floor } = computeIntrinsicGas(priced, getRules(fork));
  return { intrinsic: BigInt(intrinsic), floor: BigInt(floor) };
}

/**
 * Whether a transaction can have this gas limit at all.
 *
 * @param from Undefined before the signature was looked at: then it may turn out too low later (EIP-2780).
 * @throws {InvalidTransaction}
 */
export function checkGas(tx: Priced & Pick<Transaction, 'gasLimit'>, fork: Fork, from: Address | undefined): void {
  const { gasLimit } = tx;
  const { intrinsic, floor } = leastGas(tx, fork, from);
  if (gasLimit < intrinsic)
    throw new InvalidTransaction('intrinsic-gas', `gas limit ${gasLimit}, at least ${intrinsic} is needed`);
  if (gasLimit < floor)
    throw new InvalidTransaction('floor-gas', `gas limit ${gasLimit}, its data needs at least ${floor} (EIP-7623)`);
  if (!includes(fork, 'osaka')) return;
  if (!includes(fork, 'amsterdam')) {
    if (gasLimit > MAX_TRANSACTION_GAS) throw new InvalidTransaction('tx-gas-cap', `gas limit ${gasLimit} (EIP-7825)`);
    return;
  }
  if (gasLimit > MAX_GAS_WITH_STATE) throw new InvalidTransaction('tx-gas-cap', `gas limit ${gasLimit} (EIP-8037)`);
  const least = intrinsic > floor ? intrinsic : floor;
  if (least > MAX_TRANSACTION_GAS)
    throw new InvalidTransaction('tx-gas-cap', `at least ${least} gas before anything is executed (EIP-7825)`);
}

/** Checks of `checkTransaction` that wait for the sender. */
export function senderRefusal(tx: Transaction, fork: Fork, from: Address): Refusal | undefined {
  if (!includes(fork, 'amsterdam')) return undefined;
  return refusedOr(() => {
    checkGas(tx, fork, from);
    return undefined;
  });
}

/** Result of a check, or why it refuses. */
export function refusedOr<T>(check: () => T): T | Refusal {
  try {
    return check();
  } catch (error) {
    if (error instanceof InvalidTransaction) return refusal(error.code, error.message);
    throw error;
  }
}

/**
 * Checks the first byte and the length, before anything else is looked at.
 *
 * @throws {InvalidTransaction}
 */
export function checkOutline(first: number | undefined, length: number, fork: Fork): void {
  // A blob transaction with its blobs is always too large: the sender has to know its type.
  expectTakenType(first, fork);
  if (length > MAX_TRANSACTION_BYTES)
    throw new InvalidTransaction('too-large', `${length} bytes, at most ${MAX_TRANSACTION_BYTES} are taken`);
}

/** Rules that bytes are checked against before any account is looked at. */
export interface TransactionRules {
  readonly chainId: bigint;
  /** Gas limit of a block. */
  readonly gasLimit: bigint;
  readonly fork: Fork;
  /** See `MachineOptions`. */
  readonly maxCodeBytes?: number | undefined;
}

/**
 * All checks of bytes that need no account, except of the signature.
 *
 * @throws {InvalidTransaction}
 */
export function checkTransaction(raw: Uint8Array, chain: TransactionRules): Transaction {
  const { fork } = chain;
  checkOutline(raw[0], raw.length, fork);
  const tx = decodeTransaction(raw);
  if (tx.chainId !== undefined && tx.chainId !== chain.chainId)
    throw new InvalidTransaction('wrong-chain', `signed for chain id ${tx.chainId}, this chain is ${chain.chainId}`);
  const { maxInitCodeBytes } = rulesWith(fork, chain.maxCodeBytes);
  if (tx.to === undefined && tx.data.length > maxInitCodeBytes)
    throw new InvalidTransaction('initcode-size', `${tx.data.length} bytes, at most ${maxInitCodeBytes} are taken`);
  if (tx.maxPriorityFeePerGas > tx.maxFeePerGas)
    throw new InvalidTransaction('tip-above-fee-cap', `tip ${tx.maxPriorityFeePerGas}, fee cap ${tx.maxFeePerGas}`);
  if (tx.authorizations !== undefined && (tx.to === undefined || tx.authorizations.length === 0))
    throw new InvalidTransaction(
      'no-authorizations',
      `${tx.to === undefined ? 'no recipient' : 'no authorization'} (EIP-7702)`,
    );
  checkGas(tx, fork, undefined);
  if (tx.gasLimit > chain.gasLimit)
    throw new InvalidTransaction('block-gas', `gas limit ${tx.gasLimit}, a block has ${chain.gasLimit}`);
  return tx;
}

/** The sender when its transaction's turn comes. */
export interface SenderState {
  readonly nonce: bigint;
  /** Wei. */
  readonly balance: bigint;
  /** Code of its own: a pointer to another's (EIP-7702) does not count. */
  readonly hasCode: boolean;
}

/**
 * Bytes that the transactions of a block may have together, each by `bytesInBlock` (EIP-7934); no limit before Osaka.
 *
 * @param withdrawals Bytes of their list.
 */
export function bytesForTransactions(fork: Fork, withdrawals: number): number {
  return includes(fork, 'osaka') ? MAX_BLOCK_BYTES - BYTES_BESIDE_BODY - withdrawals : Number.POSITIVE_INFINITY;
}

/**
 * Gas that the transactions of a block may use. It is less than the block's limit if this many accounts get deposits, which cost
 * no gas, that the block's access list could have more items than its limit allows (EIP-7928).
 */
export function gasForTransactions(fork: Fork, gasLimit: bigint, withdrawals: readonly Withdrawal[]): bigint {
  if (!includes(fork, 'amsterdam')) return gasLimit;
  const recipients = new Set(withdrawals.map(({ address }) => address)).size;
  const items = mostItems(gasLimit) - UNPAID_ITEMS - BigInt(recipients);
  const gas = items > 0n ? items * LEAST_ITEM_GAS : 0n;
  return gas < gasLimit ? gas : gasLimit;
}

/** A slot that is cold is the cheapest item of an access list. */
const LEAST_ITEM_GAS = 2_100n;
/** Contracts that every block calls with their slots, precompiled contracts, which are warm, and the recipient of fees. */
const UNPAID_ITEMS = 50n;

/** Size of a transaction in the RLP of a block, where one with a type is a string. */
export function bytesInBlock({ type, raw }: Pick<Transaction, 'type' | 'raw'>): number {
  return type === 0 ? raw.length : sizeOfString(raw.length);
}

/** Why a transaction that is applicable otherwise has to wait for another block. */
export function sizeRefusal(tx: Pick<Transaction, 'type' | 'raw'>, bytesLeft: number): Refusal | undefined {
  const bytes = bytesInBlock(tx);
  if (bytes <= bytesLeft) return undefined;
  return refusal('block-size', `${bytes} bytes, the block has ${bytesLeft} left (EIP-7934)`);
}

const MAX_NONCE = (1n << 64n) - 1n;

/** Why a transaction that passed `checkTransaction` cannot be applied next; undefined if it can. */
export function statefulRefusal(
  tx: Pick<Transaction, 'nonce' | 'gasLimit' | 'maxFeePerGas' | 'value'>,
  sender: SenderState,
  block: GasLeft & { readonly baseFee: bigint },
): Refusal | undefined {
  const { nonce, gasLimit, maxFeePerGas, value } = tx;
  if (nonce < sender.nonce) return refusal('nonce-too-low', `nonce ${nonce}, the next one is ${sender.nonce}`);
  if (nonce > sender.nonce) return refusal('nonce-too-high', `nonce ${nonce}, the next one is ${sender.nonce}`);
  if (nonce === MAX_NONCE) return refusal('nonce-max', `nonce ${nonce}`);
  if (sender.hasCode) return refusal('sender-not-eoa', 'the sender has code');
  if (maxFeePerGas < block.baseFee)
    return refusal('fee-cap-too-low', `fee cap ${maxFeePerGas}, base fee ${block.baseFee}`);
  const cost = gasLimit * maxFeePerGas + value;
  if (sender.balance < cost) return refusal('insufficient-funds', `has ${sender.balance} wei, needs ${cost}`);
  if (!hasRoom(gasLimit, block)) {
    const { gasLeft, stateGasLeft } = block;
    const forState = stateGasLeft === undefined ? '' : `, and ${stateGasLeft} with state`;
    return refusal('block-gas', `gas limit ${gasLimit}, the block has ${gasLeft} left${forState}`);
  }
  return undefined;
}

/** A bridge account whose deposits are native coins here. */
export interface Bridge {
  readonly account: AccountId;
  /** Denomination on the sequencer. */
  readonly asset: string;
  /** Decimals of the asset, at most 18. */
  readonly precision: number;
}

export interface SequencedDeposit {
  /** Position in the sequencer block. */
  readonly entry: number;
  readonly deposit: Deposit;
}

/** Deposits of a bridge account, in the smallest unit of its asset: all, and those among them that were refused. */
export interface DepositSums {
  readonly deposited: bigint;
  readonly refused: bigint;
}

export interface Credited {
  readonly withdrawals: readonly Withdrawal[];
  /** Sums of each bridge account that had deposits. */
  readonly sums: ReadonlyMap<AccountId, DepositSums>;
  /** Wei below a gwei that recipients are owed now; only of recipients with a deposit. 0 clears. */
  readonly remainders: ReadonlyMap<Address, bigint>;
  readonly refused: readonly (Refusal & { readonly entry: number; readonly deposit: Deposit })[];
}

const WEI_PER_GWEI = 1_000_000_000n;
const MAX_GWEI = (1n << 64n) - 1n;

/**
 * Deposits as withdrawals (EIP-4895), in their order. A withdrawal counts gwei, so finer amounts are kept for the
 * recipient and added to the next deposit.
 *
 * @param remainderOf Wei that the recipient is owed from before.
 * @param firstIndex Index of the first withdrawal; they count on over all blocks.
 */
export function depositsToWithdrawals(
  deposits: readonly SequencedDeposit[],
  {
    bridges,
    getRemainder,
    firstIndex,
  }: {
    readonly bridges: readonly Bridge[];
    readonly getRemainder: (recipient: Address) => bigint;
    readonly firstIndex: bigint;
  },
): Credited {
  const withdrawals: Withdrawal[] = [];
  const remainders = new Map<Address, bigint>();
  const refused: (Refusal & SequencedDeposit)[] = [];
  const sums = new Map<AccountId, DepositSums>();
  const count = ({ bridge: { account }, amount }: Deposit, lost: bigint) => {
    if (!bridges.some((each) => each.account === account)) return;
    const before = sums.get(account) ?? NO_DEPOSITS;
    sums.set(account, { deposited: before.deposited + amount, refused: before.refused + lost });
  };
  const refuse = (sequenced: SequencedDeposit, why: Refusal) => {
    refused.push({ ...sequenced, ...why });
    count(sequenced.deposit, sequenced.deposit.amount);
  };
  for (const sequenced of deposits) {
    const { deposit } = sequenced;
    const reading = readDeposit(deposit, bridges);
    if ('code' in reading) {
      refuse(sequenced, reading);
      continue;
    }
    const { recipient } = reading;
    const wei = reading.wei + (remainders.get(recipient) ?? getRemainder(recipient));
    const amount = wei / WEI_PER_GWEI;
    if (amount > MAX_GWEI) {
      refuse(sequenced, refusal('deposit-too-large', `${deposit.amount} of ${deposit.asset}`));
      continue;
    }
    count(deposit, 0n);
    remainders.set(recipient, wei % WEI_PER_GWEI);
    if (amount === 0n) continue;
    const index = firstIndex + BigInt(withdrawals.length);
    withdrawals.push({ index, validatorIndex: 0n, address: recipient, amount });
  }
  return { withdrawals, sums, remainders, refused };
}

export const NO_DEPOSITS: DepositSums = { deposited: 0n, refused: 0n };

function readDeposit({ bridge, asset, destination, amount }: Deposit, bridges: readonly Bridge[]) {
  const known = bridges.find(({ account }) => account === bridge.account);
  if (known === undefined) return refusal('unknown-bridge', `account ${bridge.account}`);
  if (!isSameAsset(asset, known.asset))
    return refusal('wrong-asset', `${asset.slice(0, 100)}, expected ${known.asset}`);
  const recipient = parseEthereumAddress(destination);
  if (recipient === undefined) return refusal('bad-recipient', JSON.stringify(destination.slice(0, 100)));
  if (amount === 0n) return refusal('deposit-empty', 'amount 0');
  return { recipient, wei: amount * 10n ** BigInt(18 - known.precision) };
}

function isSameAsset(text: string, expected: string): boolean {
  try {
    return text === expected || parseDenom(text).id === parseDenom(expected).id;
  } catch (error) {
    if (error instanceof Rejected) return false;
    throw error;
  }
}

/** Unique id of a deposit: Keccak-256 of rollup, source transaction and position in it. */
export function depositId({ rollup, sourceTransaction, sourceAction }: Deposit): Hash {
  const position = Buffer.alloc(8);
  position.writeBigUInt64BE(sourceAction);
  return bytesToHex(keccak256(Buffer.concat([rollupIdBytes(rollup), hexToBytes(`0x${sourceTransaction}`), position])));
}
