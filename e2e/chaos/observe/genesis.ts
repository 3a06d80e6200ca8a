/** The accounts of a genesis file that `dev init` wrote: of the sequencer's application or of the messenger. */
export interface GenesisAccounts {
  readonly accounts: readonly {
    readonly address: { readonly bech32m: string };
    readonly balance: { readonly lo?: string; readonly hi?: string };
  }[];
}

export function genesisSupply({ accounts }: GenesisAccounts): bigint {
  return accounts.reduce(
    (sum, { balance }) => sum + BigInt(balance.lo ?? '0') + (BigInt(balance.hi ?? '0') << 64n),
    0n,
  );
}
