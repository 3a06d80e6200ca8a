import type { Block, BlockHeader } from '@ethereumjs/block';
import type { Common } from '@ethereumjs/common';
import { equalsBytes } from '@ethereumjs/util';
import { hexOf } from '../../hex.ts';

/** A block that breaks a rule of its chain, which the message names. */
export class InvalidBlock extends Error {
  override readonly name = 'InvalidBlock';
}

/** As every Ethereum client has it. */
const MAX_GAS_LIMIT = (1n << 63n) - 1n;

/**
 * What a block's header and body must be, apart from what executing it gives (roots of state and receipts, gas, logs).
 * Proof of work is not checked: neither its seal nor that of its uncles.
 *
 * @throws {InvalidBlock}
 */
export async function validateBlock(block: Block, parent: BlockHeader): Promise<void> {
  const { header } = block;
  const { common } = header;
  expect('parent hash', hexOf(header.parentHash), hexOf(parent.hash()));
  expect('number', header.number, parent.number + 1n);
  if (header.timestamp <= parent.timestamp) {
    throw new InvalidBlock(`time: expected later than ${parent.timestamp}, got ${header.timestamp}`);
  }
  if (header.extraData.length > 32) throw new InvalidBlock(`extra data: ${header.extraData.length} bytes, at most 32`);
  if (header.gasUsed > header.gasLimit) {
    throw new InvalidBlock(`gas used: ${header.gasUsed}, with a limit of ${header.gasLimit}`);
  }
  if (header.gasLimit > MAX_GAS_LIMIT) throw new InvalidBlock(`gas limit: ${header.gasLimit}, at most 2^63 - 1`);
  await rule(() => header.validateGasLimit(parent));
  if (common.isActivatedEIP(1559)) expect('base fee', header.baseFeePerGas, baseFeeAfter(parent));
  validateConsensus(header, parent);
  if (common.isActivatedEIP(4844)) {
    expect('excess blob gas', header.excessBlobGas, parent.calcNextExcessBlobGas(common));
    await rule(() => block.validateBlobTransactions(parent));
  }
  await rule(() => block.validateData(false, true, common.isActivatedEIP(7934)));
  await rule(() => block.validateUncles());
}

function validateConsensus(header: BlockHeader, parent: BlockHeader): void {
  if (isProofOfWork(header.common)) {
    expect('difficulty', header.difficulty, header.ethashCanonicalDifficulty(parent));
    return;
  }
  expect('difficulty', header.difficulty, 0n);
  if (!equalsBytes(header.nonce, new Uint8Array(8)))
    throw new InvalidBlock(`nonce: expected 0, got ${hexOf(header.nonce)}`);
}

function isProofOfWork(common: Common): boolean {
  return !common.isActivatedEIP(3675);
}

function baseFeeAfter(parent: BlockHeader): bigint {
  return parent.baseFeePerGas === undefined ? FIRST_BASE_FEE : parent.calcNextBaseFee();
}

const FIRST_BASE_FEE = 1_000_000_000n;

/** @throws {InvalidBlock} */
export function expect(what: string, got: unknown, expected: unknown): void {
  if (got !== expected) throw new InvalidBlock(`${what}: expected ${String(expected)}, got ${String(got)}`);
}

async function rule(check: () => void | Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    throw new InvalidBlock(messageOf(error), { cause: error });
  }
}

/** The library adds a description of the block to its message, in brackets at the end. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/ \((?:vm|block|tx) .*$/s, '').slice(0, 300);
}
