import type { Action, Signer } from '@switchyard/protocol';

/** What the commands need of a rollup node. */
export interface RollupPort {
  status(): Promise<RollupStatus>;
  /** The next nonce that can be used. */
  nonce(address: string): Promise<number>;
  balance(address: string, asset: string): Promise<bigint>;
  texts(page: { readonly after?: string; readonly limit?: number }): Promise<readonly Text[]>;
  submit(bytes: Uint8Array): Promise<string>;
  transaction(hash: string): Promise<Fate | undefined>;
  /** The last that is known when the time is over. */
  waitUntilExecuted(hash: string, ms: number): Promise<Fate | undefined>;
}

export interface RollupStatus {
  readonly name: string;
  readonly chainId: string;
  readonly height: bigint;
  readonly sequencerHeight: bigint;
  /** As the node says it, for `--json`. */
  readonly raw: unknown;
}

export interface Text {
  readonly id: string;
  readonly sender: string;
  readonly from: string;
  readonly text: string;
  readonly block: string;
  readonly time: string;
}

/** What became of a transaction on a rollup. */
export interface Fate {
  readonly hash: string;
  readonly state: 'queued' | 'sequenced' | 'executed' | 'refused' | 'firm';
  readonly sequencerHeight?: bigint;
  readonly block?: bigint;
  readonly reason?: string;
}

/** What the commands need of a sequencer node. */
export interface SequencerPort {
  chainId(): Promise<string>;
  height(): Promise<bigint>;
  balances(address: string): Promise<readonly { readonly denom: string; readonly balance: bigint }[]>;
  nonce(address: string): Promise<{ readonly nonce: number; readonly height: bigint }>;
  /** The newest without a height. As CometBFT's RPC has it. */
  block(height: bigint | undefined): Promise<unknown>;
  allowedFeeAssets(): Promise<readonly string[]>;
  /** Signs with the account's next nonce, sends, and waits until a block holds it. */
  submitAndWait(
    signer: Signer,
    transaction: { readonly chainId: string; readonly actions: readonly Action[] },
  ): Promise<Included>;
}

export interface Included {
  readonly hash: string;
  readonly height: bigint;
  readonly nonce: number;
  readonly fees: readonly { readonly asset: string; readonly amount: bigint }[];
}

/** How commands reach nodes; tests give their own. */
export interface Connections {
  rollup(url: string): Promise<RollupPort>;
  sequencer(url: string): Promise<SequencerPort>;
}
