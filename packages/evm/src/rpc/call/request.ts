import type { AccountOverride, BlockOverrides, CallRequest, StateOverrides } from '../../simulate/simulator.ts';
import type { Address, Data, Hash } from '../../types.ts';
import { invalidParams, serverError } from '../errors.ts';
import {
  address,
  data,
  hash,
  listOf,
  Malformed,
  mapOf,
  objectOf,
  type Parse,
  quantity,
  quantity64,
} from '../params.ts';

/** Bounds on what one call may bring along. */
const MAX_LISTED = 10_000;
const MAX_SLOTS_LISTED = 100_000;
const MAX_OVERRIDDEN = 10_000;
const MAX_BLOBS = 100;

interface AccessListItem {
  readonly address: Address;
  readonly storageKeys: readonly Hash[];
}

const listed = objectOf({ address, storageKeys: listOf(hash, MAX_SLOTS_LISTED) });

const accessListItem: Parse<AccessListItem> = (value) => {
  const { address: account, storageKeys = [] } = listed(value);
  if (account === undefined) throw new Malformed('address: missing');
  return { address: account, storageKeys };
};

const signed = objectOf({
  chainId: quantity,
  address,
  nonce: quantity64,
  yParity: quantity,
  v: quantity,
  r: quantity,
  s: quantity,
});

const authorization: Parse<NonNullable<CallRequest['authorizationList']>[number]> = (value) => {
  const { chainId = 0n, address: target, nonce = 0n, yParity, v = 0n, r = 0n, s = 0n } = signed(value);
  if (target === undefined) throw new Malformed('address: missing');
  const word = (number: bigint): Hash => `0x${number.toString(16).padStart(64, '0')}`;
  return { chainId, address: target, nonce, yParity: yParity ?? v, r: word(r), s: word(s) };
};

const fields = objectOf({
  from: address,
  to: address,
  gas: quantity64,
  gasPrice: quantity,
  maxFeePerGas: quantity,
  maxPriorityFeePerGas: quantity,
  maxFeePerBlobGas: quantity,
  value: quantity,
  nonce: quantity64,
  data,
  input: data,
  accessList: listOf(accessListItem, MAX_LISTED),
  authorizationList: listOf(authorization, MAX_LISTED),
  blobVersionedHashes: listOf(hash, MAX_BLOBS),
  chainId: quantity,
});

/** A transaction as `eth_call` and its relatives take it. The older name of `input` is `data`. */
export const callRequest: Parse<CallRequest> = (value) => {
  const { input, data: older, ...request } = fields(value);
  if (input !== undefined && older !== undefined && input !== older)
    throw serverError(
      'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
    );
  const bytes: Data | undefined = input ?? older;
  return bytes === undefined ? request : { ...request, data: bytes };
};

/** @throws {JsonRpcError} for a request that was made for another chain. */
export function checkChain({ chainId }: CallRequest, own: bigint): void {
  if (chainId !== undefined && chainId !== own)
    throw invalidParams(`chainId does not match node's (have=${chainId}, want=${own})`);
}

const slots = mapOf(hash, hash, MAX_SLOTS_LISTED);

const accountOverride: Parse<AccountOverride> = objectOf({
  balance: quantity,
  nonce: quantity64,
  code: data,
  state: slots,
  stateDiff: slots,
  movePrecompileToAddress: address,
});

export const stateOverrides: Parse<StateOverrides> = mapOf(address, accountOverride, MAX_OVERRIDDEN);

export const blockOverrides: Parse<BlockOverrides> = objectOf({
  number: quantity64,
  time: quantity64,
  gasLimit: quantity64,
  feeRecipient: address,
  prevRandao: hash,
  baseFeePerGas: quantity,
  blobBaseFee: quantity,
  difficulty: quantity,
});
