import { Code, ConnectError } from '@connectrpc/connect';
import { type AccountId, parseAddress, Rejected, type RollupId, rollupIdFromBytes } from '@switchyard/protocol';

/** Status of a request that leaves something out or gets it wrong; the message names the field. */
export function invalid(message: string): ConnectError {
  return new ConnectError(message, Code.InvalidArgument);
}

/** A height that this node had, or never had because it began later. */
export function notKept(height: bigint, lowest: bigint): string {
  return `block ${height} is not kept by this node, lowest height is ${lowest}; ask a node that keeps more (SVC_SEQUENCER_RETAIN_BLOCKS=all)`;
}

/** Any prefix is accepted, as in the ABCI queries. */
export function accountFrom(address: { readonly bech32m: string } | undefined): AccountId {
  if (address === undefined) throw invalid('address: missing');
  return parsing('address', () => parseAddress(address.bech32m));
}

export function rollupFrom(id: { readonly inner: Uint8Array } | undefined): RollupId {
  if (id === undefined) throw invalid('rollup_id: missing');
  return parsing('rollup_id', () => rollupIdFromBytes(id.inner));
}

function parsing<T>(field: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof Rejected) throw invalid(`${field}: ${error.message}`);
    throw error;
  }
}
