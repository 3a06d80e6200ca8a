import { toHex } from '@switchyard/protocol';
import { addressOfKey, checksummed, signEthereumPayment } from '@switchyard/protocol/ethereum';
import { JsonRpcError } from '@switchyard/service';
import { type Outcome, type Payer, type SignedPayment, Unpayable } from '../payer.ts';
import { parseEvmAddress } from './address.ts';
import type { EvmNode } from './node.ts';
import { estimateVerdict, sendVerdict } from './node-error.ts';

/** Gas of a payment to an account without code. */
const TRANSFER_GAS = 21_000n;
/** The recipient's code runs at the faucet's expense. From Amsterdam on, a new account alone costs 204,600 (EIP-2780). */
const MAX_GAS = 350_000n;

/**
 * Pays in the native coin of an EVM chain, with type 2 transactions.
 *
 * @param key 32 bytes.
 * @param findRollup Asks for the name of the rollup, until it is known.
 */
export function evmPayer(
  key: Uint8Array,
  node: EvmNode,
  findRollup: (signal: AbortSignal) => Promise<string | undefined> = async () => undefined,
): Payer {
  const account = checksummed(addressOfKey(key));
  let rollup: string | undefined;
  let chain: { readonly id: bigint; readonly genesis: string } | undefined;

  /** A base fee grows by an eighth in each block at most, so twice it is good for five full ones. @see EIP-1559 */
  const fees = async (signal: AbortSignal) => {
    const [baseFee, tip] = await Promise.all([node.baseFee(signal), node.priorityFee(signal)]);
    return { tip, cap: 2n * baseFee + tip };
  };

  return {
    account,
    close: () => undefined,

    recipient: parseEvmAddress,

    async funds(signal) {
      // Asked each time: another chain may answer at the same address one day.
      const [id, genesis, nonce, balance, { cap }] = await Promise.all([
        node.chainId(signal),
        node.genesisHash(signal),
        node.nonce(account, signal),
        node.balance(account, signal),
        fees(signal),
      ]);
      chain = { id, genesis };
      rollup ??= await findRollup(signal).catch(() => undefined);
      return { chain: `${id} ${genesis}`, chainId: String(id), rollup, nonce, balance, fee: TRANSFER_GAS * cap };
    },

    async sign({ to, amount, nonce }, signal) {
      const { tip, cap } = await fees(signal);
      const gasLimit = await gasFor(node, { from: account, to, value: amount }, signal);
      const chainId = chain?.id ?? (await node.chainId(signal));
      const { bytes, hash } = signEthereumPayment(
        {
          chainId,
          nonce: BigInt(nonce),
          maxPriorityFeePerGas: tip,
          maxFeePerGas: cap,
          gasLimit,
          to: `0x${to.slice(2)}`,
          value: amount,
        },
        key,
      );
      return { hash, bytes: toHex(bytes), cost: amount + gasLimit * cap };
    },

    async send({ bytes }, signal) {
      try {
        await node.send(bytes, signal);
        return { kind: 'held' };
      } catch (error) {
        if (!(error instanceof JsonRpcError)) throw error;
        const kind = sendVerdict(error);
        return kind === 'held' ? { kind } : { kind, reason: error.rpcMessage.slice(0, 300) };
      }
    },

    async outcome(payments, _nonce, signal) {
      for (const payment of payments) {
        const outcome = await findOutcome(node, payment, signal);
        if (outcome !== undefined) return outcome;
      }
      return { kind: 'unknown' };
    },
  };
}

async function findOutcome(node: EvmNode, { hash }: SignedPayment, signal: AbortSignal): Promise<Outcome | undefined> {
  const receipt = await node.receipt(hash, signal);
  if (receipt === undefined) return undefined;
  if (receipt.succeeded) return { kind: 'paid', hash, block: receipt.block };
  return { kind: 'failed', hash, reason: 'the code of the recipient refused the payment' };
}

/** @throws {Unpayable} if the code at the recipient refuses the payment or is too expensive. */
async function gasFor(
  node: EvmNode,
  call: { readonly from: string; readonly to: string; readonly value: bigint },
  signal: AbortSignal,
): Promise<bigint> {
  try {
    const gas = await node.estimateGas(call, signal);
    if (gas > MAX_GAS) {
      throw new Unpayable(`the code of the recipient needs ${gas} gas, and the faucet pays for at most ${MAX_GAS}`);
    }
    // Code may need a little more in the block.
    return gas <= TRANSFER_GAS ? TRANSFER_GAS : gas + gas / 4n;
  } catch (error) {
    if (error instanceof JsonRpcError && estimateVerdict(error) === 'refused') {
      throw new Unpayable(`the code of the recipient refuses the payment: ${error.rpcMessage.slice(0, 200)}`);
    }
    throw error;
  }
}
