/** Interfaces of a data-availability layer for the relayer and the conductor. */

import type { Timestamp } from '@switchyard/protocol';
import type { Namespace } from '@switchyard/protocol/celestia';

/** A blob that a namespace has at a height. */
export interface DaBlob {
  readonly data: Uint8Array;
  /** Account that paid for it, 20 bytes; absent if the blob does not name it (share version 0). */
  readonly author?: Uint8Array;
}

/** Blobs of one height, proven complete against a header that more than two thirds of the layer's validators signed. */
export interface DaBlock {
  readonly height: bigint;
  /** Hash of the header, 32 bytes. */
  readonly hash: Uint8Array;
  readonly time: Timestamp;
  /** For each namespace requested, in that order: all its blobs, in the order of the square. */
  readonly blobs: readonly (readonly DaBlob[])[];
}

/** The data is not to be had at the moment: not there yet, withheld, or the node is away. Never stands for "there is none". */
export class DaUnavailable extends Error {
  override readonly name = 'DaUnavailable';
}

export interface DaReader {
  chainId(signal: AbortSignal): Promise<string>;
  /** Newest height that the node has. Not verified. */
  head(signal: AbortSignal): Promise<bigint>;
  /** Resolves when the node has the height. Rejects if it does not have it after a while, and if it cannot wait. */
  waitFor?(height: bigint, signal: AbortSignal): Promise<void>;
  /**
   * @throws {DaUnavailable} try again.
   * @throws {Rejected} the node gave impossible data; another node may do better.
   */
  read(height: bigint, namespaces: readonly Namespace[], signal: AbortSignal): Promise<DaBlock>;
}

/** A signed transaction that nothing has been sent of: the same bytes may be sent any number of times, and take effect once. */
export interface PreparedBlobs {
  /** Id of the transaction, 64 hex digits in lower case. */
  readonly id: string;
  /** The BlobTx that is sent. */
  readonly bytes: Uint8Array;
  /** Above this height of the layer it cannot be included any more. */
  readonly lastHeight: bigint;
  /** In the smallest unit of the layer's asset. */
  readonly fee: bigint;
}

export type BlobsOutcome =
  | { readonly kind: 'included'; readonly height: bigint }
  | { readonly kind: 'pending' }
  /** It was not included, and cannot be any more. */
  | { readonly kind: 'gone' }
  /** The layer has rejected it: these bytes are never included. */
  | { readonly kind: 'refused'; readonly reason: string };

export interface DaWriter {
  chainId(signal: AbortSignal): Promise<string>;
  /** Balance of the account that pays, in the smallest unit. */
  balance(signal: AbortSignal): Promise<bigint>;
  /** @throws {DaTooExpensive} if the price exceeds the limit. @throws {DaUnavailable} */
  prepare(
    blobs: readonly { readonly namespace: Namespace; readonly data: Uint8Array }[],
    signal: AbortSignal,
  ): Promise<PreparedBlobs>;
  getBlobs(prepared: PreparedBlobs): readonly { readonly namespace: Namespace; readonly data: Uint8Array }[];
  /** May be called again with the same. @throws {DaUnavailable} if it is not known whether it has arrived. */
  submit(prepared: PreparedBlobs, signal: AbortSignal): Promise<void>;
  /** @throws {DaUnavailable} */
  outcome(prepared: PreparedBlobs, signal: AbortSignal): Promise<BlobsOutcome>;
}

export class DaTooExpensive extends Error {
  override readonly name = 'DaTooExpensive';

  /** @param price Asked for, and the limit: utia for each unit of gas, as decimals. */
  constructor(
    readonly price: string,
    readonly limit: string,
  ) {
    super(`the layer asks for ${price} utia per gas, more than the limit of ${limit}`);
  }
}
