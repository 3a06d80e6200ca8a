import type { Artifact } from './artifact.ts';

/* How much of a verified contract is kept: verification costs the sender nothing. */

/** Bound on its standard JSON input, as stored. */
export const MAX_INPUT_BYTES = 4 * 1_048_576;
/** Bound on its ABI as JSON. */
export const MAX_ABI_BYTES = 262_144;
/** Parameters in its ABI, members of structs included wherever a struct is used. */
export const MAX_ABI_MEMBERS = 4_096;
const MAX_NAME = 256;
const MAX_LIBRARIES_BYTES = 65_536;

/** Why a contract cannot be kept, if it cannot. @param libraries As {@link ContractRecord} has them. */
export function notStorable(
  { name, abi }: Pick<Artifact, 'name' | 'abi'>,
  libraries: Readonly<Record<string, string>>,
): string | undefined {
  if (name.length > MAX_NAME) return `the name of the contract: expected at most ${MAX_NAME} characters`;
  if (hasMoreMembers(abi, MAX_ABI_MEMBERS))
    return `the ABI: expected at most ${MAX_ABI_MEMBERS} parameters and members of structs, counted wherever a struct is used`;
  const length = Buffer.byteLength(JSON.stringify(abi));
  if (length > MAX_ABI_BYTES) return `the ABI: expected at most ${MAX_ABI_BYTES} bytes, got ${length}`;
  if (Buffer.byteLength(JSON.stringify(libraries)) > MAX_LIBRARIES_BYTES)
    return `names of libraries: expected at most ${MAX_LIBRARIES_BYTES} bytes`;
  return undefined;
}

/** Whether an ABI has more than this many items and parameters. It is not looked at any further then. */
function hasMoreMembers(abi: readonly unknown[], most: number): boolean {
  const waiting: unknown[] = [...abi];
  let count = 0;
  for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
    count += 1;
    if (count > most) return true;
    const { inputs, outputs, components } = Object(item) as Readonly<Record<string, unknown>>;
    for (const list of [inputs, outputs, components])
      for (const each of Array.isArray(list) ? list : []) waiting.push(each);
  }
  return false;
}
