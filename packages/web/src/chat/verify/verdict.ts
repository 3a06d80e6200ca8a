/** Result of a check in this page of something that a node shows. */
export type Verdict =
  | { readonly kind: 'verified'; readonly block: bigint }
  /** It may be true; nothing shows it. `trust` accepts validators that this browser does not know. */
  | { readonly kind: 'unproven'; readonly reason: string; readonly trust?: () => void }
  /** A check failed: `by` gave a false statement. */
  | { readonly kind: 'false'; readonly by: string; readonly problem: string };

/** A sentence for people. @param what Part of the page that was checked, such as `a balance`. */
export const toWarning = (what: string, { by, problem }: Verdict & { readonly kind: 'false' }): string =>
  `${by} shows ${what} that its proof does not confirm: ${problem}. Do not rely on it.`;
