/** A version of the compiler as a request names it, such as `v0.8.26+commit.8a97fa7a`; the commit may be left out, the platform counts for nothing. */
export interface CompilerVersion {
  readonly number: string;
  readonly commit: string | undefined;
}

const VERSION = /^v?(\d{1,3}\.\d{1,3}\.\d{1,3})(?:\+commit\.([0-9a-f]{8}))?(?:\.[\w.+-]{1,40})?$/;

/** Undefined for nightly builds and other text that names no release. */
export function parseCompilerVersion(text: string): CompilerVersion | undefined {
  const [, number, commit] = VERSION.exec(text.trim()) ?? [];
  return number === undefined ? undefined : { number, commit };
}

export const compilerVersionText = ({ number, commit }: CompilerVersion): string =>
  commit === undefined ? number : `${number}+commit.${commit}`;

/** Whether nothing that both name differs. */
export function isSameCompiler(a: CompilerVersion, b: CompilerVersion): boolean {
  const sameCommit = a.commit === undefined || b.commit === undefined || a.commit === b.commit;
  return a.number === b.number && sameCommit;
}
