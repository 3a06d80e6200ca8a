import type { Authorization, Data, Hash } from '@switchyard/evm-machine/types';
import { quantity as toQuantity } from '@switchyard/protocol/ethereum';
import { list, optional, type Read } from '@switchyard/service/input';
import { invalidParams, serverError } from '../json/errors.ts';
import { address, data, getObject, hash, mapOf, quantity, quantity64 } from '../json/params.ts';
import type { AccessListItem } from '../transactions/transaction.ts';

/** Bounds on the parameters of one call. */
const MAX_LISTED = 10_000;
const MAX_SLOTS_LISTED = 100_000;
const MAX_OVERRIDDEN = 10_000;
const MAX_BLOBS = 100;

const storageKeys = list(hash, MAX_SLOTS_LISTED);

const accessListItem: Read<AccessListItem> = (input) => {
  return { address: address(input.at('address')), storageKeys: optional(storageKeys, [])(input.at('storageKeys')) };
};

const signed = getObject({
  chainId: quantity,
  nonce: quantity64,
  yParity: quantity,
  v: quantity,
  r: quantity,
  s: quantity,
});

const authorization: Read<Authorization> = (input) => {
  const { chainId = 0n, nonce = 0n, yParity, v = 0n, r = 0n, s = 0n } = signed(input);
  const word = (number: bigint): Hash => `0x${number.toString(16).padStart(64, '0')}`;
  return { chainId, address: address(input.at('address')), nonce, yParity: yParity ?? v, r: word(r), s: word(s) };
};

const fields = getObject({
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
  accessList: list(accessListItem, MAX_LISTED),
  authorizationList: list(authorization, MAX_LISTED),
  blobVersionedHashes: list(hash, MAX_BLOBS),
  chainId: quantity,
});

/** A call as JSON-RPC describes it; undefined members take the default of `eth_call`. */
export type CallRequest = Omit<ReturnType<typeof fields>, 'input'>;

/** A transaction as `eth_call` and its relatives take it. The older name of `input` is `data`. */
export const callRequest: Read<CallRequest> = (parameter) => {
  const { input, data: older, ...request } = fields(parameter);
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

const accountOverride = getObject({
  balance: quantity,
  nonce: quantity64,
  code: data,
  /** All of its storage. */
  state: slots,
  /** These slots of it. */
  stateDiff: slots,
  /** New address of the precompiled contract of this address. */
  movePrecompileToAddress: address,
});

export const stateOverrides = mapOf(address, accountOverride, MAX_OVERRIDDEN);
/** Replaces parts of the state for one call, as geth has it; parts that are undefined stay. */
export type StateOverrides = ReturnType<typeof stateOverrides>;

export const blockOverrides = getObject({
  number: quantity64,
  time: quantity64,
  gasLimit: quantity64,
  feeRecipient: address,
  prevRandao: hash,
  baseFeePerGas: quantity,
  blobBaseFee: quantity,
  difficulty: quantity,
});
export type BlockOverrides = ReturnType<typeof blockOverrides>;

/** A request as a client would write it. */
export function callRequestJson(request: CallRequest): object {
  return JSON.parse(
    JSON.stringify(request, (_, value: unknown) => (typeof value === 'bigint' ? toQuantity(value) : value)),
  );
}
