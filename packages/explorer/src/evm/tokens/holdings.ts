import type { EvmBlock, TokenKind, TokenTransfer } from '../evm-block.ts';

/** Changes that transfers of some blocks make to one token. */
export interface TokenChanges {
  /** Kind of the first transfer that was ever seen. */
  readonly kind: TokenKind;
  readonly first: number;
  transfers: number;
  /** Holders, with the gain of each one's balance and the block of the last one. */
  readonly holders: Map<string, { gain: bigint; number: number }>;
  /** ERC-721: the last owner of each item, undefined if it was burned. */
  readonly owners: Map<string, string | undefined>;
  /** ERC-1155: the gain of each holder for each item. */
  readonly items: Map<string, Map<string, bigint>>;
  /** False if the node has cut a list of transfers. */
  isComplete: boolean;
}

const ZERO_ADDRESS = '0'.repeat(40);
/** The node reports no more of one log. */
const MAX_IN_LOG = 256;

/** @param kinds Of the tokens that are known. Events of another kind than a token's first one change no holding. */
export function tokenChanges(blocks: readonly EvmBlock[], kinds: ReadonlyMap<string, TokenKind>) {
  const tokens = new Map<string, TokenChanges>();
  for (const { number, transactions } of blocks) {
    for (const transfer of transactions.flatMap(({ transfers }) => transfers)) {
      let token = tokens.get(transfer.token);
      if (token === undefined) {
        token = noChanges(kinds.get(transfer.token), transfer.kind, number);
        tokens.set(transfer.token, token);
      }
      token.transfers += 1;
      if (transfer.item + 1 >= MAX_IN_LOG) token.isComplete = false;
      if (token.kind === transfer.kind) apply(token, transfer, number);
    }
  }
  return tokens;
}

function noChanges(known: TokenKind | undefined, first: TokenKind, number: number): TokenChanges {
  const maps = { holders: new Map(), owners: new Map(), items: new Map() };
  return { kind: known ?? first, first: number, transfers: 0, isComplete: true, ...maps };
}

function apply({ kind, holders, owners, items }: TokenChanges, transfer: TokenTransfer, number: number): void {
  const { from, to, id, amount } = transfer;
  if (kind === 'erc721') owners.set(itemText(id), to === ZERO_ADDRESS ? undefined : to);
  for (const [holder, gain] of [
    [from, -amount],
    [to, amount],
  ] as const) {
    if (holder === ZERO_ADDRESS) continue;
    holders.set(holder, { gain: (holders.get(holder)?.gain ?? 0n) + gain, number });
    if (kind !== 'erc1155') continue;
    const item = items.get(itemText(id)) ?? new Map<string, bigint>();
    item.set(holder, (item.get(holder) ?? 0n) + gain);
    items.set(itemText(id), item);
  }
}

/** 256 bits as 64 hex digits, which sort as the numbers do. */
export const sortable = (value: bigint): string => BigInt.asUintN(256, value).toString(16).padStart(64, '0');
export const fromSortable = (text: string): bigint => BigInt(`0x${text}`);
const itemText = (id: bigint | undefined): string => sortable(id ?? 0n);

/** A balance after a gain. Contracts may report to have moved amounts that did not exist: then it is 0, and not exact. */
export function gained(balance: bigint, gain: bigint): { readonly balance: bigint; readonly isExact: boolean } {
  const sum = balance + gain;
  const isExact = sum >= 0n && sum < 1n << 256n;
  return { balance: sum < 0n ? 0n : BigInt.asUintN(256, sum), isExact };
}
