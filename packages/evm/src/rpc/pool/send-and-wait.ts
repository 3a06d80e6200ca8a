import type { Hash } from '@switchyard/evm-machine/types';
import { JsonRpcError, Places } from '@switchyard/service';
import { serverError } from '../../json/errors.ts';
import { receiptJson } from '../../json/format.ts';
import { locate } from '../../json/resolve.ts';
import type { RpcDeps } from '../deps.ts';

type Deps = Pick<RpcDeps, 'chain' | 'pool' | 'clock'>;

const DEFAULT_MS = 5_000;
const MAX_MS = 25_000;
const MAX_WAITING = 1_000;
/** EIP-7966: it was sent, and no block has it yet. */
const NOT_YET = 4;

/**
 * Sends transactions and answers with their receipts (EIP-7966).
 *
 * @returns a function of the client's address, raw bytes and a timeout in milliseconds, of which longer ones are cut to 25 seconds. It throws
 * `JsonRpcError` with code 4 and the hash as data if no block had the transaction in time.
 */
export function sendAndWait(deps: Deps): (peer: string, raw: Uint8Array, timeoutMs?: bigint) => Promise<unknown> {
  const places = new Places(MAX_WAITING);
  return async (peer, raw, timeoutMs = BigInt(DEFAULT_MS)) => {
    const leave = places.take(peer);
    if (leave === undefined) throw serverError('too many callers wait for receipts; send with eth_sendRawTransaction');
    const ms = timeoutMs > 0n && timeoutMs < BigInt(MAX_MS) ? Number(timeoutMs) : MAX_MS;
    try {
      const hash = await deps.pool.send(raw);
      return getReceipt(deps, hash) ?? (await committed(deps, hash, ms));
    } finally {
      leave();
    }
  };
}

function committed(deps: Deps, hash: Hash, ms: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      stop();
      cancel();
    };
    const stop = deps.chain.onCommit(() => {
      const receipt = getReceipt(deps, hash);
      if (receipt === undefined) return;
      end();
      resolve(receipt);
    });
    const cancel = deps.clock.after(ms, () => {
      end();
      reject(new JsonRpcError(NOT_YET, `the transaction was sent and is in no block after ${ms} ms`, hash));
    });
  });
}

function getReceipt({ chain }: Deps, hash: Hash): unknown {
  const found = locate(chain, hash);
  return found && receiptJson(found.block, chain.receipts(found.block.header.number) ?? [], found.index);
}
