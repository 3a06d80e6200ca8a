/* Parts of a definition that begin at a block have `from` in its document, and may have the part `before`. */

/** Members with values of types, whose own members are no parts. */
export const VALUES: ReadonlySet<string> = new Set(['fallback', 'absent']);

export type Members = Readonly<Record<string, unknown>>;

/** Members that a part has by its place, and keeps while it is of the type before. */
const OF_PLACE = ['name', 'number'];

/**
 * The document, or a part of it, in force at a block: without the parts that begin after it.
 *
 * @param keep Leaves `from` and `before` at the parts that have begun.
 * @returns undefined for a part that has not begun.
 * @throws {Error} if a part that has not begun is needed by the one around it.
 */
export function partsAt<T>(value: T, block: bigint, keep = false): T | undefined {
  // The result has the form of the value, since documents have lists and members of parts in each place.
  return read(value, block, keep) as T | undefined;
}

function read(value: unknown, block: bigint, keep: boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => read(each, block, keep)).filter((each) => each !== undefined);
  if (!isPart(value)) return value;
  const { from, before, ...now } = value;
  if (from === undefined) return getEach(value, block, keep);
  if (BigInt(String(from)) <= block) return getEach(keep ? value : now, block, keep);
  if (!isPart(before)) return undefined;
  const place = Object.fromEntries(OF_PLACE.filter((name) => name in value).map((name) => [name, value[name]]));
  return read({ ...place, ...before, ...('fallback' in value && { fallback: value.fallback }) }, block, keep);
}

function getEach(value: Members, block: bigint, keep: boolean): Members {
  const members = Object.entries(value).map(([name, member]) => {
    if (VALUES.has(name)) return [name, member];
    const found = read(member, block, keep);
    if (found === undefined && member !== undefined)
      throw new Error(`${name}: a part of another one has no block without it: expected since(block, type, before)`);
    return [name, found];
  });
  return Object.fromEntries(members);
}

/** Blocks at which parts of a document begin, in their order. */
export function blocksIn(value: unknown): readonly bigint[] {
  const found = new Set<bigint>();
  const look = (each: unknown): void => {
    if (typeof each !== 'object' || each === null) return;
    if (isPart(each) && typeof each.from === 'string') found.add(BigInt(each.from));
    for (const [name, member] of Object.entries(each)) if (!VALUES.has(name)) look(member);
  };
  look(value);
  return [...found].sort((left, right) => (left < right ? -1 : 1));
}

export function isPart(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
