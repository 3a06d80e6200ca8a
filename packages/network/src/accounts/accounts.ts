/** A development account. Its key is published, so it must never hold anything of value. */
export interface DevAccount {
  readonly name: string;
  readonly address: string;
  /** Ed25519 seed, hex. */
  readonly key: string;
  readonly role: string;
}

/** An account with funds on the sequencer and on rollups, sudo of both. See the example of {@link simulate}. */
export const alice: DevAccount = {
  name: 'alice',
  address: 'astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm',
  key: '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90',
  role: 'funded on the sequencer and on the rollup, sudo of both',
};

/** An account with funds on rollups. See the example of {@link simulate}. */
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

export const dave: DevAccount = {
  name: 'dave',
  address: 'astria1kupcs98jug5q3j6j6es4attjkh3e79pc53l3l2',
  key: '55aca184939f498a6eaf2380eed212971962759340c58d830d5002b99bd8768b',
  role: 'the account whose deposits the EVM rollup accepts',
};

/** Account of the faucets of sequencer and messenger: on each chain, one sender uses its nonces. */
export const faucetAccount: DevAccount = {
  name: 'faucet',
  address: 'astria1x0702lxx478luqv5cc0zwut0yqlf49x26s9ltp',
  key: '97f0f9d1fae8527df78bab4aa7e7f31a7164d590788e32d149df3dfd65c251cb',
  role: 'pays what the faucets of sequencer and messenger send',
};

/** Pays the sequencer for submissions of rollups. Its own account, so that its nonces are used by one sender. */
export const composerAccount: DevAccount = {
  name: 'composer',
  address: 'astria1h7dglw48ef45fe95cr56mvru8hmlzk7gfk0e0a',
  key: '30cd5f982c8f3a08b72c60c36fe97b9f1da1c70d152edf1b08d1a2af89b3703e',
  role: 'pays for the submissions of rollups',
};

/** Pays the local data-availability layer, in utia, for the blocks that the relayer posts. Its key is of secp256k1. */
export const relayerAccount: DevAccount = {
  name: 'relayer',
  address: 'celestia1e0dp5sk98u6ks8dey4zdhrp3p8tka65u8yppet',
  key: '2a3f93316a18aa8ac78ed96b10b713ee71315cf3ebade8f75669ec55f1ecf4be',
  role: 'pays for posts to the local data-availability layer',
};

/** Accounts for people; the composer's account belongs to a service. */
export const devAccounts: readonly DevAccount[] = [alice, bob, carol];

/** Accounts that a user of these rollups needs. */
export function accountsWith(rollups: { readonly messenger: boolean; readonly evm: boolean }): readonly DevAccount[] {
  const users = rollups.messenger ? devAccounts : [{ ...alice, role: 'funded on the sequencer, and its sudo' }];
  return rollups.evm ? [...users, dave] : users;
}

type Balance = { readonly address: string; readonly amount: bigint; readonly asset?: string };

/** First balances on the sequencer, of its native asset if they name none. Addresses without a name here are the reference's, kept for its tools. */
export const sequencerBalances: readonly Balance[] = [
  { address: alice.address, amount: 5_844_674_407_370_955_161n },
  { address: 'astria1xnlvg0rle2u6auane79t4p27g8hxnj36ja960z', amount: 1_000_000_000_000_000_000n },
  { address: 'astria1vpcfutferpjtwv457r63uwr6hdm8gwr3pxt5ny', amount: 1_000_000_000_000_000_000n },
  { address: composerAccount.address, amount: 5_000_000_000_000_000_000n },
];

/** Further balances with an EVM rollup. The bridge account's pays the fee that makes it a bridge account. */
export const evmSequencerBalances: typeof sequencerBalances = [
  { address: faucetAccount.address, amount: 1_000_000_000_000_000_000n },
  { address: dave.address, amount: 1_000_000n },
];

/** First balances on the rollup, in `nria`. */
export const rollupBalances: readonly { readonly address: string; readonly amount: bigint }[] = [
  { address: alice.address, amount: 100_000_000_000_000_000n },
  { address: bob.address, amount: 100_000_000_000_000_000n },
  { address: faucetAccount.address, amount: 100_000_000_000_000_000n },
];
