/* The end of the Solidity compiler's output: CBOR with the hash of the metadata, which has the hashes of all sources. */

/** Keys of a hash with the header of the bytes that follow, how many these are, and the setting that asks for it. */
const HASHES: readonly (readonly [prefix: string, bytes: number, setting?: 'ipfs' | 'bzzr1'])[] = [
  // "ipfs", a multihash of 34 bytes whose first two are its kind.
  ['64697066735822', 34, 'ipfs'],
  // "bzzr0" and "bzzr1".
  ['65627a7a72305820', 32],
  ['65627a7a72315820', 32, 'bzzr1'],
];

export interface Region {
  readonly start: number;
  readonly length: number;
}

/** Positions in code of bytes that look like the hash of metadata. @param code Hex without `0x`. */
export function hashRegions(code: string): Region[] {
  return HASHES.flatMap(([prefix, length]) => {
    const found: Region[] = [];
    for (let at = code.indexOf(prefix); at >= 0; at = code.indexOf(prefix, at + 1)) {
      const start = (at + prefix.length) / 2;
      if (at % 2 === 0 && (start + length) * 2 <= code.length) found.push({ start, length });
    }
    return found;
  });
}

/** Whether the code ends with CBOR that has a hash of metadata. */
export function endsWithHash(code: string): boolean {
  const length = Number.parseInt(code.slice(-4), 16);
  const from = code.length - 4 - 2 * length;
  return Number.isFinite(length) && from >= 0 && hashRegions(code.slice(from, -4)).length > 0;
}

/** Settings of the compiler under which code ends as it does. */
export interface MetadataSettings {
  readonly appendCBOR: boolean;
  /** None also if no CBOR is appended. */
  readonly bytecodeHash: 'ipfs' | 'bzzr1' | 'none';
}

/** CBOR of one to three members, of which one is the version of the compiler. */
const VERSION = /^a[1-3](?:[0-9a-f]{2})*?64736f6c63/;

/** Undefined for the ending of old compilers, which no setting changes. @param code Hex without `0x`. */
export function metadataSettings(code: string): MetadataSettings | undefined {
  const length = Number.parseInt(code.slice(-4), 16);
  const section = code.length >= 4 + 2 * length ? code.slice(-4 - 2 * length, -4) : '';
  const hash = HASHES.find(([prefix]) => section.includes(prefix));
  if (hash === undefined) return { appendCBOR: VERSION.test(section), bytecodeHash: 'none' };
  const [, , bytecodeHash] = hash;
  return bytecodeHash && { appendCBOR: true, bytecodeHash };
}

/**
 * The hashes of metadata in a template: bytes that look like one and differ if only the metadata differs. A constant of the
 * program that is made to look like one stays the same, and so counts as code.
 *
 * @returns undefined if something else differs too.
 */
export function metadataRegions(object: string, other: string): Region[] | undefined {
  if (object.length !== other.length) return undefined;
  const cut = (hex: string, { start, length }: Region) => hex.slice(2 * start, 2 * (start + length));
  const regions = hashRegions(object).filter((region) => cut(object, region) !== cut(other, region));
  return without(object, regions) === without(other, regions) ? regions : undefined;
}

/** The code with zeros in the place of regions. */
export function without(code: string, regions: readonly Region[]): string {
  return regions.reduce(
    (hex, { start, length }) => `${hex.slice(0, 2 * start)}${'00'.repeat(length)}${hex.slice(2 * (start + length))}`,
    code,
  );
}
