/** A small chain for tests: accounts with keys, a genesis, and blocks made by hand. */

import { createMemoryStore, type Store } from '@switchyard/machine';
import { type TestChain, testChain } from '@switchyard/machine/testing';
import {
  type AccountId,
  type Action,
  type ActionOf,
  type Address,
  createSigner,
  type Denom,
  formatAddress,
  parseDenom,
  type RollupId,
  rollupIdFromName,
  type Signer,
  sha256,
  signTransaction,
  type Timestamp,
} from '@switchyard/protocol';
import { MEMPOOL_DEFAULTS, type MempoolConfig } from '../mempool/mempool.ts';
import { SequencerApplication } from './application.ts';
import { writeFirstState } from './first-state.ts';
import type { RetentionConfig } from './pruning.ts';
import type { BlockResult, DecidedBlock, EngineSupport, Genesis, Proposal, Verdict } from './types.ts';

const seed = (fill: number): Signer => createSigner(new Uint8Array(32).fill(fill));

/** The authority, two ordinary accounts with money, a future bridge, and an empty account. */
export const sudo: Signer = seed(1);
export const alice: Signer = seed(2);
export const bob: Signer = seed(3);
export const bridge: Signer = seed(4);
export const pauper: Signer = seed(5);
export const validator: Signer = seed(9);

export const CHAIN_ID = 'test-1';
export const CHAT: RollupId = rollupIdFromName('chat');
export const NRIA: Denom = parseDenom('nria');
export const NTIA: Denom = parseDenom('ntia');
export const RICH = 1_000_000n;

export const address = (who: Signer | AccountId, prefix = 'astria'): Address => ({
  account: typeof who === 'string' ? who : who.account,
  prefix,
});

const amount = (value: bigint | number) => ({ lo: String(value), hi: '0' });
const fee = (base: number, multiplier = 0) => ({ base: amount(base), multiplier: amount(multiplier) });
const wire = (who: Signer) => ({ bech32m: formatAddress(who.account) });

/** The reference's fees. */
const FEES = {
  transfer: fee(12),
  rollup_data_submission: fee(32, 1),
  init_bridge_account: fee(48),
  bridge_lock: fee(12, 1),
  bridge_unlock: fee(12),
  bridge_sudo_change: fee(24),
  bridge_transfer: fee(24),
  ics20_withdrawal: fee(24),
  sudo_address_change: fee(0),
  validator_update: fee(0),
  fee_asset_change: fee(0),
  fee_change: fee(0),
};

/** Fees of the chains whose roots are pinned. */
export const PINNED_FEES = { ...FEES, bridge_lock: fee(0, 1), bridge_unlock: fee(0) };

/** The app state of the tests as JSON, with every action of ours enabled. */
export function appStateJson(overrides: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    chain_id: CHAIN_ID,
    address_prefixes: { base: 'astria', ibc_compat: 'astriacompat' },
    accounts: [sudo, alice, bob, bridge].map((who) => ({ address: wire(who), balance: amount(RICH) })),
    authority_sudo_address: wire(sudo),
    ibc_sudo_address: wire(sudo),
    ibc_relayer_addresses: [wire(bob)],
    native_asset_base_denomination: 'nria',
    ibc_parameters: {
      ibc_enabled: true,
      inbound_ics20_transfers_enabled: true,
      outbound_ics20_transfers_enabled: true,
    },
    allowed_fee_assets: ['nria'],
    fees: FEES,
    ...overrides,
  };
}

const TIME: Timestamp = { seconds: 1_700_000_000n, nanos: 0 };

export function testGenesis(appState: Record<string, unknown> = appStateJson(), chainId: string = CHAIN_ID): Genesis {
  return {
    chainId,
    time: TIME,
    initialHeight: 1n,
    consensusParams: {
      block: { maxBytes: 16_777_216n, maxGas: -1n },
      evidence: { maxAgeNumBlocks: 4_000_000n, maxAgeDuration: 1_209_600_000_000_000n, maxBytes: 1_048_576n },
      validator: { pubKeyTypes: ['ed25519'] },
      version: { app: 1n },
      abci: { voteExtensionsEnableHeight: 0n },
    },
    validators: [{ publicKey: validator.publicKey, power: 10n }],
    appState: new TextEncoder().encode(JSON.stringify(appState)),
  };
}

/** Handlers alone, on the first state. */
export function actionChain(appState?: Record<string, unknown>): TestChain {
  return testChain({ genesis: (state) => void writeFirstState(state, testGenesis(appState)) });
}

