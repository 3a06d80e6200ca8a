/**
 * Leaves out as many items as it can, with the others in their order: halves first, single ones at last.
 *
 * @param fails Whether the reduced run fails in the same way.
 * @param tries Most calls of it.
 */
export async function shrunk<T>(
  items: readonly T[],
  fails: (fewer: readonly T[]) => Promise<boolean>,
  tries: number,
): Promise<readonly T[]> {
  let left = items;
  let calls = 0;
  for (let size = items.length; size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < left.length && calls < tries; calls += 1) {
      const fewer = [...left.slice(0, at), ...left.slice(at + size)];
      if (await fails(fewer)) left = fewer;
      else at += size;
    }
  }
  return left;
}
