import type { Verdict } from '@switchyard/rollup/live/verify';

export type { Verdict } from '@switchyard/rollup/live/verify';

/** A sentence for people. @param what Part of the page that was checked, such as `a balance`. */
export const toWarning = (what: string, { by, problem }: Verdict & { readonly kind: 'false' }): string =>
  `${by} shows ${what} that its proof does not confirm: ${problem}. Do not rely on it.`;
