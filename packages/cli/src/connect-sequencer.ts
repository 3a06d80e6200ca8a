import { sequencerClient, submitAndWait } from '@switchyard/client';
import { encodeTransactionBody } from '@switchyard/protocol';
import { jsonRpcClient } from '@switchyard/service';
import type { SequencerPort } from './connections.ts';

const TIMEOUT_MS = 10_000;
const MAX_BLOCK_BYTES = 64 * 1_048_576;

/** A sequencer node by its RPC, in the words of the commands. */
export function connectSequencer(rpcUrl: string): SequencerPort {
  const client = sequencerClient({ rpcUrl, timeoutMs: TIMEOUT_MS });
  const rpc = jsonRpcClient(rpcUrl, { timeoutMs: TIMEOUT_MS, maxResponseBytes: MAX_BLOCK_BYTES });
  return {
    chainId: () => client.genesisChainId(),
    height: () => client.latestHeight(),
    balances: async (address) => (await client.balances(address)).balances,
    nonce: (address) => client.nonce(address),
    block: (height) => rpc.call('block', height === undefined ? {} : { height: String(height) }),
    validators: (height) => client.validators(height),
    allowedFeeAssets: () => client.allowedFeeAssets(),
    bridgeAccount: (address) => client.bridgeAccount(address),
    // A fee does not depend on the nonce.
    fees: (transaction) => client.fee(encodeTransactionBody({ nonce: 0, ...transaction })),
    submitAndWait: (signer, transaction, prefix) => submitAndWait(client, signer, transaction, { prefix }),
  };
}
