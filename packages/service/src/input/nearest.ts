/**
 * The real name that a mistyped one most likely stands for: the one with the fewest edits between them, letter case
 * aside. Nothing when even that is too far away to be meant.
 */
export function nearest(got: string, names: Iterable<string>): string | undefined {
  const wanted = got.toLowerCase();
  let best: { readonly name: string; readonly edits: number } | undefined;
  for (const name of names) {
    // One mistake in three letters is a slip; more of them make a different word.
    const most = Math.max(1, Math.floor(Math.max(wanted.length, name.length) / 3));
    const edits = distance(wanted.slice(0, LONGEST), name.toLowerCase());
    if (edits <= most && (best === undefined || edits < best.edits)) best = { name, edits };
  }
  return best?.name;
}

/** A phrase to append to "no network x": `; did you mean "local"?`, or nothing. */
export function didYouMean(got: string, names: Iterable<string>): string {
  const name = nearest(got, names);
  return name === undefined ? '' : `; did you mean ${JSON.stringify(name)}?`;
}

/** Longer names are not compared: the work grows with the square of the length. */
const LONGEST = 100;

/** Insertions, deletions, replacements and swaps of neighbours that turn one text into the other. */
function distance(a: string, b: string): number {
  // Row i holds the distances of the first i letters of `a` to every beginning of `b`.
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next.push(
        Math.min(
          at(row, j) + 1,
          at(next, j - 1) + 1,
          at(row, j - 1) + (same ? 0 : 1),
          swapped ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    before = row;
    row = next;
  }
  return at(row, b.length);
}

const at = (row: readonly number[], index: number) => row[index] ?? Number.POSITIVE_INFINITY;
