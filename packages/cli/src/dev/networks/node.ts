import { sequencerClient } from '@switchyard/client';
import { parseDenom } from '@switchyard/protocol';
import { Failure } from '@switchyard/service/failure';

/** Requests to a sequencer that runs elsewhere. */
export type RemoteNode = Omit<ReturnType<typeof remoteNode>, 'close'>;

/** Long enough for a far network, short enough for a person who waits. */
const TIMEOUT_MS = 5_000;

/** The real one. `close` it when done. Every failure names the endpoint that did not answer. */
export function remoteNode(rpcUrl: string, grpcUrl: string) {
  const client = sequencerClient({ rpcUrl, grpcUrl, timeoutMs: TIMEOUT_MS });
  const ask = async <T>(what: string, url: string, question: () => Promise<T>): Promise<T> => {
    try {
      return await question();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Failure(`${what} ${url} does not answer as a sequencer's would: ${reason.split('\n')[0]}`, error);
    }
  };
  return {
    status: () =>
      ask('--rpc', rpcUrl, async () => {
        const { chainId, latestHeight } = await client.status();
        return { chainId, height: latestHeight };
      }),
    feeAssets: () => ask('--rpc', rpcUrl, () => client.allowedFeeAssets()),
    /** Asks over gRPC, as composer and conductor will. @throws {Failure} when that is not answered. */
    checkGrpc: (address: string): Promise<void> =>
      ask('--grpc', grpcUrl, async () => {
        await client.pendingNonce(address);
      }),
    balance: (address: string, asset: string) =>
      ask('--rpc', rpcUrl, async () => {
        const { balances } = await client.balances(address);
        return amountOf(balances, asset);
      }),
    close: () => client.close(),
  };
}

/** Balance of one asset, which may be written in either form. */
function amountOf(balances: readonly { readonly asset: string; readonly amount: bigint }[], asset: string): bigint {
  const { id } = parseDenom(asset);
  return balances.find((held) => parseDenom(held.asset).id === id)?.amount ?? 0n;
}
