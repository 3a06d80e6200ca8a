import type { AccountId } from '@switchyard/protocol';
import type { AnyRollup } from '../define/definition.ts';
import type { AnySigner } from '../define/submission.ts';
import type { Chain, Node } from './node.ts';
import type { LiveOptions } from './options.ts';
import type { Outbox } from './outbox.ts';
import type { Cut } from './replica.ts';

export interface OutgoingDeps {
  readonly defined: AnyRollup;
  readonly options: LiveOptions;
  readonly outbox: Outbox;
  readonly signal: AbortSignal;
  /** Resolves when a transaction is in the signed data of a block; undefined without `verify`. */
  proven(hash: string, block: bigint): Promise<void> | undefined;
  node(): Promise<Node>;
  chain(): Chain | undefined;
  cut(): Cut | undefined;
  /** The next nonce of an account after the newest block; undefined before its row is here. */
  nonceOf(account: AccountId): number | undefined;
  /** Follows the nonce and the outcomes of an account. @param cursor Behind which outcomes are wanted. */
  follow(account: AccountId, cursor: string | undefined): void;
  /** Pending actions have changed. */
  changed(): void;
}

/** An account that this client sends for. */
export interface Account {
  signer: AnySigner;
  /** Block behind which all outcomes have been received. */
  since: bigint | undefined;
  /** Whether these are all up to the newest block. */
  isWhole: boolean;
  /** Whether no other client sends for it. */
  isHolder: boolean;
  wake(): void;
}

/** Block of a cursor. */
export const blockOf = (cursor: string): bigint => BigInt(cursor.split('-', 1)[0] ?? 0);
