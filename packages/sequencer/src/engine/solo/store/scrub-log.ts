import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ScrubSource, type ScrubStep, StoreDamaged } from '@switchyard/storage';
import { type Place, Segments } from './segments.ts';
import { verifyLog } from './verify-log.ts';

/** Reads the log of blocks again while the engine appends to it, and deletes old files. */
export class BlockLogScrub implements ScrubSource {
  readonly directory: string;
  #next: Place | undefined;

  /** @param directory Of the engine. */
  constructor(directory: string) {
    this.directory = directory;
  }

  step(maxBytes: number): ScrubStep {
    const blocks = join(this.directory, 'blocks');
    if (!existsSync(blocks)) return { bytes: 0, records: 0, done: true };
    // Anew for each step: files come and go.
    const segments = new Segments(blocks);
    try {
      const from = this.#next !== undefined && segments.all.includes(this.#next.segment) ? this.#next : undefined;
      const { bytes, records, problems, next } = verifyLog(segments, { from, maxBytes });
      const [problem] = problems;
      if (problem !== undefined) throw new StoreDamaged(this.directory, problem.file, problem.what);
      this.#next = next;
      return { bytes, records, done: next === undefined };
    } finally {
      void segments.close();
    }
  }
}
