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
  /** Why it can never be paid as it is, such as an amount with a fraction of that unit. */
  readonly fault?: string;
}

/** A withdrawal before it has its number. */
export type Found = Omit<Withdrawal, 'number'>;

/** A withdrawal that the sequencer has paid. */
export interface Paid extends Withdrawal {
  /** The transaction that paid it; undefined where another program did, or a ledger that was lost. */
  readonly transaction?: string | undefined;
  /** Height of its block on the sequencer. */
  readonly height?: bigint | undefined;
}

/** The signed transaction under way. Nothing else is signed until its nonce is known to be spent, or it is refused. */
export interface Bundle {
  readonly nonce: number;
  /** Lower-case hex, as are the bytes. */
  readonly hash: string;
  readonly bytes: string;
  /** Withdrawals that it pays. */
  readonly numbers: readonly number[];
}

type Plain<T> = { readonly [K in keyof T]: T[K] extends bigint ? string : T[K] };

/** JSON with decimal digits for whole numbers of 64 bits and more. */
export function encodeRecord(record: object): Uint8Array {
  const text = JSON.stringify(record, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  return new TextEncoder().encode(text);
}

const decoded = <T>(bytes: Uint8Array): Plain<T> => {
  // The store has checked that these are the bytes that `encodeRecord` made.
  return JSON.parse(new TextDecoder().decode(bytes)) as Plain<T>;
};

export function decodeWithdrawal(bytes: Uint8Array): Withdrawal {
  const { block, amount, ...rest } = decoded<Withdrawal>(bytes);
  return { ...rest, block: BigInt(block), amount: BigInt(amount) };
}

export function decodePaid(bytes: Uint8Array): Paid {
  const { height, ...rest } = decoded<Omit<Paid, 'height'> & { height?: string }>(bytes);
  return {
    ...rest,
    ...{ block: BigInt(rest.block), amount: BigInt(rest.amount) },
    ...(height !== undefined && { height: BigInt(height) }),
  };
}

export function decodeBundle(bytes: Uint8Array): Bundle {
  return decoded<Bundle>(bytes);
}
