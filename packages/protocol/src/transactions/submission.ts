/** The one action that comes by the thousand, read and written without generated code. */

import { type Denom, parseDenom } from '../accounts/asset.ts';
import { equalBytes, type RollupId, rollupIdBytes, rollupIdFromBytes } from '../accounts/ids.ts';
import type { ActionOf } from '../actions/registry.ts';
import { BYTES, type Reader } from '../bytes/reader.ts';
import { Writer } from '../bytes/writer.ts';

const ROLLUP_DATA_SUBMISSION = 2;
const NO_BYTES = new Uint8Array();

/** Remembers the last rollup id and fee asset of a transaction, since most submissions repeat them. */
export class SubmissionReader {
  #idBytes: Uint8Array = NO_BYTES;
  #rollup: RollupId | undefined;
  #assetText: string | undefined;
  #asset: Denom | undefined;

  /** Undefined for everything but a plainly encoded submission: unusual encodings are left to generated code. */
  read(action: Reader): ActionOf<'rollupDataSubmission'> | undefined {
    if (!action.next() || action.field !== ROLLUP_DATA_SUBMISSION || action.type !== BYTES) return undefined;
    const submission = action.message('RollupDataSubmission');
    if (action.next()) return undefined;

    let id: Uint8Array | undefined;
    let data: Uint8Array = NO_BYTES;
    let assetText = '';
    while (submission.next()) {
      if (submission.field === 1 && id === undefined) {
        const wrapper = submission.message('RollupId');
        if (!wrapper.next() || wrapper.field !== 1) return undefined;
        id = wrapper.bytes();
        if (wrapper.next()) return undefined;
      } else if (submission.field === 2) data = submission.bytes();
      else if (submission.field === 3) assetText = submission.string(this.#assetText);
      else return undefined;
    }
    if (id === undefined) return undefined;
    return { kind: 'rollupDataSubmission', rollup: this.#rollupOf(id), data, feeAsset: this.#denomOf(assetText) };
  }

  #rollupOf(id: Uint8Array): RollupId {
    if (this.#rollup === undefined || !equalBytes(id, this.#idBytes)) {
      this.#rollup = rollupIdFromBytes(id);
      this.#idBytes = id;
    }
    return this.#rollup;
  }

  #denomOf(text: string): Denom {
    if (this.#asset === undefined || text !== this.#assetText) {
      this.#asset = parseDenom(text);
      this.#assetText = text;
    }
    return this.#asset;
  }
}

const utf8 = new TextEncoder();

/** Remembers the encoded rollup id and fee asset of the last submission, as the reader does. */
export class SubmissionWriter {
  #rollup: RollupId | undefined;
  #idBytes: Uint8Array = new Uint8Array();
  #asset: Denom | undefined;
  #assetBytes: Uint8Array = new Uint8Array();

  /** Writes the action's content; the caller wraps it. */
  write(action: Writer, { rollup, data, feeAsset }: ActionOf<'rollupDataSubmission'>): void {
    if (rollup !== this.#rollup) {
      this.#rollup = rollup;
      this.#idBytes = new Writer().bytesAlways(1, rollupIdBytes(rollup)).finish();
    }
    if (feeAsset !== this.#asset) {
      this.#asset = feeAsset;
      this.#assetBytes = utf8.encode(feeAsset.text);
    }
    action.message(ROLLUP_DATA_SUBMISSION, (submission) =>
      submission.bytesAlways(1, this.#idBytes).bytes(2, data).bytes(3, this.#assetBytes),
    );
  }
}
