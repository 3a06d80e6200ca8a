import { type Envelope, fromHex, signedBytes, toHex } from '@switchyard/protocol';
import { keccak } from '@switchyard/protocol/wallet-signature';
import type { TransactionBody } from '../app/definition.ts';
import { joined } from '../app/joined.ts';
import type { Description } from '../schema/type.ts';
import type { Contract } from './contract.ts';

/*
 * Transactions as typed data of EIP-712, which wallets show and sign. The types follow from the values: options that are absent and empty lists
 * have no member, and a union has those of its case. A digest of the signed bytes is a member too, so that a signature holds
 * for exactly these bytes.
 */

export interface Member {
  readonly name: string;
  readonly type: string;
}

/** The parameter of `eth_signTypedData_v4`: numbers are decimal digits, bytes are hex with `0x`. */
export interface TypedData {
  readonly types: Readonly<Record<string, readonly Member[]>>;
  readonly primaryType: string;
  readonly domain: Readonly<Record<string, unknown>>;
  readonly message: Readonly<Record<string, unknown>>;
}

type TypedContract = Pick<Contract, 'name' | 'fields' | 'actionJson'>;

const DOMAIN = 'EIP712Domain';
const utf8 = new TextEncoder();
const hash = (bytes: Uint8Array): string => `0x${toHex(keccak(bytes))}`;

/** @param signed The kind and bytes of the body. */
export function toTypedData(
  { name, fields, actionJson }: TypedContract,
  signed: Pick<Envelope, 'typeUrl' | 'body'>,
  { chainId, nonce, lastBlock, actions }: TransactionBody,
): TypedData {
  const types = new Types();
  const listed = actions.map((action) => {
    const described = Object.entries(fields.get(action.kind) ?? {}).map(([field, { description }]) => ({
      ...{ name: field },
      ...description,
    }));
    return types.case(action.kind, described, actionJson(action));
  });
  const { type, value } = types.struct('Transaction', [
    ['chain', { type: 'string', value: chainId }],
    ['nonce', { type: 'uint256', value: String(nonce) }],
    ...(lastBlock === undefined ? [] : [['lastBlock', { type: 'uint256', value: String(lastBlock) }] as const]),
    ['actions', types.list('actions', listed)],
    ['digest', { type: 'bytes32', value: hash(signedBytes(signed)) }],
  ]);
  const domain = { name, version: '1', salt: hash(utf8.encode(chainId)) };
  const members = { name: 'string', version: 'string', salt: 'bytes32' };
  const domainType = Object.entries(members).map(([member, each]) => ({ name: member, type: each }));
  // The value of a struct is an object.
  return { types: { [DOMAIN]: domainType, ...types.all }, primaryType: type, domain, message: value as Values };
}

interface Part {
  readonly type: string;
  readonly value: unknown;
}

type Field = Description & { readonly name: string };
type Values = Readonly<Record<string, unknown>>;

const INTEGERS: Readonly<Record<string, string>> = {
  ...{ u32: 'uint256', u64: 'uint256', u128: 'uint256' },
  ...{ i32: 'int256', i64: 'int256', i128: 'int256' },
};

/** Types of the structs of one transaction. */
class Types {
  readonly all: Record<string, readonly Member[]> = {};
  /** Names by struct and members, and how many each struct has. */
  readonly #names = new Map<string, string>();
  readonly #counts = new Map([[DOMAIN, 1]]);

  /** Structs of one name have numbers behind it if their members differ. */
  struct(name: string, parts: readonly (readonly [string, Part])[]): Part {
    const members = parts.map(([member, { type }]) => ({ name: member, type }));
    const key = JSON.stringify([name, members]);
    let type = this.#names.get(key);
    if (type === undefined) {
      const count = (this.#counts.get(name) ?? 0) + 1;
      type = count === 1 ? name : `${name}_${count}`;
      this.#counts.set(name, count);
      this.#names.set(key, type);
      this.all[type] = members;
    }
    return { type, value: Object.fromEntries(parts.map(([member, { value }]) => [member, value])) };
  }

