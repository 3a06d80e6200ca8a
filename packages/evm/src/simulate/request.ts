import type { BlockValues } from '@switchyard/evm-machine/values';
import { hexToBytes, ZERO_ADDRESS } from '@switchyard/protocol/ethereum';
import { invalidParams } from '../json/errors.ts';
import { effectivePrice } from '../transactions/price.ts';
import type { EvmMessage } from './evm-message.ts';
import type { CallRequest } from './simulator.ts';

/**
 * The message that a request describes. Missing fees are zero.
 *
 * @param gasLimit If the request gives none.
 * @param nonce If the request gives none.
 * @throws {JsonRpcError} for fees that contradict each other.
 */
export function messageOfRequest(
  request: CallRequest,
  {
    environment,
    gasLimit,
    nonce = 0n,
  }: { environment: Pick<BlockValues, 'baseFeePerGas'>; gasLimit: bigint; nonce?: bigint },
): EvmMessage {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = request;
  if (gasPrice !== undefined && (maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined))
    throw invalidParams('both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified');
  const cap = gasPrice ?? maxFeePerGas ?? 0n;
  const tip = gasPrice ?? maxPriorityFeePerGas ?? 0n;
  const free = cap === 0n && tip === 0n;
  return {
    from: request.from ?? ZERO_ADDRESS,
    to: request.to,
    nonce: request.nonce ?? nonce,
    gasLimit: request.gas ?? gasLimit,
    gasPrice: free ? 0n : effectivePrice({ maxFeePerGas: cap, maxPriorityFeePerGas: tip }, environment.baseFeePerGas),
    maxFeePerGas: cap,
    maxPriorityFeePerGas: tip,
    value: request.value ?? 0n,
    data: hexToBytes(request.data ?? '0x'),
    accessList: request.accessList ?? [],
    authorizations: request.authorizationList ?? [],
    blobHashes: request.blobVersionedHashes,
    maxFeePerBlobGas: request.maxFeePerBlobGas ?? 0n,
  };
}

/**
 * If a call pays nothing for gas it also sees no base fee, as a price below the base fee would break assumptions that contracts
 * rely on.
 */
export function environmentOfCall(environment: BlockValues, { gasPrice, blobHashes, maxFeePerBlobGas }: EvmMessage) {
  const freeBlobs = blobHashes !== undefined && maxFeePerBlobGas === 0n;
  if (gasPrice !== 0n && !freeBlobs) return environment;
  return {
    ...environment,
    ...(gasPrice === 0n && environment.baseFeePerGas !== undefined ? { baseFeePerGas: 0n } : {}),
    ...(freeBlobs && environment.blobBaseFee !== undefined ? { blobBaseFee: 0n } : {}),
  };
}
