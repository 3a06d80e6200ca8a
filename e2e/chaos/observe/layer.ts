import { brotliDecompressSync } from 'node:zlib';
import { consensusNode } from '@switchyard/da';
import {
  decodePostedMetadata,
  decodePostedRollupData,
  decodeRollupData,
  type RollupId,
  toHex,
} from '@switchyard/protocol';
import {
  type CelestiaAccount,
  celestiaAccountBytes,
  rollupNamespace,
  sequencerNamespace,
} from '@switchyard/protocol/celestia';
import { grpcTransport } from '@switchyard/service';
import { layerBlobs } from '../../support/layer-blobs.ts';
import type { PostedView } from '../check/posted.ts';

/** The data-availability layer of a network, and the account that posts there. */
export interface Layer {
  readonly lightNodeUrl: string;
  readonly tokenFile: string | undefined;
  readonly consensusNodeUrl: string;
  readonly account: CelestiaAccount;
  readonly sequencerChainId: string;
}

/** Blocks of the layer in which a transaction that was sent is included. */
const SETTLED = 3n;

/** Reads the posts of an account since the layer's first block, verified as conductors do. Its relayer has stopped. */
export async function postedView(
  { lightNodeUrl: url, tokenFile, consensusNodeUrl, account, sequencerChainId }: Layer,
  { rollup, getId }: { readonly rollup: RollupId; readonly getId: (bytes: Uint8Array) => string },
): Promise<PostedView> {
  const token = tokenFile === undefined ? undefined : { file: tokenFile, setting: '' };
  const transport = grpcTransport(consensusNodeUrl);
  try {
    const namespaces = [sequencerNamespace(sequencerChainId), rollupNamespace(rollup)];
    const own = Buffer.from(celestiaAccountBytes(account));
    const blocks = await layerBlobs({ url, token }, namespaces, SETTLED);
    const ofOwn = (index: number) =>
      blocks.flatMap(({ height, blobs }) =>
        (blobs[index] ?? [])
          .filter(({ author }) => author !== undefined && own.equals(author))
          .map(({ data }) => ({ layerHeight: Number(height), list: brotliDecompressSync(data) })),
      );
    const lists = ofOwn(0);
    const data = new Map<string, string[]>();
    for (const { blockHash, transactions } of ofOwn(1).flatMap(({ list }) => decodePostedRollupData(list))) {
      for (const item of transactions.map(decodeRollupData)) {
        if (item.kind !== 'sequencedData') continue;
        const id = getId(item.data);
        data.set(id, [...(data.get(id) ?? []), toHex(blockHash)]);
      }
    }
    return {
      blocks: lists.flatMap(({ layerHeight, list }) =>
        decodePostedMetadata(list).map(({ hash, header }) => ({
          ...{ height: Number(header.height), hash: toHex(hash), layerHeight },
        })),
      ),
      data,
      paid: Number(
        (await consensusNode(transport, consensusNodeUrl).account(account, new AbortController().signal)).sequence,
      ),
      lists: lists.length,
    };
  } finally {
    transport.close();
  }
}
