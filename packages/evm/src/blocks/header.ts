import { type Fork, includes } from '@switchyard/evm-machine/fork';
import type { Data, Hash, Header } from '@switchyard/evm-machine/types';
import {
  asBytes,
  asUint,
  bytesToHex,
  encodeRlp,
  InvalidRlp,
  keccakHex,
  type RlpInput,
  type RlpTree,
  ZERO_HASH,
} from '@switchyard/protocol/ethereum';
import { EMPTY_ROOT } from './ordered-root.ts';
import { NO_REQUESTS } from './requests.ts';

/** Keccak-256 of the RLP of nothing in a list: a block without uncles, and EIP-7928 without accesses. */
export const EMPTY_UNCLES: Hash = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347';
export const NO_BLOOM: Data = `0x${'00'.repeat(256)}`;

/**
 * The fields in the order of the RLP: numbers, or bytes with their length. Those of later forks are at the end, each only
 * with all before it.
 */
const FIELDS: readonly (readonly [name: keyof Header, form: number | 'bytes' | 'number', since?: Fork])[] = [
  ['parentHash', 32],
  ['uncleHash', 32],
  ['coinbase', 20],
  ['stateRoot', 32],
  ['transactionsRoot', 32],
  ['receiptsRoot', 32],
  ['logsBloom', 256],
  ['difficulty', 'number'],
  ['number', 'number'],
  ['gasLimit', 'number'],
  ['gasUsed', 'number'],
  ['timestamp', 'number'],
  ['extraData', 'bytes'],
  ['mixHash', 32],
  ['nonce', 8],
  ['baseFeePerGas', 'number', 'london'],
  ['withdrawalsRoot', 32, 'shanghai'],
  ['blobGasUsed', 'number', 'cancun'],
  ['excessBlobGas', 'number', 'cancun'],
  ['parentBeaconBlockRoot', 32, 'cancun'],
  ['requestsHash', 32, 'prague'],
  ['blockAccessListHash', 32, 'amsterdam'],
  ['slotNumber', 'number', 'amsterdam'],
];

/** Names of the fields that not every fork has. */
export const LATER_FIELDS = FIELDS.flatMap(([name, , since]) => (since === undefined ? [] : [name]));

/** How many fields the headers of a fork have. */
export function fieldsIn(fork: Fork): number {
  return FIELDS.filter(([, , since]) => since === undefined || includes(fork, since)).length;
}

type Always = 'parentHash' | 'coinbase' | 'number' | 'gasLimit' | 'timestamp';
type Given = Pick<Header, Always> & Partial<Header>;

/** Fields of a block without any content. */
const EMPTY: Omit<Header, Always | 'stateRoot'> = {
  uncleHash: EMPTY_UNCLES,
  transactionsRoot: EMPTY_ROOT,
  receiptsRoot: EMPTY_ROOT,
  logsBloom: NO_BLOOM,
  difficulty: 0n,
  gasUsed: 0n,
  extraData: '0x',
  mixHash: ZERO_HASH,
  nonce: '0x0000000000000000',
  baseFeePerGas: 0n,
  withdrawalsRoot: EMPTY_ROOT,
  blobGasUsed: 0n,
  excessBlobGas: 0n,
  parentBeaconBlockRoot: ZERO_HASH,
  requestsHash: NO_REQUESTS,
  blockAccessListHash: EMPTY_UNCLES,
  slotNumber: 0n,
};

/** A header with the fields of its fork alone: the given ones, and the others as in a block without any content. */
export function toHeader<G extends Given>(fork: Fork, given: G) {
  const absent = FIELDS.flatMap(([name, , since]) =>
    since === undefined || includes(fork, since) ? [] : [[name, undefined] as const],
  );
  return { ...EMPTY, ...given, ...Object.fromEntries(absent) };
}

export function hashHeader(header: Header): Hash {
  return keccakHex(encodeHeader(header));
}

export function encodeHeader(header: Header): Uint8Array {
  return encodeRlp(headerItems(header));
}

export function headerItems(header: Header): RlpInput[] {
  const items: RlpInput[] = [];
  for (const [name] of FIELDS) {
    const value = header[name];
    if (value === undefined) break;
    items.push(value);
  }
  return items;
}

/** @throws {InvalidRlp} */
export function headerFromItems(items: readonly RlpTree[]): Header {
  if (items.length < 15 || items.length > FIELDS.length)
    throw new InvalidRlp(`a header has ${items.length} fields, expected 15 to ${FIELDS.length}`);
  const header: Partial<Record<keyof Header, Data | bigint | undefined>> = {};
  for (const [at, [name, form]] of FIELDS.entries()) {
    if (at >= items.length) header[name] = undefined;
    else if (form === 'number') header[name] = asUint(items[at], 32);
    else header[name] = bytesToHex(form === 'bytes' ? asBytes(items[at]) : asBytes(items[at], form));
  }
  // Each field was read in its form.
  return header as Header;
}
