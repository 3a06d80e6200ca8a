import { hexToBytes, keccak256 } from '@switchyard/protocol/ethereum';
import { exactInteger, parseJson } from '@switchyard/service';
import { Input, list, type Read, text } from '@switchyard/service/input';
import { data, mapOf } from '../../json/params.ts';

/* EIP-712: the signed digest of structured data, like in version 4 of `eth_signTypedData`. */

interface Member {
  readonly name: string;
  readonly type: string;
}
type Types = ReadonlyMap<string, readonly Member[]>;

/** Bounds on the hashing of one request. */
const MAX_TYPES = 200;
const MAX_MEMBERS = 200;
const MAX_ITEMS = 10_000;
const MAX_DEPTH = 50;

/** Members that a domain may have, in the order of its type. */
const DOMAIN: readonly Member[] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
];

/** @throws {InvalidData} that names the member. @returns the 32 bytes that are signed. */
export const typedDataDigest: Read<Uint8Array> = (input) => {
  const parsed = typeof input.value === 'string' ? new Input(parsedText(input), input.path) : input;
  const given = mapOf(text, list(member, MAX_MEMBERS), MAX_TYPES)(parsed.at('types'));
  const domain = parsed.at('domain');
  const own = DOMAIN.filter(({ name }) => domain.at(name).isPresent);
  const types = given.has('EIP712Domain') ? given : new Map([...given, ['EIP712Domain', own]]);
  const hasher = new Hasher(types);
  const primary = text(parsed.at('primaryType'));
  const domainHash = hasher.struct('EIP712Domain', domain, 0);
  const parts =
    primary === 'EIP712Domain' ? [domainHash] : [domainHash, hasher.struct(primary, parsed.at('message'), 0)];
  return keccak256(Buffer.concat([Uint8Array.of(0x19, 0x01), ...parts]));
};

function parsedText(input: Input): unknown {
  try {
    return parseJson(text(input));
  } catch {
    return input.fail('typed data, or a text with its JSON');
  }
}

function member(input: Input): Member {
  return { name: text(input.at('name')), type: text(input.at('type')) };
}

class Hasher {
  readonly #types: Types;
  readonly #typeHashes = new Map<string, Uint8Array>();

  constructor(types: Types) {
    this.#types = types;
  }

  struct(type: string, value: Input, depth: number): Uint8Array {
    if (depth > MAX_DEPTH) value.fail(`at most ${MAX_DEPTH} values within each other`);
    const members = this.#types.get(type);
    if (members === undefined) return value.fail(`a type that \`types\` describes`, type);
    value.object();
    const encoded = members.map(({ name, type: each }) => this.#word(each, value.at(name), depth));
    return keccak256(Buffer.concat([this.#typeHash(type, members), ...encoded]));
  }

  /** 32 bytes. A struct that is absent or null is zeros. */
  #word(type: string, value: Input, depth: number): Uint8Array {
    const array = /^(.*)\[(\d*)\]$/.exec(type);
    if (array !== null) {
      const [, item = '', length = ''] = array;
      const items = value.list(MAX_ITEMS);
      if (length !== '' && items.length !== Number(length)) value.fail(`${length} items`, String(items.length));
      if (depth > MAX_DEPTH) value.fail(`at most ${MAX_DEPTH} values within each other`);
      return keccak256(Buffer.concat(items.map((each) => this.#word(item, each, depth + 1))));
    }
    if (this.#types.has(type)) return value.isPresent ? this.struct(type, value, depth + 1) : new Uint8Array(32);
    return atom(type, value);
  }

  #typeHash(type: string, members: readonly Member[]): Uint8Array {
    const known = this.#typeHashes.get(type);
    if (known !== undefined) return known;
    const others = [...this.#usedBy(members, new Set([type]))].filter((name) => name !== type).sort();
    const written = [type, ...others].map((name) => {
      const fields = (this.#types.get(name) ?? []).map((each) => `${each.type} ${each.name}`);
      return `${name}(${fields.join(',')})`;
    });
    const hash = keccak256(Buffer.from(written.join('')));
    this.#typeHashes.set(type, hash);
    return hash;
  }

  /** Types of members, of their members, and so on. */
  #usedBy(members: readonly Member[], found: Set<string>): ReadonlySet<string> {
    for (const { type } of members) {
      const name = type.replace(/\[.*$/, '');
      const inner = this.#types.get(name);
      if (inner === undefined || found.has(name)) continue;
      found.add(name);
      this.#usedBy(inner, found);
    }
    return found;
  }
}

function atom(type: string, value: Input): Uint8Array {
  if (type === 'string') return keccak256(Buffer.from(text(value)));
  if (type === 'bytes') return keccak256(hexToBytes(data(value)));
  if (type === 'bool') return word(value.bool() ? 1n : 0n);
  if (type === 'address') return word(BigInt(sized(value, 20, 20)));
  const [, kind, digits] = /^(u?int|bytes)(\d*)$/.exec(type) ?? [];
  const size = digits === '' ? 256 : Number(digits);
  if (kind === 'bytes' && size >= 1 && size <= 32) {
    const bytes = hexToBytes(sized(value, 0, size));
    return Buffer.concat([bytes, new Uint8Array(32 - bytes.length)]);
  }
  if (kind === undefined || kind === 'bytes' || size < 8 || size > 256 || size % 8 !== 0)
    return value.fail('a type of Solidity, or a type in `types`', type);
  return number(value, kind === 'int', size);
}

function number(value: Input, signed: boolean, bits: number): Uint8Array {
  const integer = getInteger(value);
  const [low, high] = signed ? [-(1n << BigInt(bits - 1)), 1n << BigInt(bits - 1)] : [0n, 1n << BigInt(bits)];
  if (integer < low || integer >= high) value.fail(`a number of type ${signed ? 'int' : 'uint'}${bits}`);
  return word(BigInt.asUintN(256, integer));
}

/** A JSON number that is exact, or a text in decimal or hex. */
function getInteger(input: Input): bigint {
  const { value } = input;
  const isText = typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value);
  return (isText ? BigInt(value) : exactInteger(value)) ?? input.fail('a whole number, in decimal or as hex with 0x');
}

function sized(value: Input, least: number, most: number): `0x${string}` {
  const bytes = data(value);
  const length = bytes.length / 2 - 1;
  return length >= least && length <= most ? bytes : value.fail(`${most} bytes in hex with 0x`);
}

function word(value: bigint): Uint8Array {
  return hexToBytes(`0x${value.toString(16).padStart(64, '0')}`);
}
