import { EMPTY_ROOT, sha256 } from '@switchyard/protocol';
import { INDEX_PREFIX } from './store.ts';

/** The definition of the root, straight from the contents and without any shortcut. Tests hold the tree to it. */
export function oracleRoot(contents: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const encoder = new TextEncoder();
  const leaves = [...contents]
    .filter(([key]) => !key.startsWith(INDEX_PREFIX))
    .map(([key, value]) => ({ keyHash: sha256(encoder.encode(key)), valueHash: sha256(value) }));
  return subtree(leaves, 0);
}

function subtree(leaves: ReadonlyArray<{ keyHash: Uint8Array; valueHash: Uint8Array }>, depth: number): Uint8Array {
  const [only] = leaves;
  if (only === undefined) return EMPTY_ROOT;
  if (leaves.length === 1) return sha256(Uint8Array.of(0), only.keyHash, only.valueHash);
  const goesRight = ({ keyHash }: { keyHash: Uint8Array }) => ((keyHash[depth >> 3] ?? 0) & (128 >> (depth & 7))) !== 0;
  const left = leaves.filter((leaf) => !goesRight(leaf));
  const right = leaves.filter(goesRight);
  return sha256(Uint8Array.of(1), subtree(left, depth + 1), subtree(right, depth + 1));
}
