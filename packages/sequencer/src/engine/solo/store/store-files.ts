import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { StoreDamaged } from '@switchyard/storage';
import { BlockIndex } from './block-index.ts';
import { RecordLog } from './record-log.ts';
import { type Place, type SegmentLimits, Segments } from './segments.ts';

export interface BlockStoreOptions extends SegmentLimits {
  /** A stored record is damaged: the process should stop. */
  readonly onDamage?: (error: StoreDamaged) => void;
}

/** The files of a block store: the log with its records, and the index. Damage in any of them is reported here. */
export class StoreFiles {
  readonly directory: string;
  readonly segments: Segments;
  readonly log: RecordLog;
  readonly index: BlockIndex;
  readonly #onDamage: BlockStoreOptions['onDamage'];

  /** @param directory Made if it is not there. */
  constructor(directory: string, options: BlockStoreOptions) {
    const blocks = join(directory, 'blocks');
    mkdirSync(blocks, { recursive: true });
    this.directory = directory;
    this.segments = new Segments(blocks, options);
    this.log = new RecordLog(this.segments);
    this.index = new BlockIndex(join(directory, 'index'), options.onDamage);
    this.#onDamage = options.onDamage;
  }

  /** @throws {StoreDamaged} when a height that is stored is not in the index. */
  placeOf(height: bigint): Place {
    const place = this.index.place(height);
    if (place === undefined) throw this.damaged(height, 'its place in the index');
    return place;
  }

  /** The whole form of a record that is stored in its short form; undefined where it is stored whole. */
  expandedAt(place: Place, height: bigint): Buffer | undefined {
    try {
      return this.log.expandedAt(place);
    } catch (error) {
      throw this.damaged(height, error instanceof Error ? error.message : String(error));
    }
  }

  /** @param segment File of the block's record; undefined: it is not in the index. */
  damaged(height: bigint, part: string, segment = this.index.place(height)?.segment): StoreDamaged {
    const file = segment === undefined ? join(this.directory, 'index') : this.segments.path(segment);
    const error = new StoreDamaged(this.directory, file, `block at height ${height}: ${part} is not what was written`);
    this.#onDamage?.(error);
    return error;
  }

  async close(): Promise<void> {
    try {
      await this.index.close();
    } finally {
      await this.segments.close();
    }
  }
}

/** Lowest and highest height that can be read; 0 while there is none. */
export interface StoredRange {
  first: bigint;
  height: bigint;
}
