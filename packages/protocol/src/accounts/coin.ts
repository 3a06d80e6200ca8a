/** The coin of every EVM rollup, as pages name it and wallets are given it. */
export const ETHER = { name: 'Ether', symbol: 'ETH', decimals: 18 } as const;
