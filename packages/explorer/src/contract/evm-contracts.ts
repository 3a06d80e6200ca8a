import { schema } from '@switchyard/service/contract';
import * as column from './column.ts';

/* Verified contracts of EVM rollups. */

const textByName = (description: string): schema.Schema<Readonly<Record<string, string>>> =>
  schema.find({ type: 'object', description, additionalProperties: { type: 'string' } }, (input) =>
    Object.fromEntries(input.members().map(([name, each]) => [name, each.text()])),
  );

const match = column.words('Whether also the hash of the metadata is equal', 'full', 'partial');

export const contractItem = schema.record('EvmContractItem', {
  address: column.address('Address of the contract'),
  name: column.text('Name of the contract in its source'),
  match,
  compiler: column.text('Version of the compiler', { examples: ['0.8.26+commit.8a97fa7a'] }),
  verifiedAt: column.time,
});

/** A decoded value: amounts as decimal text, bytes as hex; null if the encoding is not one of the type. */
export type Shown = string | boolean | null | readonly Shown[] | readonly Argument[];

export interface Argument {
  readonly name: string;
  readonly type: string;
  /** The members of a tuple as arguments. */
  readonly value: Shown;
}

export const argument = schema.record('EvmArgument', {
  name: schema.text('Name of the parameter'),
  type: schema.text('Type as the ABI writes it'),
  value: schema.find<Shown>(
    { description: 'Amounts as decimal text, bytes as hex, tuples as a list of arguments' },
    // The page looks at each part of it.
    ({ value }) => value as Shown,
  ),
});

export const verification = schema.record('EvmVerification', {
  match,
  path: schema.text('Path of the source file'),
  name: schema.text('Name of the contract in it'),
  compiler: schema.text('Version of the compiler'),
  settings: schema.json('Settings of the compiler'),
  evmVersion: schema.nullable(schema.text('EVM that the code is for; null for the default of the compiler')),
  constructorArguments: schema.nullable(column.hex('Bytes as encoded; null where the creation code is not known')),
  constructorValues: schema.nullable(schema.list(argument)),
  libraries: textByName('Addresses that only the chain has'),
  sources: textByName('Text of each source file by its path'),
  abi: schema.json('ABI as the compiler made it'),
  verifiedAt: column.time,
  standardInput: schema.json('Input of the compiler'),
});
export type Verification = schema.TypeOf<typeof verification>;

export const contract = schema.record('EvmContract', {
  address: column.address('Address of the contract'),
  proxy: schema.nullable(
    schema.record('EvmProxy', {
      standard: schema.words('How it is known', 'eip-1167', 'eip-1967', 'eip-1967-beacon', 'eip-1822'),
      implementation: column.address('Contract whose code runs in its place'),
    }),
  ),
  verification: schema.nullable(verification),
});
export type Contract = schema.TypeOf<typeof contract>;

export const verificationJob = schema.record('EvmVerificationJob', {
  job: schema.text('Id for queries of the state of the verification'),
});

export const verificationState = schema.record('EvmVerificationState', {
  state: schema.words('State of the verification', 'queued', 'verified', 'failed'),
  match: schema.nullable(match),
  reason: schema.nullable(schema.text('Why it failed')),
});

export const network = schema.record('EvmNetwork', {
  chainId: schema.text('EIP-155, in decimal digits'),
  name: schema.text('Name of the rollup'),
  url: schema.text('JSON-RPC for wallets', { format: 'uri' }),
  currency: schema.object({
    name: schema.text('Name of the coin'),
    symbol: schema.text('Symbol of the coin'),
    decimals: schema.integer('Decimals of the coin', { max: 18 }),
  }),
});
export type Network = schema.TypeOf<typeof network>;

export const compilers = schema.record('EvmCompilers', {
  items: schema.list(schema.text('A version', { examples: ['0.8.26+commit.8a97fa7a'] })),
});
