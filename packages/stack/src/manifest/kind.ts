/** Kinds of rollups that a manifest describes: an EVM rollup, and one whose rules a definition of its author has. */
export const ROLLUP_KINDS = ['evm', 'defined'] as const;

export type RollupKind = (typeof ROLLUP_KINDS)[number];
