import type { Address, Hash, Log } from '@switchyard/evm-machine/types';
import { InvalidBlock } from './validate.ts';

/* EIP-6110: deposits for validators, which a block reports to the other layer. */

/** Deposit contract of Ethereum itself, for a genesis that names none. */
export const DEPOSIT_CONTRACT: Address = '0x00000000219ab540356cbb839cbe05303d7705fa';
/** Keccak-256 of `DepositEvent(bytes,bytes,bytes,bytes,bytes)`. */
const DEPOSIT: Hash = '0x649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5';
const TYPE = 0;

/** Beginning of each field in the data of the log, behind its length, and how long it is; all of it has 576 bytes. */
const FIELDS: readonly (readonly [offset: number, length: number])[] = [
  [160, 48],
  [256, 32],
  [320, 8],
  [384, 96],
  [512, 8],
];
const LENGTH = 576;

/**
 * The request that the logs of a block make, with its type before it; undefined if they make none.
 *
 * @throws {InvalidBlock} for a log of another form, which no valid block has.
 */
export function depositRequest(logs: readonly Log[], contract: Address): Uint8Array | undefined {
  const deposits = logs.filter(({ address, topics }) => address === contract && topics[0] === DEPOSIT);
  return deposits.length === 0
    ? undefined
    : Buffer.concat([Uint8Array.of(TYPE), ...deposits.flatMap(({ data }) => getFields(data))]);
}

function getFields(data: Uint8Array): Uint8Array[] {
  const word = (at: number) => (at + 32 > data.length ? undefined : Buffer.from(data).readUInt32BE(at + 28));
  const isUsual =
    data.length === LENGTH &&
    FIELDS.every(([offset, length], at) => word(32 * at) === offset && word(offset) === length);
  if (!isUsual) throw new InvalidBlock('a log of the deposit contract has another form than that of EIP-6110');
  return FIELDS.map(([offset, length]) => data.subarray(offset + 32, offset + 32 + length));
}
