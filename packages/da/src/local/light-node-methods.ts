/** The JSON-RPC of a light node over the chain of the local layer: the methods that relayers and readers call. */
import { base64FromJson, equalBytes } from '@switchyard/protocol';
import {
  blobCommitment,
  type CelestiaBlob,
  celestiaAccountBytes,
  type ExtendedHeader,
  getAnswer,
  getShareVersion,
  type Namespace,
  namespaceBytes,
  namespaceFromBytes,
  RESERVED_NAMESPACES,
  renderExtendedHeader,
  renderNamespaceRows,
  shareCount,
} from '@switchyard/protocol/celestia';
import { deadline, JsonRpcError } from '@switchyard/service';
import { Input } from '@switchyard/service/input';
import type { JsonRpcMethods } from '@switchyard/service/json-rpc';
import type { StoredBlock } from './block-row.ts';
import type { LocalChain } from './chain.ts';
import { blobsInOrder } from './make-block.ts';

/** Shown wherever a person or a program could take this for Celestia. */
export const LABEL = 'development only: one process, no network, no data availability';

/** Code of every error of celestia-node. */
const FAILED = 1;
/** The block after the head is waited for, as by celestia-node. */
const WAIT_MS = 15_000;
const MAX_NAMESPACES = 16;
/** celestia-node's number for a light node. */
const LIGHT = 2;

/** Methods whose answers may be megabytes long. */
export const LARGE: ReadonlySet<string> = new Set(['share.GetNamespaceData', 'blob.GetAll', 'blob.Get']);

/** @param signal Ends waiting for a block. */
export function lightNodeMethods(chain: LocalChain, signal?: AbortSignal): JsonRpcMethods {
  async function blockAt(height: bigint): Promise<StoredBlock> {
    if (height === chain.head + 1n) await chain.waitFor(height, deadline(WAIT_MS, signal)).catch(() => undefined);
    const block = chain.block(height);
    if (block !== undefined) return block;
    if (height < chain.tail)
      throw new JsonRpcError(FAILED, `header: requested header (${height}) is below Tail (${chain.tail})`);
    const heights = `networkHeight: ${chain.head}, requestedHeight: ${height}`;
    throw new JsonRpcError(FAILED, `header: given height is from the future: ${heights}`);
  }
  async function headerAt(height: bigint): Promise<object> {
    await blockAt(height);
    return rendered(await chain.header(height));
  }
  const newest = async () => rendered(await chain.header(chain.head));

  return {
    'header.NetworkHead': newest,
    'header.LocalHead': newest,
    'header.GetByHeight': (params) => headerAt(heightIn(parameter(params, 0))),
    'header.WaitForHeight': (params) => headerAt(heightIn(parameter(params, 0))),
    'header.SyncState': () => {
      const { head } = chain;
      return { id: 1, height: Number(head), from_height: 1, to_height: Number(head), error: '' };
    },

    async 'share.GetNamespaceData'(params) {
      const [height, namespace] = [heightIn(parameter(params, 0)), namespaceIn(parameter(params, 1))];
      return renderNamespaceRows(getAnswer(await chain.square(await blockAt(height)), namespace));
    },

    async 'blob.GetAll'(params) {
      const height = heightIn(parameter(params, 0));
      const namespaces = parameter(params, 1).list(MAX_NAMESPACES).map(namespaceIn);
      const placed = await placedBlobs(await blockAt(height), chain);
      const found = namespaces.flatMap((namespace) => placed.filter(({ blob }) => blob.namespace === namespace));
      return found.length === 0 ? null : found.map(renderBlob);
    },

    async 'blob.Get'(params) {
      const [height, namespace] = [heightIn(parameter(params, 0)), namespaceIn(parameter(params, 1))];
      const commitment = base64FromJson(parameter(params, 2));
      const found = (await placedBlobs(await blockAt(height), chain)).find(
        ({ blob }) => blob.namespace === namespace && equalBytes(blobCommitment(blob), commitment),
      );
      if (found === undefined) throw new JsonRpcError(FAILED, 'blob: not found');
      return renderBlob(found);
    },

    'node.Info': () => ({ type: LIGHT, api_version: LABEL }),
  };
}

function rendered(header: ExtendedHeader | undefined): object {
  if (header !== undefined) return renderExtendedHeader(header);
  throw new JsonRpcError(FAILED, 'header: no header yet');
}

interface Placed {
  readonly blob: CelestiaBlob;
  /** Row times the width of the extended square, plus column. */
  readonly index: number;
}

async function placedBlobs(block: StoredBlock, chain: LocalChain): Promise<Placed[]> {
  const size = (await chain.square(block)).rows.length;
  let share = 0;
  return blobsInOrder(block.txs).map((blob) => {
    const index = Math.floor(share / size) * 2 * size + (share % size);
    share += shareCount(blob.data.length, getShareVersion(blob));
    return { blob, index };
  });
}

function renderBlob({ blob, index }: Placed): object {
  const { namespace, data, author } = blob;
  return {
    namespace: base64(namespaceBytes(namespace)),
    data: base64(data),
    share_version: getShareVersion(blob),
    commitment: base64(blobCommitment(blob)),
    ...(author !== undefined && { signer: base64(celestiaAccountBytes(author)) }),
    index,
  };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}

/** Parameters are a list. Parameters behind its end are absent. */
function parameter(params: unknown, index: number): Input {
  const list = new Input(params, 'params').list(MAX_NAMESPACES);
  return list[index] ?? new Input(undefined, `params[${index}]`);
}

function heightIn(input: Input): bigint {
  return input.big(1n, 2n ** 63n - 1n);
}

function namespaceIn(input: Input): Namespace {
  const bytes = base64FromJson(input);
  const namespace = input.parsed(() => namespaceFromBytes(bytes), 'a namespace of 29 bytes in base64');
  // It has no place in the order of a row.
  return namespace === RESERVED_NAMESPACES.parity ? input.fail('a namespace that blobs can have') : namespace;
}
