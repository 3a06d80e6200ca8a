import type { Gap, Template } from './artifact.ts';
import { endsWithHash, type Region, without } from './metadata.ts';

/** How code on the chain equals the compiler's output: also in the hash of the metadata, or but for that. */
export type MatchKind = 'full' | 'partial';

export interface Match {
  readonly kind: MatchKind;
  /** Addresses of libraries that the sources did not have, by their names. */
  readonly libraries: Readonly<Record<string, string>>;
  /** Bytes after the code, hex without `0x`: for creation code, the arguments of the constructor. */
  readonly rest: string;
}

const ADDRESS_BYTES = 20;
/** Beginning of a library's runtime code: its own address, which it compares with that of the call. */
const LIBRARY = `73${'00'.repeat(ADDRESS_BYTES)}3014`;

/**
 * Compares code of the chain with a template.
 *
 * @param code Hex without `0x`; it may be longer if `allowRest`.
 * @param metadata The hashes of metadata in the template, which may differ.
 */
export function matchCode(
  template: Template,
  code: string,
  {
    metadata = [],
    allowRest = false,
  }: { readonly metadata?: readonly Region[] | undefined; readonly allowRest?: boolean } = {},
): Match | undefined {
  const { length } = template.object;
  if (length === 0 || code.length < length || (code.length > length && !allowRest)) return undefined;
  const deployed = code.slice(0, length);
  const filled = fill(template, deployed);
  if (filled === undefined) return undefined;
  const { libraries, object } = filled;
  const rest = code.slice(length);
  // Without a hash nothing ties the code to these very sources.
  if (object === deployed) return { kind: endsWithHash(object) ? 'full' : 'partial', libraries, rest };
  return without(object, metadata) === without(deployed, metadata) ? { kind: 'partial', libraries, rest } : undefined;
}

/** The template with values that only the chain knows. Undefined if places of one library have different addresses. */
function fill({ object, libraries, immutables }: Template, deployed: string) {
  const found: Record<string, string> = {};
  let hex = object;
  const copy = ({ start, length }: Region) => {
    const value = deployed.slice(2 * start, 2 * (start + length));
    hex = `${hex.slice(0, 2 * start)}${value}${hex.slice(2 * (start + length))}`;
    return value;
  };
  for (const gap of libraries) {
    const [address, ...others] = new Set(gap.places.map(copy));
    if (others.length > 0) return undefined;
    if (address !== undefined) found[gap.name] = `0x${address}`;
  }
  for (const gap of immutables) if (!hasOneValue(gap, deployed)) return undefined;
  for (const gap of immutables) gap.places.forEach(copy);
  if (hex.startsWith(LIBRARY)) copy({ start: 1, length: ADDRESS_BYTES });
  return { object: hex, libraries: found };
}

/** An immutable has the same value wherever it is used. */
const hasOneValue = ({ places }: Gap, deployed: string): boolean =>
  new Set(places.map(({ start, length }) => deployed.slice(2 * start, 2 * (start + length)))).size <= 1;
