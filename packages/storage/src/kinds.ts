/** One kind of LMDB file that a process of ours keeps. */
export interface StoreKind {
  /** For messages. */
  readonly name: string;
  /** Format that this version writes. The number is raised when the layout on disk changes. */
  readonly format: string;
  /** The place of the format: the table, and the key in it. */
  readonly table: string;
  readonly formatKey: Buffer;
  /** Keys are unsigned integers of 4 bytes. */
  readonly integerKeys: boolean;
  /**
   * Action of `switchyard repair` for a damaged store: intact records are saved by `salvage`, and by `refill` too, which takes the
   * rest from an earlier copy. The others are made again.
   */
  readonly repair: 'replay' | 'rebuild' | 'salvage' | 'refill';
}

const text = (key: string): Buffer => Buffer.from(key, 'latin1');

/** Most kinds have their format in the main table, and other keys than integers. */
const USUAL = { table: '', formatKey: text('format'), integerKeys: false } as const;

/** Kinds by the name that `store.json` holds. */
export const STORE_KINDS = {
  state: { ...USUAL, name: 'state', format: 'switchyard-store-4', formatKey: text('m:format'), repair: 'replay' },
  evm: { ...USUAL, name: 'EVM database', format: 'switchyard-evm-2', table: 'meta', repair: 'replay' },
  'composer-queue': { ...USUAL, name: 'composer queue', format: 'switchyard-composer-queue-2', repair: 'salvage' },
  'faucet-ledger': { ...USUAL, name: 'faucet ledger', format: 'switchyard-faucet-ledger-3', repair: 'salvage' },
  'relayer-state': { ...USUAL, name: 'relayer state', format: 'switchyard-relayer-state-1', repair: 'salvage' },
  'withdrawer-ledger': {
    ...USUAL,
    name: 'withdrawer ledger',
    format: 'switchyard-withdrawer-ledger-1',
    repair: 'salvage',
  },
  'signed-headers': {
    ...USUAL,
    name: 'signed headers',
    format: 'switchyard-signed-headers-2',
    formatKey: Buffer.alloc(4),
    integerKeys: true,
    repair: 'rebuild',
  },
  blocks: { ...USUAL, name: 'blocks', format: 'switchyard-blocks-1', repair: 'refill' },
  'da-blocks': {
    ...USUAL,
    name: 'blocks of the local data-availability layer',
    format: 'switchyard-da-blocks-1',
    repair: 'salvage',
  },
} as const satisfies Record<string, StoreKind>;

export type StoreKindName = keyof typeof STORE_KINDS;

export function isStoreKind(name: unknown): name is StoreKindName {
  return typeof name === 'string' && Object.hasOwn(STORE_KINDS, name);
}
