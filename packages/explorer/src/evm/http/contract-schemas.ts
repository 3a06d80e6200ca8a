import { type BodyForm, schema } from '@switchyard/service/api';
import { type Input, parseInput } from '@switchyard/service/input';
import { readStandardInput, type StandardInput } from '../verify/standard-input.ts';
import { address, hex, time } from './schemas.ts';

/* What the routes of contracts take and answer. */

/** JSON of any form, which users or the compiler made. */
const json = (description: string): schema.Schema<unknown> => ({ read: (input) => input.value, json: { description } });

const textByName = (description: string): schema.Schema<Readonly<Record<string, string>>> => ({
  read: (input) => Object.fromEntries(input.members().map(([name, each]) => [name, each.text()])),
  json: { type: 'object', description, additionalProperties: { type: 'string' } },
});

const match = schema.words('Whether also the hash of the metadata is equal', 'full', 'partial');

export const contractItemSchema = schema.object(
  {
    address: address('Of the contract'),
    name: schema.text('Of the contract in its source'),
    match,
    compiler: schema.text('Version of the compiler', { examples: ['0.8.26+commit.8a97fa7a'] }),
    verifiedAt: time,
  },
  { name: 'EvmContractItem' },
);

const proxySchema = schema.object(
  {
    standard: schema.words('How it is known', 'eip-1167', 'eip-1967', 'eip-1967-beacon', 'eip-1822'),
    implementation: address('What runs in its place'),
  },
  { name: 'EvmProxy' },
);

const verificationSchema = schema.object(
  {
    match,
    path: schema.text('Of the source file'),
    name: schema.text('Of the contract in it'),
    compiler: schema.text('Version of the compiler'),
    settings: json('Of the compiler'),
    evmVersion: schema.nullable(schema.text('For which the code is; null for the default of the compiler')),
    constructorArguments: schema.nullable(hex('As encoded; null where the creation code is not known')),
    constructorValues: schema.nullable(json('The same as a list of `{name, type, value}`')),
    libraries: textByName('Addresses that only the chain has'),
    sources: textByName('Text of each source file by its path'),
    abi: json('As the compiler made it'),
    verifiedAt: time,
    standardInput: json('What the compiler was given'),
  },
  { name: 'EvmVerification' },
);

export const contractSchema = schema.object(
  {
    address: address('Of the contract'),
    proxy: schema.nullable(proxySchema),
    verification: schema.nullable(verificationSchema),
  },
  { name: 'EvmContract' },
);

export const jobSchema = schema.object(
  { job: schema.text('Under which the state of the verification is asked for') },
  { name: 'EvmVerificationJob' },
);

export const jobStateSchema = schema.object(
  {
    state: schema.words('Of the verification', 'queued', 'verified', 'failed'),
    match: schema.nullable(match),
    reason: schema.nullable(schema.text('Why it failed')),
  },
  { name: 'EvmVerificationState' },
);

export const networkSchema = schema.object(
  {
    chainId: schema.integer('EIP-155'),
    name: schema.text('Of the rollup'),
    url: schema.text('JSON-RPC for wallets', { format: 'uri' }),
    currency: schema.object({
      name: schema.text('Of the coin'),
      symbol: schema.text('Of the coin'),
      decimals: schema.integer('Of the coin', { max: 18 }),
    }),
  },
  { name: 'EvmNetwork' },
);

export const compilersSchema = schema.object(
  { items: schema.list(schema.text('A version', { examples: ['0.8.26+commit.8a97fa7a'] })) },
  { name: 'EvmCompilers' },
);

export interface VerifyBody {
  readonly compiler: string;
  readonly contract: string | undefined;
  readonly constructorArguments: string | undefined;
  readonly input: StandardInput;
}

const MAX_DEPTH = 33;
const verifyMembers = schema.object(
  {
    compiler: schema.text('One of those offered; the commit may be left out'),
    contract: schema.optional(schema.text('As `path:Name` or `Name`; any that fits, if absent')),
    constructorArguments: schema.optional(hex('Compared with those of the creation transaction, if present')),
    input: json('Standard JSON input of solc for Solidity, with the text of each source'),
  },
  { name: 'EvmVerificationRequest' },
);

export const verifyBody = {
  'application/json': {
    schema: verifyMembers.json,
    read(bytes): VerifyBody {
      const body: Input = parseInput(new TextDecoder().decode(bytes), '', MAX_DEPTH);
      const { compiler, contract, constructorArguments } = verifyMembers.read(body);
      return { compiler, contract, constructorArguments, input: readStandardInput(body.at('input')) };
    },
  } satisfies BodyForm<VerifyBody>,
};
