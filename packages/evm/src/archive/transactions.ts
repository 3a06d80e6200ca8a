import { type Fork, includes } from '@switchyard/evm-machine/fork';
import { recoverSender } from '@switchyard/evm-machine/recover';
import {
  asBytes,
  asList,
  asUint,
  bytesToBigInt,
  decodeRlp,
  encodeRlp,
  keccak256,
  keccakHex,
  type RlpTree,
} from '@switchyard/protocol/ethereum';
import type { IncludedTransaction } from '../chain/chain.ts';
import type { ArchiveRules } from '../genesis/archive-schedule.ts';
import { typed } from '../transactions/sign.ts';
import { decodeTransaction, InvalidTransaction, ORDER, type Transaction } from '../transactions/transaction.ts';

/** First fork that has transactions of a type. */
const SINCE: readonly Fork[] = ['frontier', 'berlin', 'london', 'cancun', 'prague'];
/** EIP-7594. */
const MAX_BLOBS = 6;

/**
 * A transaction of a block, of any type and fork: its form and its signature are checked here, the rest at its execution.
 *
 * @throws {InvalidRlp} @throws {InvalidTransaction}
 */
export function readIncluded(item: RlpTree, { fork, chainId }: ArchiveRules): IncludedTransaction {
  const raw = item instanceof Uint8Array ? Uint8Array.from(item) : encodeRlp(item);
  const type = item instanceof Uint8Array ? (raw[0] ?? 0xff) : 0;
  const since = SINCE[type];
  if (since === undefined || !includes(fork, since) || (type === 0 && item instanceof Uint8Array))
    throw new InvalidTransaction('unknown-type', `transaction type ${type}`);
  const tx = type === 3 ? decodeBlobTransaction(raw, fork) : decodeTransaction(lowered(raw, fork));
  if (tx.chainId !== undefined && (tx.chainId !== chainId || !includes(fork, type === 0 ? 'spuriousDragon' : since)))
    throw new InvalidTransaction('wrong-chain', `signed for chain id ${tx.chainId}, this chain is ${chainId}`);
  if (tx.authorizations?.length === 0) throw new InvalidTransaction('no-authorizations', 'no authorization (EIP-7702)');
  const from = recoverSender(tx.signature);
  if (from === undefined) throw new InvalidTransaction('bad-signature', 'no account has signed it');
  return { hash: keccakHex(raw), from, raw };
}

/** EIP-4844: as type 2 with two fields more, which stand behind its access list. */
function decodeBlobTransaction(raw: Uint8Array, fork: Fork): Transaction {
  const fields = asList(decodeRlp(raw.subarray(1)), 14);
  asUint(fields[9], 32);
  const hashes = asList(fields[10]);
  for (const hash of hashes) asBytes(hash, 32);
  if (includes(fork, 'osaka') && hashes.length > MAX_BLOBS)
    throw new InvalidTransaction('malformed', `${hashes.length} blobs, at most ${MAX_BLOBS} (EIP-7594)`);
  const tx = decodeTransaction(typed(2, fields.toSpliced(9, 2)));
  const { r, s, yParity } = tx.signature;
  return { ...tx, signature: { r, s, yParity, digest: keccak256(typed(3, fields.slice(0, 11))) } };
}

/** Before Homestead (EIP-2) the upper half of s was fine: the other point that the same account has is taken instead. */
function lowered(raw: Uint8Array, fork: Fork): Uint8Array {
  if (includes(fork, 'homestead')) return raw;
  const fields = asList(decodeRlp(raw), 9);
  const [v, s] = [asUint(fields[6], 32), asUint(fields[8], 32)];
  const order = bytesToBigInt(ORDER);
  return s <= order / 2n || s >= order ? raw : encodeRlp([...fields.slice(0, 6), 55n - v, fields[7] ?? [], order - s]);
}
