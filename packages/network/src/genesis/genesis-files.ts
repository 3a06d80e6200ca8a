import { createHash } from 'node:crypto';
import { evmGenesisFile } from '@switchyard/evm/client';
import { alice, carol, dave, rollupBalances, sequencerBalances } from '../accounts/accounts.ts';
import { EVM_CHAIN_ID, evmAccounts, evmFaucetAccount } from '../accounts/evm-accounts.ts';
import { newKey } from './new-key.ts';

/** Bytes of rollup data and of one transaction that a local sequencer takes; the wire's limits are 256,000 for both. */
const LIMITS = { max_sequenced_bytes_per_block: '8388608', max_transaction_bytes: '1000000' } as const;
const MAX_BLOCK_BYTES = '16777216';

/** Fees per action: `base + multiplier * size`, in the fee asset. An action without an entry is disabled. */
const FEES: Readonly<Record<string, readonly [base: number, multiplier: number]>> = {
  bridge_lock: [12, 1],
  bridge_sudo_change: [24, 0],
  bridge_transfer: [24, 0],
  bridge_unlock: [12, 0],
  fee_asset_change: [0, 0],
  fee_change: [0, 0],
  ibc_relay: [0, 0],
  ibc_relayer_change: [0, 0],
  ibc_sudo_change: [0, 0],
  ics20_withdrawal: [24, 0],
  init_bridge_account: [48, 0],
  rollup_data_submission: [32, 1],
  sudo_address_change: [0, 0],
  transfer: [12, 0],
  validator_update: [0, 0],
};

const bech32m = (address: string) => ({ bech32m: address });

/** The wire's JSON form of a 128-bit amount: two 64-bit halves as text. */
function uint128(amount: bigint): { lo: string; hi?: string } {
  const hi = amount >> 64n;
  return { lo: BigInt.asUintN(64, amount).toString(), ...(hi > 0n ? { hi: hi.toString() } : {}) };
}

const jsonFile = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** A new `config/priv_validator_key.json` in CometBFT's form. Each instance has its own. @param key Instead of a new one. */
export function validatorKeyFile({ seed, publicKey } = newKey()): string {
  return jsonFile({
    address: validatorAddress(publicKey),
    pub_key: { type: 'tendermint/PubKeyEd25519', value: Buffer.from(publicKey).toString('base64') },
    priv_key: { type: 'tendermint/PrivKeyEd25519', value: Buffer.concat([seed, publicKey]).toString('base64') },
  });
}

/** First 20 bytes of SHA-256 of the public key, as CometBFT has it. */
function validatorAddress(publicKey: Uint8Array): string {
  return createHash('sha256').update(publicKey).digest('hex').slice(0, 40).toUpperCase();
}

/** Genesis of a chain of several validators, or of one whose accounts are not the published ones. */
export interface ChainGenesis {
  readonly chainId: string;
  readonly nativeDenom: string;
  /** All of the same power. */
  readonly validators: readonly { readonly name: string; readonly publicKey: string }[];
  readonly accounts?: typeof sequencerBalances;
  /** Address that may change validators and fees. */
  readonly sudo?: string;
  readonly time: Date;
}

/** The text of a new genesis of the sequencer: a CometBFT genesis with the sequencer's first state as `app_state`. */
export function chainGenesisFile(chain: ChainGenesis): string {
  const { chainId, nativeDenom, validators, time, accounts = sequencerBalances, sudo = alice.address } = chain;
  return jsonFile({
    genesis_time: time.toISOString(),
    chain_id: chainId,
    initial_height: '1',
    consensus_params: {
      block: { max_bytes: MAX_BLOCK_BYTES, max_gas: '-1' },
      evidence: { max_age_num_blocks: '4000000', max_age_duration: '1209600000000000', max_bytes: '1048576' },
      validator: { pub_key_types: ['ed25519'] },
      version: { app: '1' },
      abci: { vote_extensions_enable_height: '0' },
    },
    validators: validators.map(({ name, publicKey }) => ({
      address: validatorAddress(Buffer.from(publicKey, 'base64')),
      pub_key: { type: 'tendermint/PubKeyEd25519', value: publicKey },
      power: '10',
      name,
    })),
    app_hash: '',
    app_state: {
      chain_id: chainId,
      address_prefixes: { base: 'astria', ibc_compat: 'astriacompat' },
      native_asset_base_denomination: nativeDenom,
      allowed_fee_assets: [nativeDenom],
      authority_sudo_address: bech32m(sudo),
      ibc_sudo_address: bech32m(sudo),
      ibc_relayer_addresses: [bech32m(sudo)],
      accounts: accounts.map(({ address, amount, asset }) => ({
        address: bech32m(address),
        ...(asset !== undefined && { asset }),
        balance: uint128(amount),
      })),
      ibc_parameters: {
        ibc_enabled: true,
        inbound_ics20_transfers_enabled: true,
        outbound_ics20_transfers_enabled: true,
      },
      fees: Object.fromEntries(
        Object.entries(FEES).map(([action, [base, multiplier]]) => [
          action,
          { base: uint128(BigInt(base)), multiplier: uint128(BigInt(multiplier)) },
        ]),
      ),
      limits: LIMITS,
      canonical_transactions: true,
      refuse_reserved_rollup_ids: true,
    },
  });
}

