import { encodeRlp, keccakHex, type RlpInput } from '@switchyard/protocol/ethereum';
import { hexData, hexQuantity, Input, InvalidData, list, optional, type Read } from '@switchyard/service/input';

/** A transaction whose bytes, had from elsewhere, would be of no use either. */
export class UnusableTransaction extends InvalidData {}

/** Longest bytes that pools of EVM nodes take, with room to spare. */
const MAX_BYTES = 262_144;
const MAX_LIST = 10_000;
const BLOB_TYPE = 3;

/**
 * EIP-2718 bytes of a transaction from its JSON object (types 0, 1, 2 and 4).
 *
 * @throws {InvalidData} for other types and if the bytes do not have the hash that the object names, which is how a
 * field that this version does not know shows.
 */
export function transactionBytes(value: unknown): { readonly hash: string; readonly bytes: Uint8Array } {
  const object = new Input(value, 'transaction');
  const hash = hash32(object.at('hash'));
  const bytes = Uint8Array.from(encode(object));
  const got = keccakHex(bytes);
  if (got !== hash) throw new InvalidData(`the fields of ${hash} make a transaction with hash ${got}`);
  return { hash, bytes };
}

/** EIP-2718 bytes as a node gives them. @throws {InvalidData} if they are of another transaction, or carry blobs. */
export function rawBytes(value: unknown, hash: string): Uint8Array {
  const bytes = bytesIn(new Input(value, 'raw transaction'));
  if (bytes[0] === BLOB_TYPE) throw noBlobs();
  if (keccakHex(bytes) !== hash) throw new UnusableTransaction(`the bytes of ${hash} have another hash`);
  return bytes;
}

function noBlobs(): InvalidData {
  return new UnusableTransaction('a blob transaction, which rollups do not take');
}

/** The hash in lower case. */
export function hashOfObject(value: unknown): string {
  return hash32(new Input(value, 'transaction').at('hash'));
}

export function parseHash(value: unknown): string {
  return hash32(new Input(value, 'hash'));
}

const hash32 = hexData(32);
const anyBytes = hexData();

/** Any number of bytes up to the bound of a transaction. */
const bytesIn: Read<Uint8Array> = (input) => {
  if (typeof input.value === 'string' && input.value.length > 2 + 2 * MAX_BYTES)
    input.fail(`at most ${MAX_BYTES} bytes`);
  return Uint8Array.from(Buffer.from(anyBytes(input).slice(2), 'hex'));
};

function encode(tx: Input): Uint8Array {
  const type = typeOf(tx.at('type').value);
  const either = (name: string, other: string): Input => (tx.at(name).isPresent ? tx.at(name) : tx.at(other));
  const at = (name: string) => hexQuantity(tx.at(name));
  const orZero = (name: string) => optional(hexQuantity, 0n)(tx.at(name));
  const to = optional(bytesIn, new Uint8Array())(tx.at('to'));
  const call = [at('gas'), to, at('value'), bytesIn(either('input', 'data'))];
  const signature = [hexQuantity(type === 0 ? tx.at('v') : either('yParity', 'v')), at('r'), at('s')];
  const fees = [orZero('maxPriorityFeePerGas'), orZero('maxFeePerGas')];
  const [chain, nonce] = [orZero('chainId'), at('nonce')];
  switch (type) {
    case 0:
      return encodeRlp([nonce, at('gasPrice'), ...call, ...signature]);
    case 1:
      return typed(1, [chain, nonce, at('gasPrice'), ...call, accessList(tx), ...signature]);
    case 2:
      return typed(2, [chain, nonce, ...fees, ...call, accessList(tx), ...signature]);
    case 4: {
      const authorizations = list(authorization, MAX_LIST)(tx.at('authorizationList'));
      return typed(4, [chain, nonce, ...fees, ...call, accessList(tx), authorizations, ...signature]);
    }
    case BLOB_TYPE:
      throw noBlobs();
    default:
      return tx.at('type').fail('0x0, 0x1, 0x2 or 0x4');
  }
}

/** NaN for other values. An object could be anything when it is turned into one, or throw. */
function typeOf(type: unknown): number {
  if (type === undefined || type === null) return 0;
  return typeof type === 'string' || typeof type === 'number' ? Number(type) : Number.NaN;
}

function typed(type: number, fields: readonly RlpInput[]): Uint8Array {
  return Buffer.concat([Uint8Array.of(type), encodeRlp(fields)]);
}

function accessList(tx: Input): RlpInput {
  return optional(list(accessListItem, MAX_LIST), [])(tx.at('accessList'));
}

const accessListItem: Read<RlpInput> = (input) => [
  bytesIn(input.at('address')),
  optional(list(bytesIn, MAX_LIST), [])(input.at('storageKeys')),
];

const authorization: Read<RlpInput> = (input) => {
  const parity = input.at('yParity').isPresent ? input.at('yParity') : input.at('v');
  const [chain, nonce] = [hexQuantity(input.at('chainId')), hexQuantity(input.at('nonce'))];
  return [
    chain,
    bytesIn(input.at('address')),
    nonce,
    hexQuantity(parity),
    hexQuantity(input.at('r')),
    hexQuantity(input.at('s')),
  ];
};
