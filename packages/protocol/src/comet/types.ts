/** CometBFT 0.38's structures, to the extent that they are signed, hashed or shown here. */
import type { Timestamp } from '../bytes/timestamp.ts';
import type { HeaderBytes } from './header-bytes.ts';

export interface BlockId {
  /** Hash of the header; empty in the id of no block. */
  readonly hash: Uint8Array;
  readonly parts: { readonly total: number; readonly hash: Uint8Array };
}

/** Last block of the first header. */
export const NO_BLOCK: BlockId = { hash: new Uint8Array(), parts: { total: 0, hash: new Uint8Array() } };

export interface CometHeader extends HeaderBytes {
  readonly version: { readonly block: bigint; readonly app: bigint };
  readonly chainId: string;
  readonly height: bigint;
  readonly time: Timestamp;
  readonly lastBlockId: BlockId;
}

/** One validator's part in a commit: nothing, a vote for the block, or a vote for none. */
export type CommitSig =
  | { readonly flag: 'absent' }
  | {
      readonly flag: 'commit' | 'nil';
      /** 20 bytes. */
      readonly validator: Uint8Array;
      readonly timestamp: Timestamp;
      readonly signature: Uint8Array;
    };

export interface Commit {
  readonly height: bigint;
  readonly round: number;
  readonly blockId: BlockId;
  /** One for each validator, in the order of the set. */
  readonly signatures: readonly CommitSig[];
}

/** Last commit of the first block. */
export const NO_COMMIT: Commit = { height: 0n, round: 0, blockId: NO_BLOCK, signatures: [] };

export interface SignedHeader {
  readonly header: CometHeader;
  readonly commit: Commit;
}

export interface Validator {
  /** Ed25519, 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly power: bigint;
  /** The first 20 bytes of SHA-256 of the key. */
  readonly address: Uint8Array;
}

export interface CometBlock {
  readonly header: CometHeader;
  readonly txs: readonly Uint8Array[];
  readonly lastCommit: Commit;
}

/** The part of a result that every node agrees on. */
export interface TxResult {
  readonly code: number;
  readonly data: Uint8Array;
  readonly gasWanted: bigint;
  readonly gasUsed: bigint;
}
