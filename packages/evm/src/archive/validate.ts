import { type BlockAccessList, hashOfAccessList, itemsIn, mostItems } from '@switchyard/evm-machine/access-lists';
import { includes } from '@switchyard/evm-machine/fork';
import type { Hash, Header } from '@switchyard/evm-machine/types';
import { encodeRlp, keccakHex } from '@switchyard/protocol/ethereum';
import { withdrawalsRoot } from '../blocks/block.ts';
import { EMPTY_UNCLES, fieldsIn, hashHeader, headerItems } from '../blocks/header.ts';
import { orderedRoot } from '../blocks/ordered-root.ts';
import type { StoredBlock } from '../chain/chain.ts';
import { FIRST_BASE_FEE } from '../genesis/archive-genesis.ts';
import type { ArchiveRules } from '../genesis/archive-schedule.ts';
import { getBlobs } from '../json/format-transaction.ts';
import { MAX_BLOCK_BYTES, nextBaseFee } from '../rules/rules.ts';
import { GAS_OF_BLOB, nextExcessBlobGas } from '../simulate/environment.ts';

/** A block that breaks a rule of its chain, which the message names. */
export class InvalidBlock extends Error {
  override readonly name = 'InvalidBlock';
}

/** Highest gas limit, which every Ethereum client enforces. */
const MAX_GAS_LIMIT = (1n << 63n) - 1n;
const MIN_GAS_LIMIT = 5_000n;
/** EIP-779: `dao-hard-fork`, in the header of the block that moves the coins and of the nine after it. */
const DAO_EXTRA = '0x64616f2d686172642d666f726b';
const MAX_UNCLES = 2;

/**
 * Checks a block's header and body, apart from the results of its execution (roots of state and receipts, gas, logs).
 * Proof of work is not checked: neither its seal nor that of its uncles.
 *
 * @throws {InvalidBlock}
 */
export function validateBlock(
  block: StoredBlock,
  parent: { readonly hash: Hash; readonly header: Header },
  rules: ArchiveRules,
): void {
  const { header } = block;
  expect('parent hash', header.parentHash, parent.hash);
  expect('number', header.number, parent.header.number + 1n);
  if (header.timestamp <= parent.header.timestamp) {
    throw new InvalidBlock(`time: expected later than ${parent.header.timestamp}, got ${header.timestamp}`);
  }
  checkForm(header, rules);
  checkGasLimit(header, parent.header, rules);
  if (includes(rules.fork, 'london')) {
    const { baseFeePerGas } = parent.header;
    expect('base fee', header.baseFeePerGas, baseFeePerGas === undefined ? FIRST_BASE_FEE : nextBaseFee(parent.header));
  }
  const isMerged = includes(rules.fork, 'paris');
  expect('difficulty', header.difficulty, isMerged ? 0n : nextDifficulty(header, parent.header, rules));
  if (isMerged) expect('nonce', header.nonce, '0x0000000000000000');
  if (includes(rules.fork, 'cancun')) checkBlobs(block, parent.header, rules);
  checkBody(block, rules);
}

/** Checks that a header alone allows. @throws {InvalidBlock} */
export function checkForm(header: Header, { fork, daoBlock }: ArchiveRules): void {
  const { extraData, gasUsed, gasLimit, number } = header;
  expect('fields of the header', headerItems(header).length, fieldsIn(fork));
  const extraBytes = extraData.length / 2 - 1;
  if (extraBytes > 32) throw new InvalidBlock(`extra data: ${extraBytes} bytes, at most 32`);
  if (daoBlock !== undefined && number >= daoBlock && number < daoBlock + 10n)
    expect('extra data', extraData, DAO_EXTRA);
  if (gasUsed > gasLimit) throw new InvalidBlock(`gas used: ${gasUsed}, with a limit of ${gasLimit}`);
  if (gasLimit > MAX_GAS_LIMIT) throw new InvalidBlock(`gas limit: ${gasLimit}, at most 2^63 - 1`);
}