/** A sequencer that runs elsewhere, and the last of its blocks that the rollup leaves out. */
export interface RollupOrigin {
  readonly chainId: string;
  readonly height: number;
}

/** Values for the genesis of a rollup. */
export interface RollupGenesis {
  /** Its own. */
  readonly rollupName: string;
  /** Chain id of the sequencer. */
  readonly chainId: string;
  /** Asset of the bridge account, which it also pays withdrawals in. */
  readonly nativeDenom: string;
  /** Blocks of the sequencer that the rollup leaves out; absent: none. */
  readonly skips?: number;
  /** Bridge account on the sequencer whose deposits are accepted; absent: that of carol for a messenger, that of dave for an EVM. */
  readonly bridge?: string;
}

/** Several times the fees of a payment, of which there are up to two for one withdrawal. */
const LEAST_WITHDRAWAL = 100;

/**
 * The text of a new genesis of a messenger rollup. On a sequencer of others no bridge account is believed: the keys of
 * those we know are published.
 */
export function rollupGenesisFile(
  { rollupName, chainId, nativeDenom, skips = 0, bridge = carol.address }: RollupGenesis,
  origin?: RollupOrigin,
): string {
  return jsonFile({
    rollup_name: rollupName,
    // Clients of the reference have it as a setting: a word, and no digest.
    ...(origin === undefined && { chain_id: rollupName }),
    sequencer_chain_id: origin?.chainId ?? chainId,
    // Rollup block n is made from sequencer block n + this: with 0, no sequencer block is left out.
    sequencer_genesis_block_height: origin?.height ?? skips,
    da_genesis_block_height: 0,
    // Heights of the layer; a layer of this machine has one each second, regardless of posts.
    da_block_variance: 0,
    accounts: rollupBalances.map(({ address, amount }) => ({ address: bech32m(address), balance: uint128(amount) })),
    bridge_accounts: origin === undefined ? [bech32m(bridge)] : [],
    ...(origin === undefined && {
      withdrawals: [{ bridge_account: bech32m(bridge), asset: nativeDenom, minimum: LEAST_WITHDRAWAL }],
    }),
    authority_sudo_address: bech32m(alice.address),
    canonical_transactions: true,
  });
}

/** Coins of 10^18 wei that each development account has, as with anvil and Hardhat, and that the faucet can give. */
const EVM_ACCOUNT_COINS = 10_000n;
const FAUCET_COINS = 1_000_000n;

/**
 * The text of a new genesis of an EVM rollup: a genesis as geth has it, with a section for the values that the chain takes from the
 * sequencer. The smallest unit of the native asset is a gwei here. On a sequencer of others no bridge account is believed.
 */
export function getEvmGenesisFile(settings: RollupGenesis, origin?: RollupOrigin): string {
  const { bridge: address = dave.address, nativeDenom: asset } = settings;
  return evmGenesisFile({
    rollupName: settings.rollupName,
    chainId: EVM_CHAIN_ID,
    sequencerChainId: origin?.chainId ?? settings.chainId,
    // Sequencer height of rollup block 1; earlier blocks are left out.
    startHeight: (origin?.height ?? settings.skips ?? 0) + 1,
    balances: new Map([
      ...evmAccounts.map(({ address }) => [address, EVM_ACCOUNT_COINS * 10n ** 18n] as const),
      [evmFaucetAccount.address, FAUCET_COINS * 10n ** 18n],
    ]),
    // Contracts that tools expect; users who want none remove them from the file before the first start.
    predeploys: origin === undefined,
    withdrawer: true,
    bridges: origin === undefined ? [{ address, asset, precision: 9, minimum: BigInt(LEAST_WITHDRAWAL) }] : [],
  });
}
