import { sequencerClient, submitAndWait } from '@switchyard/client';
import { encodeTransactionBody } from '@switchyard/protocol';
import { jsonRpcClient } from '@switchyard/service';
import { askAgain } from './ask-again.ts';
import type { SequencerPort } from './connections.ts';

const TIMEOUT_MS = 10_000;
const MAX_BLOCK_BYTES = 64 * 1_048_576;

/** A sequencer node by its RPC, in the words of the commands. */
export function connectSequencer(rpcUrl: string): SequencerPort {
  const client = sequencerClient({ rpcUrl, timeoutMs: TIMEOUT_MS });
  const rpc = jsonRpcClient(rpcUrl, { timeoutMs: TIMEOUT_MS, maxResponseBytes: MAX_BLOCK_BYTES });
  return {
    chainId: () => askAgain(() => client.genesisChainId()),
    height: () => askAgain(() => client.latestHeight()),
    balances: async (address) => (await askAgain(() => client.balances(address))).balances,
    nonce: (address) => askAgain(() => client.nonce(address)),
    block: (height) => askAgain(() => rpc.call('block', height === undefined ? {} : { height: String(height) })),
    validators: (height) => askAgain(() => client.validators(height)),
    allowedFeeAssets: () => askAgain(() => client.allowedFeeAssets()),
    bridgeAccount: (address) => askAgain(() => client.bridgeAccount(address)),
    // A fee does not depend on the nonce.
    fees: (transaction) => askAgain(() => client.fee(encodeTransactionBody({ nonce: 0, ...transaction }))),
    submitAndWait: (signer, transaction, prefix) => submitAndWait(client, signer, transaction, { prefix }),
  };
}
