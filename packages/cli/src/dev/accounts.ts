/** A development account. Its key is published, so it must never hold anything of value. */
export interface DevAccount {
  readonly name: string;
  readonly address: string;
  /** Ed25519 seed, hex. */
  readonly key: string;
  readonly role: string;
}

export const alice: DevAccount = {
  name: 'alice',
  address: 'astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm',
  key: '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90',
  role: 'funded on the sequencer and on the rollup, sudo of both',
};

export const bob: DevAccount = {
  name: 'bob',
  address: 'astria1yf56efahcq786pe5t7paknat40g6q4tsvqtql2',
  key: 'b70fd3b99cab2d98dbd73602deb026b9cdc9bb7b85d35f0bbb81b17c78923dd0',
  role: 'funded on the rollup',
};

export const carol: DevAccount = {
  name: 'carol',
  address: 'astria1f6yydwp23ucl6kfxt2gqt9vufgpsl3zvz5hwxk',
  key: '0e951afdcbefc420fe6f71b82b0c28c11eb6ee5d95be0886ce9dbf6fa512debc',
  role: 'the account whose deposits the rollup accepts',
};

/** Pays the sequencer for what rollups submit. Its own account, so that nobody else uses its nonces. */
export const composerAccount: DevAccount = {
  name: 'composer',
  address: 'astria1h7dglw48ef45fe95cr56mvru8hmlzk7gfk0e0a',
  key: '30cd5f982c8f3a08b72c60c36fe97b9f1da1c70d152edf1b08d1a2af89b3703e',
  role: 'pays for the submissions of rollups',
};

/** What people use; the composer's account belongs to a service. */
export const devAccounts: readonly DevAccount[] = [alice, bob, carol];

/** First balances on the sequencer, in its native asset. Addresses without a name here are the reference's, kept for its tools. */
export const sequencerBalances: readonly { readonly address: string; readonly amount: bigint }[] = [
  { address: alice.address, amount: 5_844_674_407_370_955_161n },
  { address: 'astria1xnlvg0rle2u6auane79t4p27g8hxnj36ja960z', amount: 1_000_000_000_000_000_000n },
  { address: 'astria1vpcfutferpjtwv457r63uwr6hdm8gwr3pxt5ny', amount: 1_000_000_000_000_000_000n },
  { address: composerAccount.address, amount: 5_000_000_000_000_000_000n },
];

/** First balances on the rollup, in `nria`. */
export const rollupBalances: readonly { readonly address: string; readonly amount: bigint }[] = [
  { address: alice.address, amount: 100_000_000_000_000_000n },
  { address: bob.address, amount: 100_000_000_000_000_000n },
];
