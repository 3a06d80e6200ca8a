import { parseEthereumAddress } from '@switchyard/protocol/ethereum';
import { mapped, optional, type Read, readEach, strictObject } from '@switchyard/service/input';
import { parser } from '@switchyard/service/settings';
import { decimal, type Rule, refuse, scalar } from './rule.ts';

/** An account of the genesis block. */
export interface GenesisAccount {
  /** 20 bytes in hex with `0x`, in lower case. */
  readonly address: `0x${string}`;
  /** Wei. */
  readonly balance: bigint;
}

export const MAX_ACCOUNTS = 400;

/** Balance of an account for which none is stated: one coin. */
const DEFAULT_BALANCE = 10n ** 18n;

export const balance = decimal(
  'a whole number of wei below 2^128, in decimal digits',
  '1000000000000000000',
  0n,
  (1n << 128n) - 1n,
);

export const evmAddress: Rule<`0x${string}`> = scalar(
  parser(
    'an address of 40 hex digits, all in one case or with a valid checksum (EIP-55)',
    '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
    parseEthereumAddress,
  ),
  { type: 'string', pattern: '^(0x)?[0-9a-fA-F]{40}$' },
);

const account: Read<GenesisAccount> = strictObject(
  { address: evmAddress.read, balance: optional(balance.read, DEFAULT_BALANCE) },
  { exact: true },
);

/** Accounts with coins at the start. Text has them as `address:balance`, separated by commas. */
export const genesisAccounts: Rule<readonly GenesisAccount[]> = {
  expects: `1 to ${MAX_ACCOUNTS} of address[:balance in wei], separated by commas, each address once`,
  example: `${evmAddress.example}:${balance.example}`,
  schema: {
    type: 'array',
    minItems: 1,
    maxItems: MAX_ACCOUNTS,
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['address'],
      properties: {
        address: { ...evmAddress.schema, description: evmAddress.expects, examples: [evmAddress.example] },
        balance: { ...balance.schema, description: balance.expects, default: String(DEFAULT_BALANCE) },
      },
    },
  },
  read: mapped(
    (input) => {
      const { value } = input;
      if (!Array.isArray(value) || value.length === 0 || value.length > MAX_ACCOUNTS)
        return refuse(input, `a list of 1 to ${MAX_ACCOUNTS} accounts`);
      return readEach(input.list(), account);
    },
    (accounts, input) => {
      const repeated = firstRepeated(accounts);
      return repeated === undefined ? accounts : input.fail('each address once', `${repeated} twice`);
    },
  ),
  fromText: (text) =>
    text.split(',').map((item) => {
      const [, address = '', wei] = /^([^:]*)(?::(.*))?$/s.exec(item.trim()) ?? [];
      return wei === undefined ? { address } : { address, balance: wei };
    }),
  written: (accounts) => accounts.map(({ address, balance: wei }) => ({ address, balance: String(wei) })),
};

function firstRepeated(accounts: readonly GenesisAccount[]): string | undefined {
  const seen = new Set<string>();
  return accounts.find(({ address }) => seen.size === seen.add(address).size)?.address;
}