  /** Items of different types are members of a struct. */
  list(name: string, items: readonly Part[]): Part {
    const [first] = items;
    if (first !== undefined && items.every(({ type }) => type === first.type))
      return { type: `${first.type}[]`, value: items.map(({ value }) => value) };
    return this.struct(
      capitalized(name),
      items.map((item, at) => [`item${at + 1}`, item]),
    );
  }

  case(kind: string, fields: readonly Field[], values: object): Part {
    const own = this.#fields(fields, values as Values);
    return this.struct(capitalized(kind), [['kind', { type: 'string', value: kind }], ...own]);
  }

  #fields(fields: readonly Field[], values: Values): (readonly [string, Part])[] {
    return fields.flatMap((field) => {
      const value = values[field.name];
      return isLeftOut(field, value) ? [] : [[field.name, this.#part(field.name, field, value)] as const];
    });
  }

  #part(name: string, description: Description, value: unknown): Part {
    const { type, item, fields, cases, key, value: inner } = description as unknown as Shape;
    const list = (described: Description) =>
      this.list(
        name,
        (value as readonly unknown[]).map((each) => this.#part(name, described, each)),
      );
    switch (type) {
      case 'option':
        return this.#part(name, inner, value);
      case 'record':
        return this.struct(capitalized(name), this.#fields(fields, value as Values));
      case 'union': {
        const { kind } = value as { readonly kind: string };
        return this.case(kind, cases.find((each) => each.name === kind)?.fields ?? [], value as Values);
      }
      case 'list':
        return list(item);
      case 'map':
        return list({
          type: 'record',
          fields: [
            { name: 'key', ...key },
            { name: 'value', ...inner },
          ],
        });
      case 'bool':
        return { type: 'bool', value };
      case 'bytes':
        return { type: 'bytes', value: `0x${value}` };
      default:
        return { type: INTEGERS[type] ?? 'string', value: String(value) };
    }
  }
}

/** Members that descriptions of some types have. */
interface Shape {
  readonly type: string;
  readonly item: Description;
  readonly key: Description;
  readonly value: Description;
  readonly fields: readonly Field[];
  readonly cases: readonly { readonly name: string; readonly fields: readonly Field[] }[];
}

/** A field that begins at a block is shown if it differs from its default, so that earlier programs find the same types. */
function isLeftOut({ from, words }: Description, value: unknown): boolean {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return true;
  const first = Array.isArray(words) ? words[0] : '';
  return from !== undefined && [0, '0', false, '', first].includes(value as never);
}

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** The 32 bytes that are signed for typed data, by EIP-712. */
export function hashOfTypedData({ types, primaryType, domain, message }: TypedData): Uint8Array {
  const hashes = new Map<string, Uint8Array>();
  /** Structs that a type refers to, itself among them. */
  const reached = (type: string, found = new Set<string>()): Set<string> => {
    const members = types[type];
    if (members === undefined || found.has(type)) return found;
    found.add(type);
    for (const each of members) reached(each.type.replace('[]', ''), found);
    return found;
  };
  const typeHash = (type: string): Uint8Array => {
    const known = hashes.get(type);
    if (known !== undefined) return known;
    const [, ...others] = reached(type);
    const text = [type, ...others.sort()].map(
      (each) => `${each}(${(types[each] ?? []).map(({ name, type: of }) => `${of} ${name}`).join(',')})`,
    );
    const made = keccak(utf8.encode(text.join('')));
    hashes.set(type, made);
    return made;
  };
  const struct = (type: string, value: Values): Uint8Array =>
    keccak(joined([typeHash(type), ...(types[type] ?? []).map(({ name, type: of }) => word(of, value[name]))]));
  const word = (type: string, value: unknown): Uint8Array => {
    if (type.endsWith('[]'))
      return keccak(joined((value as readonly unknown[]).map((each) => word(type.slice(0, -2), each))));
    if (type === 'string') return keccak(utf8.encode(String(value)));
    if (type === 'bytes') return keccak(fromHex(String(value).slice(2)));
    if (type in types) return struct(type, value as Values);
    return fromHex(
      BigInt.asUintN(256, BigInt(value as string))
        .toString(16)
        .padStart(64, '0'),
    );
  };
  return keccak(joined([Uint8Array.of(0x19, 1), struct(DOMAIN, domain), struct(primaryType, message)]));
}
