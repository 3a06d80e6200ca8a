import { type AccountId, type Action, type Denom, type Signer, signTransaction } from '@switchyard/protocol';
import type { Backlog } from '../queue/backlog.ts';
import type { Item } from '../queue/items.ts';
import type { Range } from '../queue/ranges.ts';

/** The account that pays for bundles. */
export interface Payer {
  readonly signer: Signer;
  /** Prefix of addresses on the chain. */
  readonly prefix: string;
  readonly chainId: string;
  readonly feeAsset: Denom;
}

/** Bytes of a varint. */
const computeLength = (value: number): number => (value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : 4);
const field = (length: number): number => 1 + computeLength(length) + length;

/** Signature, key, type url, nonce and lengths, rounded up; the chain id comes on top. */
const ENVELOPE_BYTES = 200;
/** A rollup id in its message. */
const ROLLUP_ID_BYTES = field(field(32));

/** Bytes of a transaction besides its items, or a few less. */
export function envelopeSize(chainId: string): number {
  return ENVELOPE_BYTES + Buffer.byteLength(chainId);
}

/** Encoded bytes that an item adds to a transaction. */
export function bundledSize(dataLength: number, feeAsset: Denom): number {
  return field(field(ROLLUP_ID_BYTES + field(dataLength) + field(feeAsset.text.length)));
}

/** Longest data that a bundle of at most `maxBytes` has room for; less than 1 if not even a byte fits. */
export function longestItem(maxBytes: number, { chainId, feeAsset }: Payer): number {
  return maxBytes - envelopeSize(chainId) - (bundledSize(maxBytes, feeAsset) - maxBytes);
}

/** Encoded bytes that all of these add to a transaction. */
export function groupSize(entries: readonly { readonly data: Uint8Array }[], { feeAsset }: Payer): number {
  return entries.reduce((sum, { data }) => sum + bundledSize(data.length, feeAsset), 0);
}

/** Why a group does not fit into a transaction of at most `maxBytes`, with the first entry for which there is no room. */
export function groupProblem(
  entries: readonly { readonly data: Uint8Array }[],
  { chainId, feeAsset }: Payer,
  maxBytes: number,
): string | undefined {
  let size = envelopeSize(chainId);
  let over: number | undefined;
  for (const [index, { data }] of entries.entries()) {
    size += bundledSize(data.length, feeAsset);
    if (size > maxBytes) over ??= index;
  }
  if (over === undefined) return undefined;
  const room = `entry ${over + 1} of ${entries.length} has no room`;
  return `the bundle has ${size} bytes as a transaction, expected at most ${maxBytes}: ${room}`;
}

/** Takes the items of the next bundle: the oldest items and groups, as many as fit, at least one. */
export function nextBundle(backlog: Backlog, payer: Payer, maxBytes: number): Range[] {
  let left = maxBytes - envelopeSize(payer.chainId);
  let empty = true;
  return backlog.take(({ data, group }) => {
    const size = group === undefined ? bundledSize(data.length, payer.feeAsset) : groupSize(group.items, payer);
    if (!empty && size > left) return false;
    left -= size;
    empty = false;
    return true;
  });
}

/** The signed sequencer transaction with one submission for each item. The same input gives the same bytes. */
export function signBundle(items: Iterable<Item>, nonce: number, payer: Payer): Uint8Array {
  const { signer, chainId, feeAsset } = payer;
  const actions: Action[] = [];
  for (const { rollup, data } of items) actions.push({ kind: 'rollupDataSubmission', rollup, data, feeAsset });
  if (actions.length === 0) actions.push(transferToSelf(payer));
  return signTransaction({ nonce, chainId, actions }, signer);
}

/** Uses up a nonce and does nothing else. */
function transferToSelf({ signer, prefix, feeAsset }: Payer): Action {
  return { kind: 'transfer', to: { account: signer.account, prefix }, amount: 1n, asset: feeAsset, feeAsset };
}

/** Identity of the payer: nonces of another account, or of another chain, must not be mixed up with its own. */
export function payerId({
  signer,
  chainId,
}: {
  readonly signer: { readonly account: AccountId };
  readonly chainId: string;
}) {
  return `account ${signer.account} on ${chainId}`;
}