export interface TestNodeOptions {
  readonly appState?: Record<string, unknown>;
  readonly mempool?: Partial<MempoolConfig>;
  readonly retention?: RetentionConfig;
  readonly store?: Store;
  readonly chainId?: string;
  readonly engineSupport?: EngineSupport;
}

export interface MadeBlock {
  readonly block: DecidedBlock;
  readonly result: BlockResult;
}

/** An application with a pool, driven as an engine would. */
export class TestNode {
  readonly app: SequencerApplication;
  readonly store: Store;
  /** Milliseconds, moved by the test. */
  now = 0;
  readonly #nonces = new Map<AccountId, number>();

  constructor(options: TestNodeOptions = {}) {
    const { appState, mempool, chainId, retention, engineSupport } = options;
    const { store = createMemoryStore() } = options;
    this.store = store;
    this.app = new SequencerApplication(
      {
        version: '0.0.0',
        mempool: { ...MEMPOOL_DEFAULTS, ...mempool },
        ...(retention && { retention }),
      },
      { store, now: () => this.now, ...(engineSupport && { engineSupport }) },
    );
    if (this.app.info().height === 0n) this.app.initChain(testGenesis(appState, chainId));
  }

  get height(): bigint {
    return this.app.info().height;
  }

  /** Signs with the account's next nonce as this test has counted it, unless one is given. */
  sign(signer: Signer, actions: readonly Action[], nonce?: number, chainId = CHAIN_ID): Uint8Array {
    const next = nonce ?? this.#nonces.get(signer.account) ?? 0;
    if (nonce === undefined) this.#nonces.set(signer.account, next + 1);
    return signTransaction({ nonce: next, chainId, actions }, signer);
  }

  check(bytes: Uint8Array): Verdict {
    return this.app.checkTx(bytes, 'new');
  }

  /** Signs, submits, and expects to be let in. */
  submit(signer: Signer, ...actions: readonly Action[]): Uint8Array {
    const bytes = this.sign(signer, actions);
    const verdict = this.check(bytes);
    if (verdict.code !== 0) throw new Error(`refused with ${verdict.code}: ${verdict.log}`);
    return bytes;
  }

  proposal(txs: readonly Uint8Array[] = []): Proposal {
    const height = this.height + 1n;
    return {
      height,
      time: { seconds: TIME.seconds + height, nanos: 0 },
      proposer: Buffer.from(validator.account, 'hex'),
      txs,
      misbehavior: [],
      lastCommit: { round: 0, votes: [] },
    };
  }

  prepare(maxTxBytes = 16_000_000): readonly Uint8Array[] {
    return this.app.prepareProposal({ ...this.proposal(), maxTxBytes });
  }

  /** Finalizes these entries, or the application's own proposal, and commits. */
  async make(entries: readonly Uint8Array[] = this.prepare()): Promise<MadeBlock> {
    const block = {
      ...this.proposal(entries),
      hash: sha256(...entries, new TextEncoder().encode(String(this.height))),
    };
    const result = this.app.finalizeBlock(block);
    await this.app.commit();
    return { block, result };
  }
}

export const data = (text: string, rollup: RollupId = CHAT): ActionOf<'rollupDataSubmission'> => ({
  kind: 'rollupDataSubmission',
  rollup,
  data: new TextEncoder().encode(text),
  feeAsset: NRIA,
});

export const transfer = (to: Signer, value: bigint, asset: Denom = NRIA): ActionOf<'transfer'> => ({
  kind: 'transfer',
  to: address(to),
  amount: value,
  asset,
  feeAsset: NRIA,
});

export const initBridge = (changes: Partial<ActionOf<'initBridgeAccount'>> = {}): ActionOf<'initBridgeAccount'> => ({
  kind: 'initBridgeAccount',
  rollup: CHAT,
  asset: NRIA,
  feeAsset: NRIA,
  sudo: undefined,
  withdrawer: undefined,
  ...changes,
});

export const lock = (value: bigint, to: Signer = bridge): ActionOf<'bridgeLock'> => ({
  kind: 'bridgeLock',
  to: address(to),
  amount: value,
  asset: NRIA,
  feeAsset: NRIA,
  destination: '0xabc',
});

export const unlock = (value: bigint, event: string, to: Signer = bob): ActionOf<'bridgeUnlock'> => ({
  kind: 'bridgeUnlock',
  to: address(to),
  amount: value,
  feeAsset: NRIA,
  memo: '',
  bridge: address(bridge),
  rollupBlockNumber: 7n,
  withdrawalEvent: event,
});
