import type { DaReader } from '@switchyard/da';
import type { BlockMetadata } from '@switchyard/protocol';
import type { Contact } from '../contact.ts';
import type { FirmBlock } from './reader.ts';

/** The data-availability layer that firm blocks are read from. */
export interface FirmLayer {
  readonly reader: DaReader;
  readonly contact: Contact;
  /** Accounts of 20 bytes whose blobs are read; those of everybody, if none is given. */
  readonly authors: readonly Uint8Array[];
  readonly pollIntervalMs: number;
  /** Chain id of the layer; undefined: any that the rollup names. */
  readonly expectedChainId: string | undefined;
}

/** The rollup has executed another block of the sequencer than the layer has: validators have signed two. */
export class FirmMismatch extends Error {
  override readonly name = 'FirmMismatch';

  /** @throws {FirmMismatch} unless the block was made from the layer's data. Rollups of others may leave it empty. */
  static check({ number, sequencerBlockHash: got }: BlockMetadata, { height, hash, layerHeight }: FirmBlock): void {
    if (got === '' || got === hash) return;
    throw new FirmMismatch(
      `block ${number} of the rollup was made from sequencer block ${got}, but the data-availability layer has ${hash} for height ${height} (layer height ${layerHeight}): two blocks of one height were signed; nothing is executed until a person has decided which one counts`,
    );
  }
}
