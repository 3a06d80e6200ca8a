/** One kind of LMDB file that a process of ours keeps. */
export interface StoreKind {
  /** For messages. */
  readonly name: string;
  /** Format that this version writes. The number is raised when the layout on disk changes. */
  readonly format: string;
  /** Where the format is written down: the table, and the key in it. */
  readonly table: string;
  readonly formatKey: Buffer;
  /** Keys are unsigned integers of 4 bytes. */
  readonly integerKeys: boolean;
  /**
   * Action of `switchyard repair` for a damaged store: what is whole is saved by `salvage`, and by `refill` too, which takes the
   * rest from an earlier copy. The others are made again.
   */
  readonly repair: 'replay' | 'rebuild' | 'salvage' | 'refill';
}

const text = (key: string): Buffer => Buffer.from(key, 'latin1');

/** Kinds by the name that `store.json` holds. */
export const STORE_KINDS = {
  state: {
    name: 'state',
    format: 'switchyard-store-2',
    table: '',
    formatKey: text('m:format'),
    integerKeys: false,
    repair: 'replay',
  },
  evm: {
    name: 'EVM database',
    format: 'switchyard-evm-2',
    table: 'meta',
    formatKey: text('format'),
    integerKeys: false,
    repair: 'replay',
  },
  'composer-queue': {
    name: 'composer queue',
    format: 'switchyard-composer-queue-2',
    table: '',
    formatKey: text('format'),
    integerKeys: false,
    repair: 'salvage',
  },
  'faucet-ledger': {
    name: 'faucet ledger',
    format: 'switchyard-faucet-ledger-2',
    table: '',
    formatKey: text('format'),
    integerKeys: false,
    repair: 'salvage',
  },
  'relayer-state': {
    name: 'relayer state',
    format: 'switchyard-relayer-state-1',
    table: '',
    formatKey: text('format'),
    integerKeys: false,
    repair: 'salvage',
  },
  'withdrawer-ledger': {
    name: 'withdrawer ledger',
    format: 'switchyard-withdrawer-ledger-1',
    table: '',
    formatKey: text('format'),
    integerKeys: false,
    repair: 'salvage',
  },
  'signed-headers': {
    name: 'signed headers',
    format: 'switchyard-signed-headers-2',
    table: '',
    formatKey: Buffer.alloc(4),
    integerKeys: true,
    repair: 'rebuild',
  },
  blocks: {
    name: 'blocks',
    format: 'switchyard-blocks-1',
    table: '',
    formatKey: text('format'),
    integerKeys: false,
    repair: 'refill',
  },
  'da-blocks': {
    name: 'blocks of the local data-availability layer',
    format: 'switchyard-da-blocks-1',
    table: '',
    formatKey: text('format'),
    integerKeys: false,
    repair: 'salvage',
  },
} as const satisfies Record<string, StoreKind>;

export type StoreKindName = keyof typeof STORE_KINDS;

export function isStoreKind(name: unknown): name is StoreKindName {
  return typeof name === 'string' && Object.hasOwn(STORE_KINDS, name);
}
