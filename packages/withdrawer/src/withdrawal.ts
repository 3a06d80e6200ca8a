import { parseAnyAddress, Rejected } from '@switchyard/protocol';

/** A withdrawal of the rollup, as the ledger keeps it. */
export interface Withdrawal {
  /** Consecutive from 0, in the order of the rollup's blocks. */
  readonly number: number;
  /** Under which the bridge account pays it, once. */
  readonly eventId: string;
  /** Number of its rollup block. */
  readonly block: bigint;
  /** Account of the rollup, as it shows it. */
  readonly sender: string;
  /** Destination as the rollup has it: an EVM contract lets out any text. */
  readonly to: string;
  /** In the smallest unit of the bridge account's asset. */
  readonly amount: bigint;
  readonly memo: string;
  /** Why it can never be paid, such as an amount with a fraction of that unit. */
  readonly fault?: string;
}

/** Facts about an open withdrawal that tries of paying it have found out. */
export interface Standing {
  /**
   * `never`: it cannot be paid. `small`: its payment costs as much as it. `unfunded`: the bridge account holds too
   * little. `uncovered`: no deposit covers it. `suspect`: a transaction with this and others was refused. `refused`: one with
   * this alone was.
   */
  readonly kind: 'never' | 'small' | 'unfunded' | 'uncovered' | 'suspect' | 'refused';
  readonly reason: string;
  readonly tries: number;
  /** Suspects of one group are tried together, without others. */
  readonly group?: string;
}

/** A withdrawal before it has its number. */
export type Found = Omit<Withdrawal, 'number'>;

/** A withdrawal that the sequencer has paid. */
export interface Paid extends Withdrawal {
  /** The transaction that paid it; undefined if another program did, or a ledger that was lost. */
  readonly transaction?: string | undefined;
  /** Height of its block on the sequencer. */
  readonly height?: bigint | undefined;
  /** Part of the amount that was kept back for the fee of the sequencer. */
  readonly fee?: bigint | undefined;
}

/** The signed transaction under way. Nothing else is signed until its nonce is known to be spent, or it is refused. */
export interface Bundle {
  readonly nonce: number;
  /** Lower-case hex, as are the bytes. */
  readonly hash: string;
  readonly bytes: string;
  /** Withdrawals that it pays. */
  readonly numbers: readonly number[];
  /** Kept back from each of them. */
  readonly fee: bigint;
}

/** Members of records that are whole numbers of 64 bits and more: JSON has their decimal digits. */
const WIDE: ReadonlySet<string> = new Set(['amount', 'block', 'fee', 'height', 'paid', 'position', 'read']);

export function encodeRecord(record: object): Uint8Array {
  const text = JSON.stringify(record, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  return new TextEncoder().encode(text);
}

/** A record that `encodeRecord` made, which the store has checked. */
export function decodeRecord<T extends object>(bytes: Uint8Array): T {
  const wide = (name: string, value: unknown) => (WIDE.has(name) && typeof value === 'string' ? BigInt(value) : value);
  return JSON.parse(new TextDecoder().decode(bytes), wide) as T;
}

/**
 * The destination of a payment from this bridge account, in bech32m form.
 *
 * @throws {Rejected} if it is no address of the bridge's chain.
 */
export function getDestination(to: string, bridge: string) {
  const address = parseAnyAddress(to);
  const { prefix } = parseAnyAddress(bridge);
  if (address.prefix !== prefix) {
    throw new Rejected('malformed', { field: 'to', expected: `prefix ${prefix}`, got: `prefix ${address.prefix}` });
  }
  return address;
}
