import { bytesToHex, keccakHex, ZERO_ADDRESS } from '@switchyard/protocol/ethereum';
import { serverError } from '../../json/errors.ts';
import { transactionJson } from '../../json/format-transaction.ts';
import { latestHeader } from '../../json/resolve.ts';
import { nextBaseFee } from '../../rules/rules.ts';
import { messageOfRequest } from '../../simulate/request.ts';
import type { CallRequest, Simulator } from '../../simulate/simulator.ts';
import { encodeUnsigned } from '../../simulate/unsigned.ts';
import type { CallDeps } from './deps.ts';

/** Answer of `eth_maxPriorityFeePerGas`. */
const TIP = 1n;
/** Blocks may fill up until the transaction is in one. */
const BASE_FEES = 2n;

/** Members with the position of a transaction. */
const PLACE = ['blockHash', 'blockNumber', 'blockTimestamp', 'transactionIndex', 'from'];

/** Parts of a node that filling needs. */
export interface FillDeps extends Omit<CallDeps, 'simulator' | 'estimator'> {
  readonly simulator: Pick<Simulator, 'estimateGas'>;
}

/** Completes a transaction as go-ethereum does, without a signature: a wallet need not ask for more before it signs. */
export async function fillTransaction({ chain, pool, simulator }: FillDeps, request: CallRequest) {
  const { type, raw, priced } = await completed({ chain, pool, simulator }, request);
  const tx = transactionJson({ hash: keccakHex(raw), from: request.from ?? ZERO_ADDRESS, raw }, undefined);
  for (const member of PLACE) delete tx[member];
  // go-ethereum's encoder writes null here, which wallets take for "choose by the type".
  if (!priced) tx.gasPrice = null;
  if (type === 0) tx.chainId = `0x${chain.chainId.toString(16)}`;
  return { raw: bytesToHex(raw), tx };
}

/** EIP-2718 bytes of a request with all that it leaves open, and zeros for a signature. */
export async function completed({ chain, pool, simulator }: FillDeps, request: CallRequest) {
  const { from = ZERO_ADDRESS, to, data = '0x', accessList } = request;
  if (to === undefined && data === '0x') throw serverError('contract creation without any data provided');
  const fees = toFees(request, nextBaseFee(latestHeader(chain).header));
  const nonce = request.nonce ?? pool.nextNonce(from);
  const gas = request.gas ?? (await simulator.estimateGas({ ...request, ...fees, nonce }, 'pending'));
  const environment = { baseFeePerGas: undefined };
  const message = messageOfRequest({ ...request, ...fees, gas, nonce }, { environment, gasLimit: gas });
  const priced = fees.gasPrice !== undefined;
  const listed = accessList !== undefined;
  return { ...encodeUnsigned(message, { chainId: chain.chainId, priced, listed }), priced };
}

type Fees = Pick<CallRequest, 'gasPrice' | 'maxFeePerGas' | 'maxPriorityFeePerGas'>;

function toFees({ gasPrice, maxFeePerGas, maxPriorityFeePerGas }: CallRequest, baseFee: bigint): Fees {
  if (gasPrice !== undefined) {
    if (maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined)
      throw serverError('both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified');
    return { gasPrice };
  }
  const tip = maxPriorityFeePerGas ?? TIP;
  const cap = maxFeePerGas ?? tip + BASE_FEES * baseFee;
  if (cap < tip) throw serverError(`maxFeePerGas (${cap}) < maxPriorityFeePerGas (${tip})`);
  return { maxFeePerGas: cap, maxPriorityFeePerGas: tip };
}
