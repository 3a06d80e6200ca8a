import { type CometBlock, renderCommit, renderHeader } from '@switchyard/protocol';

/** Blocks as CometBFT's RPC shows them, and its forms of bytes. The parts of a block are in `protocol`. */

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex').toUpperCase();
}

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}

export function renderBlock({ header, txs, lastCommit }: CometBlock): object {
  return {
    header: renderHeader(header),
    data: { txs: txs.map(base64) },
    evidence: { evidence: [] },
    last_commit: renderCommit(lastCommit),
  };
}

/** The answer if there is no block: not an error. */
export const NO_BLOCK_ANSWER = {
  block_id: { hash: '', parts: { total: 0, hash: '' } },
  block: null,
};
