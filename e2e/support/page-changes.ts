/** One listing of a documentation page that changes the repository. */
export type PageChange =
  | { readonly kind: 'new'; readonly file: string; readonly text: string }
  | { readonly kind: 'diff'; readonly file: string; apply(source: string): string };

/** The listings ```` ```ts new=path ```` and ```` ```diff file=path ```` of a page, in order. */
export function pageChanges(page: string): PageChange[] {
  return [...page.matchAll(/^```(?:\w+) (new|file)=(\S+)\n([\s\S]*?)^```$/gm)].map(([, how, file = '', body = '']) =>
    how === 'new'
      ? { kind: 'new', file, text: body }
      : { kind: 'diff', file, apply: (source) => patch(source, body, file) },
  );
}

/** Replaces the lines that the listing shows without `+` by the lines that it shows without `-`. */
function patch(source: string, diff: string, file: string): string {
  const lines = diff.replace(/\n$/, '').split('\n');
  const without = (mark: string) => lines.filter((line) => !line.startsWith(mark)).map((line) => line.slice(1));
  const before = without('+').join('\n');
  const parts = source.split(before);
  if (parts.length !== 2)
    throw new Error(`${file}: expected these lines once, found ${parts.length - 1} times:\n${before}`);
  return parts.join(without('-').join('\n'));
}
