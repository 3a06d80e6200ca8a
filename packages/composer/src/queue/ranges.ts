/** The items numbered `from` up to, but not with, `to`. Items are numbered in the order of their acceptance. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

const inOrder = (a: Range, b: Range): number => a.from - b.from;

/** Sorted, with touching or overlapping ones joined. */
export function joined(ranges: readonly Range[]): Range[] {
  const out: Range[] = [];
  for (const { from, to } of ranges.length < 2 ? ranges : [...ranges].sort(inOrder)) {
    const last = out.at(-1);
    if (last !== undefined && from <= last.to) out[out.length - 1] = { from: last.from, to: Math.max(last.to, to) };
    else out.push({ from, to });
  }
  return out;
}

/** Difference: the parts of `ranges` that are not in `taken`, joined. */
export function without(ranges: readonly Range[], taken: readonly Range[]): Range[] {
  const holes = joined(taken);
  const out: Range[] = [];
  let next = 0;
  for (const { from, to } of joined(ranges)) {
    let start = from;
    for (; next < holes.length; next += 1) {
      const hole = holes[next];
      if (hole === undefined || hole.from >= to) break;
      if (hole.from > start) out.push({ from: start, to: hole.from });
      start = Math.max(start, hole.to);
      // It may reach into the next range too.
      if (hole.to >= to) break;
    }
    if (start < to) out.push({ from: start, to });
  }
  return out;
}

/** Intersection, joined. */
export function common(a: readonly Range[], b: readonly Range[]): Range[] {
  return without(a, without(a, b));
}

export function computeCount(ranges: readonly Range[]): number {
  return ranges.reduce((sum, { from, to }) => sum + to - from, 0);
}

/** The first `count` items. */
export function getFirst(ranges: readonly Range[], count: number): Range[] {
  let left = count;
  return ranges.flatMap(({ from, to }) => {
    const size = Math.min(left, to - from);
    left -= size;
    return size > 0 ? [{ from, to: from + size }] : [];
  });
}
