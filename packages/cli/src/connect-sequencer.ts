import { sequencerClient, submitAndWait } from '@switchyard/client';
import { type Action, encodeTransactionBody, type Signer } from '@switchyard/protocol';
import { jsonRpcClient } from '@switchyard/service';
import { askAgain } from './ask-again.ts';

const TIMEOUT_MS = 10_000;
const MAX_BLOCK_BYTES = 64 * 1_048_576;

export interface Unsigned {
  readonly chainId: string;
  readonly actions: readonly Action[];
}

/** A sequencer node by its RPC, in the words of the commands. */
export function connectSequencer(rpcUrl: string) {
  const client = sequencerClient({ rpcUrl, timeoutMs: TIMEOUT_MS });
  const rpc = jsonRpcClient(rpcUrl, { timeoutMs: TIMEOUT_MS, maxResponseBytes: MAX_BLOCK_BYTES });
  return {
    chainId: () => askAgain(() => client.genesisChainId()),
    height: () => askAgain(() => client.latestHeight()),
    balances: async (address: string) => (await askAgain(() => client.balances(address))).balances,
    nonce: (address: string) => askAgain(() => client.nonce(address)),
    /** The newest without a height. As CometBFT's RPC has it. */
    block: (height: bigint | undefined) =>
      askAgain(() => rpc.call('block', height === undefined ? {} : { height: String(height) })),
    /** In the node's order; without a height for the newest block. */
    validators: (height: bigint | undefined) => askAgain(() => client.validators(height)),
    allowedFeeAssets: () => askAgain(() => client.allowedFeeAssets()),
    bridgeAccount: (address: string) => askAgain(() => client.bridgeAccount(address)),
    /** Fees that a transaction would pay now, which do not depend on the nonce. */
    fees: (transaction: Unsigned) => askAgain(() => client.fee(encodeTransactionBody({ nonce: 0, ...transaction }))),
    /** Signs with the account's next nonce, sends, and waits until a block holds it. */
    submitAndWait: (signer: Signer, transaction: Unsigned, prefix: string) =>
      submitAndWait(client, signer, transaction, { prefix }),
  };
}