/** It moves by less than 1/1024 of the parent's (Yellow Paper, 4.4.4), which EIP-1559 doubles once. */
function checkGasLimit({ gasLimit, number }: Header, parent: Header, { londonBlock }: ArchiveRules): void {
  const before = number === londonBlock ? 2n * parent.gasLimit : parent.gasLimit;
  const distance = gasLimit > before ? gasLimit - before : before - gasLimit;
  if (distance >= before / 1_024n || gasLimit < MIN_GAS_LIMIT)
    throw new InvalidBlock(`gas limit: ${gasLimit}, after ${before}: at least 5000, and less than 1/1024 from it`);
}

function checkBlobs({ header, transactions }: StoredBlock, parent: Header, rules: ArchiveRules): void {
  expect('excess blob gas', header.excessBlobGas, nextExcessBlobGas(parent, rules));
  const blobs = transactions.reduce((sum, { raw }) => sum + (raw[0] === 3 ? getBlobs(raw) : 0), 0);
  if (blobs > rules.blobs.max) throw new InvalidBlock(`${blobs} blobs, at most ${rules.blobs.max}`);
  expect('blob gas used', header.blobGasUsed, BigInt(blobs) * GAS_OF_BLOB);
}

function checkBody({ header, transactions, withdrawals, uncles = [], size }: StoredBlock, { fork }: ArchiveRules) {
  if (includes(fork, 'osaka') && size > MAX_BLOCK_BYTES)
    throw new InvalidBlock(`${size} bytes, at most ${MAX_BLOCK_BYTES} (EIP-7934)`);
  expect('transactions root', header.transactionsRoot, orderedRoot(transactions.map(({ raw }) => raw)));
  if (header.withdrawalsRoot !== undefined)
    expect('withdrawals root', header.withdrawalsRoot, withdrawalsRoot(withdrawals));
  expect('uncle hash', header.uncleHash, keccakHex(encodeRlp(uncles.map(headerItems))));
  if (includes(fork, 'paris')) expect('uncle hash', header.uncleHash, EMPTY_UNCLES);
  if (uncles.length > MAX_UNCLES) throw new InvalidBlock(`${uncles.length} uncles, at most ${MAX_UNCLES}`);
  if (new Set(uncles.map(hashHeader)).size < uncles.length) throw new InvalidBlock('an uncle is there twice');
}

/** Checks the access list of a block (EIP-7928). @throws {InvalidBlock} */
export function checkAccessList({ blockAccessListHash, gasLimit }: Header, list: BlockAccessList, encoded: Uint8Array) {
  expect('block access list hash', blockAccessListHash, hashOfAccessList(encoded));
  const [items, most] = [itemsIn(list), mostItems(gasLimit)];
  if (items > most) throw new InvalidBlock(`block access list: ${items} addresses and slots, at most ${most}`);
}

/** @throws {InvalidBlock} */
export function expect(name: string, got: unknown, expected: unknown): void {
  if (got !== expected) throw new InvalidBlock(`${name}: expected ${String(expected)}, got ${String(got)}`);
}

const LEAST_DIFFICULTY = 131_072n;
const LOWEST_STEPS = -99n;
const BOMB_PERIOD = 100_000n;

/** Difficulty of a block before the merge (Yellow Paper, 4.4.4; EIP-2; EIP-100). */
function nextDifficulty(
  { number, timestamp }: Pick<Header, 'number' | 'timestamp'>,
  parent: Pick<Header, 'difficulty' | 'timestamp' | 'uncleHash'>,
  { fork, bombDelay }: Pick<ArchiveRules, 'fork' | 'bombDelay'>,
): bigint {
  const seconds = timestamp - parent.timestamp;
  const steps = includes(fork, 'byzantium')
    ? (parent.uncleHash === EMPTY_UNCLES ? 1n : 2n) - seconds / 9n
    : includes(fork, 'homestead')
      ? 1n - seconds / 10n
      : seconds < 13n
        ? 1n
        : -1n;
  const moved = parent.difficulty + (parent.difficulty / 2_048n) * larger(steps, LOWEST_STEPS);
  const period = larger(number - bombDelay, 0n) / BOMB_PERIOD;
  return larger(moved, LEAST_DIFFICULTY) + (period > 1n ? 2n ** (period - 2n) : 0n);
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
