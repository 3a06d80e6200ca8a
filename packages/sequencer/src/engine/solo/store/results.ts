import type { BlockResult, ConsensusParams, TxResult } from '../../../app/types.ts';
import { renderConsensusParams } from '../../genesis-file.ts';

/**
 * Results of a block in stored form: the JSON that the RPC serves, so that it is made once. First the number of
 * transactions and the length of each one's part, then the parts, then one object with the members of the whole block.
 */
export function encodeResults(result: BlockResult): Uint8Array {
  const parts = result.txResults.map((each) => Buffer.from(renderTxResult(each)));
  const table = Buffer.alloc(4 + 4 * parts.length);
  table.writeUInt32BE(parts.length, 0);
  for (const [index, part] of parts.entries()) table.writeUInt32BE(part.length, 4 + 4 * index);
  return Buffer.concat([table, ...parts, Buffer.from(renderBlockPart(result))]);
}

/** Range of each transaction's result in the output of `encodeResults`. */
function resultSpans(results: Uint8Array): { readonly offset: number; readonly length: number }[] {
  const table = new DataView(results.buffer, results.byteOffset, results.length);
  const count = table.getUint32(0);
  let offset = 4 + 4 * count;
  return Array.from({ length: count }, (_, index) => {
    const span = { offset, length: table.getUint32(4 + 4 * index) };
    offset += span.length;
    return span;
  });
}

/** The JSON of each transaction's result, and of the block's own part. */
export function decodeResults(bytes: Uint8Array): { readonly txs: readonly string[]; readonly block: string } {
  const results = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const spans = resultSpans(results);
  const last = spans.at(-1);
  const end = last === undefined ? 4 : last.offset + last.length;
  return {
    txs: spans.map(({ offset, length }) => results.toString('utf8', offset, offset + length)),
    block: results.toString('utf8', end),
  };
}

/** `ExecTxResult`, every member present; empty bytes are null. */
export function renderTxResult(result: TxResult): string {
  return JSON.stringify({
    code: result.code,
    data: base64(result.data),
    log: result.log,
    info: result.info,
    gas_wanted: String(result.gasWanted),
    gas_used: String(result.gasUsed),
    events: result.events,
    codespace: result.codespace,
  });
}

/** The members of `block_results` after `txs_results`. */
function renderBlockPart({ events, validatorUpdates, consensusParamUpdates, appHash }: BlockResult): string {
  return JSON.stringify({
    finalize_block_events: events.length === 0 ? null : events,
    validator_updates:
      validatorUpdates.length === 0
        ? null
        : validatorUpdates.map(({ publicKey, power }) => ({
            pub_key: { Sum: { type: 'tendermint.crypto.PublicKey_Ed25519', value: { ed25519: base64(publicKey) } } },
            power: String(power),
          })),
    consensus_param_updates: renderParamUpdates(consensusParamUpdates),
    app_hash: base64(appHash),
  });
}

function renderParamUpdates(params: ConsensusParams | undefined): object | null {
  return params === undefined ? null : renderConsensusParams(params);
}

function base64(bytes: Uint8Array): string | null {
  return bytes.length === 0 ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}
