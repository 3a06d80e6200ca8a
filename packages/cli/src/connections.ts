import type {
  AssetAmount,
  BridgeAccount,
  BundleEntry,
  SubmissionState,
  Submitted,
  TransactionOutcome,
} from '@switchyard/client';
import type { BridgeContract, EvmBlock, EvmClient, EvmStatus, Refusal, WithdrawalEvent } from '@switchyard/evm/client';
import type { Text, TextsPage } from '@switchyard/messenger/client';
import type { Action, Signer, TxHash, Validator } from '@switchyard/protocol';
import type { Payment, WithdrawerStatus } from '@switchyard/withdrawer/contract';

/** Requests that the commands make to a rollup node. */
export interface RollupPort {
  status(): Promise<RollupStatus>;
  /** The next nonce that can be used. */
  nonce(address: string): Promise<number>;
  balance(address: string, asset: string): Promise<bigint>;
  /** Checks it against a header that the validators have signed. */
  verifiedBalance(address: string, asset: string, checkWith: CheckWith): Promise<CheckedBalance>;
  texts(page: Pick<TextsPage, 'after' | 'limit'>): Promise<readonly Text[]>;
  submit(bytes: Uint8Array): Promise<string>;
  transaction(hash: string): Promise<TransactionOutcome | undefined>;
  /** The last that is known when the time is over. */
  waitUntilExecuted(hash: string, ms: number): Promise<TransactionOutcome | undefined>;
}

/** Where the evidence for a check comes from. */
export interface CheckWith {
  /** A node of the sequencer. */
  readonly rpcUrl: string;
  readonly grpcUrl: string;
  /** Hash of the validator set that has to have signed; without it, that of the header. */
  readonly validatorsHash: string | undefined;
  /** Other nodes of the rollup. */
  readonly otherUrls: readonly string[];
}

export interface CheckedBalance {
  readonly balance: bigint;
  readonly block: { readonly number: bigint; readonly hash: string; readonly stateRoot: string };
  readonly header: { readonly height: bigint; readonly hash: string; readonly validatorsHash: string };
  /** Other nodes that have the same block. */
  readonly agreeing: number;
}

export interface RollupStatus {
  readonly name: string;
  readonly chainId: string;
  readonly height: bigint;
  readonly firm: bigint | undefined;
  /** The node's complete answer, for `--json`. */
  readonly all: Readonly<Record<string, unknown>>;
}

/** Requests that the commands make to a sequencer node. */
export interface SequencerPort {
  chainId(): Promise<string>;
  height(): Promise<bigint>;
  balances(address: string): Promise<readonly AssetAmount[]>;
  nonce(address: string): Promise<{ readonly nonce: number; readonly height: bigint }>;
  /** The newest without a height. As CometBFT's RPC has it. */
  block(height: bigint | undefined): Promise<unknown>;
  /** In the node's order; without a height for the newest block. */
  validators(height: bigint | undefined): Promise<readonly Validator[]>;
  allowedFeeAssets(): Promise<readonly string[]>;
  bridgeAccount(address: string): Promise<BridgeAccount | undefined>;
  /** Fees that a transaction would pay now. */
  fees(transaction: Unsigned): Promise<readonly AssetAmount[]>;
  /** Signs with the account's next nonce, sends, and waits until a block holds it. */
  submitAndWait(signer: Signer, transaction: Unsigned, prefix: string): Promise<Submitted>;
}

/** Requests that the commands make to a node of an EVM rollup. */
export interface EvmPort {
  status(): Promise<EvmStatus>;
  /** In wei. */
  balance(address: string): Promise<bigint>;
  nonce(address: string): Promise<bigint>;
  /** `undefined` for a block that is not there yet. */
  block(number: bigint | 'latest'): Promise<EvmBlock | undefined>;
  /** Reasons why entries of a block were refused. */
  refusals(block: bigint): Promise<readonly Refusal[]>;
  transactionStatus(hash: string): Promise<Readonly<Record<string, unknown>>>;
  /** Signs what takes the place of a held transaction; nothing is sent. */
  readonly cancellation: EvmClient['cancellation'];
  /** Signs a call; nothing is sent. */
  readonly signedCall: EvmClient['signedCall'];
  /** `undefined` where the contract that takes coins back to the sequencer is not there. */
  bridgeContract(): Promise<BridgeContract | undefined>;
  /** Withdrawals of a block through that contract. */
  withdrawals(block: bigint): Promise<readonly WithdrawalEvent[]>;
  send(raw: Uint8Array): Promise<string>;
  /** RLP; `undefined` for a block that is not there yet. */
  rawBlock(number: bigint): Promise<Uint8Array | undefined>;
}

/** Requests that the commands make to the process that pays withdrawals. */
export interface WithdrawerPort {
  status(): Promise<WithdrawerStatus>;
  /** Open withdrawals in their order, then the newest paid ones. */
  withdrawals(limit: number): Promise<readonly Payment[]>;
}

/** Requests that the commands make to a composer. */
export interface ComposerPort {
  /** Resolves when the entries are on its disk, with the id of the bundle. */
  submitBundle(entries: readonly BundleEntry[]): Promise<TxHash>;
  /** `undefined` for a bundle that it does not know. */
  bundle(id: TxHash): Promise<SubmissionState | undefined>;
  /** The last that is known when the time is over. */
  waitUntilSequenced(id: TxHash, ms: number): Promise<SubmissionState | undefined>;
  close(): void;
}

export interface Unsigned {
  readonly chainId: string;
  readonly actions: readonly Action[];
}

/** How commands reach nodes; tests give their own. */
export interface Connections {
  rollup(url: string): Promise<RollupPort>;
  sequencer(url: string): Promise<SequencerPort>;
  evm(url: string): Promise<EvmPort>;
  withdrawer(url: string): Promise<WithdrawerPort>;
  composer(url: string, secretFile: string | undefined): Promise<ComposerPort>;
}
