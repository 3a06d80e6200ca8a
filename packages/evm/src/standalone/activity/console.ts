import type { Address } from '@switchyard/evm-machine/types';
import { bytesToHex, checksummed, keccak256 } from '@switchyard/protocol/ethereum';

/** Address that Hardhat's console library calls: its last bytes are the text `console.log`. */
export const CONSOLE: Address = '0x000000000000000000636f6e736f6c652e6c6f67';

/** The library has a function for each combination of up to four of these. */
const COMBINED = ['uint256', 'string', 'bool', 'address'];
const MOST_ARGUMENTS = 4;
/** Types that it takes alone. */
const SINGLE = ['int256', 'bytes', ...Array.from({ length: 32 }, (_, index) => `bytes${index + 1}`)];
/** Foundry's library has this one besides. */
const WITH_SIGN = ['string', 'int256'];
/** Names in selectors of its older versions, which did not spell them out. */
const OLDER: ReadonlyMap<string, string> = new Map([
  ['uint256', 'uint'],
  ['int256', 'int'],
  ['bytes1', 'byte'],
]);
const WORD = 32;

/** Types of the arguments by selector. */
let known: ReadonlyMap<string, readonly string[]> | undefined;

/** @returns the line that a call of the console prints; undefined if it is not of the library. */
export function consoleLine(input: Uint8Array): string | undefined {
  known ??= signatures();
  const types = known.get(bytesToHex(input.subarray(0, 4)));
  if (types === undefined) return undefined;
  const values = types.map((type, index) => toText(type, input.subarray(4), index * WORD));
  return values.includes(undefined) ? undefined : formatted(types, values as readonly string[]);
}

function signatures(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  const add = (types: readonly string[]): void => {
    for (const names of [types, types.map((type) => OLDER.get(type) ?? type)])
      found.set(bytesToHex(keccak256(Buffer.from(`log(${names.join(',')})`)).subarray(0, 4)), types);
  };
  let combinations: readonly (readonly string[])[] = [[]];
  for (let count = 0; count <= MOST_ARGUMENTS; count += 1) {
    for (const types of combinations) add(types);
    combinations = combinations.flatMap((types) => COMBINED.map((type) => [...types, type]));
  }
  for (const type of SINGLE) add([type]);
  add(WITH_SIGN);
  return found;
}

/** @returns the ABI-encoded value as text; undefined if cut off. */
function toText(type: string, data: Uint8Array, at: number): string | undefined {
  const word = data.subarray(at, at + WORD);
  if (word.length < WORD) return undefined;
  const number = BigInt(bytesToHex(word));
  switch (type) {
    case 'uint256':
      return String(number);
    case 'int256':
      return String(BigInt.asIntN(256, number));
    case 'bool':
      return String(number !== 0n);
    case 'address':
      return checksummed(bytesToHex(word.subarray(12)));
    case 'string':
    case 'bytes': {
      const bytes = findTail(data, number);
      return type === 'string' ? bytes && Buffer.from(bytes).toString() : bytes && bytesToHex(bytes);
    }
    default:
      return bytesToHex(word.subarray(0, Number(type.slice('bytes'.length))));
  }
}

/** Bytes at an offset, after their length. */
function findTail(data: Uint8Array, offset: bigint): Uint8Array | undefined {
  if (offset > data.length - WORD) return undefined;
  const from = Number(offset) + WORD;
  const length = BigInt(bytesToHex(data.subarray(from - WORD, from)));
  return length > data.length - from ? undefined : data.subarray(from, from + Number(length));
}

/** With a text first, its `%s` and the like stand for the values that follow, as in `console.log` of Node.js. */
function formatted([first]: readonly string[], values: readonly string[]): string {
  const [text, ...rest] = values;
  if (first !== 'string' || text === undefined || rest.length === 0) return values.join(' ');
  const line = text.replace(/%([sdiox%])/g, (place, kind: string) => (kind === '%' ? '%' : (rest.shift() ?? place)));
  return [line, ...rest].join(' ');
}
