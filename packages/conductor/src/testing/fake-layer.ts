import { brotliCompressSync } from 'node:zlib';
import type { FakeSequencer } from '@switchyard/client/testing';
import { type DaBlob, type DaBlock, type DaReader, DaUnavailable } from '@switchyard/da';
import {
  encodePostedMetadata,
  encodePostedRollupData,
  type PostedMetadata,
  type PostedRollupData,
  postedMetadata,
  postedRollupData,
} from '@switchyard/protocol';
import { type Namespace, namespaceBytes, sequencerNamespace } from '@switchyard/protocol/celestia';

/** Posted parts of some blocks of the sequencer. */
export interface Posted {
  readonly metadata: PostedMetadata[];
  readonly data: PostedRollupData[];
}

/** A layer in memory, whose node can be made to fail. */
export class FakeLayer implements DaReader {
  readonly #heights: { readonly metadata: readonly DaBlob[]; readonly data: readonly DaBlob[] }[] = [];
  readonly #sequencerNamespace: string;
  /** Errors for the next reads, one each. */
  readonly failures: Error[] = [];
  /** Heights that were read. */
  readonly reads: bigint[] = [];
  isAway = false;

  constructor(chainId = 'test-chain') {
    this.#sequencerNamespace = String(namespaceBytes(sequencerNamespace(chainId)));
  }

  get height(): bigint {
    return BigInt(this.#heights.length);
  }

  /** A height with these blobs, of any contents. */
  putBlobs(metadata: readonly DaBlob[], data: readonly DaBlob[]): void {
    this.#heights.push({ metadata, data });
  }

  put({ metadata, data }: Posted, author?: Uint8Array): void {
    this.putBlobs(
      getBlobs(metadata.map(encodePostedMetadata), author),
      getBlobs(data.map(encodePostedRollupData), author),
    );
  }

  async chainId(): Promise<string> {
    return 'test-layer';
  }

  async head(): Promise<bigint> {
    if (this.isAway) throw new DaUnavailable('the layer is away');
    return this.height;
  }

  async read(height: bigint, namespaces: readonly Namespace[]): Promise<DaBlock> {
    if (this.isAway) throw new DaUnavailable('the layer is away');
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
    this.reads.push(height);
    const at = this.#heights[Number(height) - 1];
    if (at === undefined) throw new DaUnavailable(`no height ${height} yet`);
    return {
      ...{ height, hash: new Uint8Array(32), time: { seconds: height, nanos: 0 } },
      blobs: namespaces.map((each) =>
        String(namespaceBytes(each)) === this.#sequencerNamespace ? at.metadata : at.data,
      ),
    };
  }
}

/** One blob of all entries, as a relayer makes it; none of no entries. */
export function getBlobs(entries: readonly Uint8Array[], author?: Uint8Array): DaBlob[] {
  if (entries.length === 0) return [];
  const data = brotliCompressSync(Buffer.concat(entries));
  return [author === undefined ? { data } : { data, author }];
}

/** Blobs that a relayer posts for a range of blocks: the validators with the first one and at changes. */
export async function getPosted(sequencer: FakeSequencer, from: bigint, to: bigint): Promise<Posted> {
  const posted: Posted = { metadata: [], data: [] };
  let known = '';
  for (let height = from; height <= to; height += 1n) {
    const [block, signed, validators] = await Promise.all([
      sequencer.sequencerBlock(height),
      sequencer.commit(height),
      sequencer.validators(height),
    ]);
    const set = String(signed.header.validatorsHash);
    posted.metadata.push(postedMetadata(block, signed, set === known ? undefined : validators));
    posted.data.push(...postedRollupData(block));
    known = set;
  }
  return posted;
}
