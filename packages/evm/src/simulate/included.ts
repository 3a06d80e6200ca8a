import { hexOf, numberOf } from '@switchyard/protocol/ethereum';
import type { IncludedTransaction } from '../chain/chain.ts';
import { type TransactionFields, transactionFields } from '../rpc/format-transaction.ts';
import type { Address } from '../types.ts';
import type { EvmMessage } from './evm-message.ts';

/** A transaction of a block as the message that it was run as. */
export function includedMessage({ from, raw }: IncludedTransaction, baseFee: bigint | undefined): EvmMessage {
  const fields = transactionFields(raw);
  const maxFeePerGas = numberOf(fields.maxFeePerGas ?? fields.gasPrice ?? NONE);
  const maxPriorityFeePerGas = numberOf(fields.maxPriorityFeePerGas ?? fields.gasPrice ?? NONE);
  return {
    from,
    to: fields.to.length === 0 ? undefined : hexOf(fields.to),
    nonce: numberOf(fields.nonce),
    gasLimit: numberOf(fields.gas),
    gasPrice: effectiveGasPrice(maxFeePerGas, maxPriorityFeePerGas, baseFee),
    maxFeePerGas,
    maxPriorityFeePerGas,
    value: numberOf(fields.value),
    data: fields.input,
    accessList: accessList(fields),
    authorizations: authorizations(fields),
    blobs:
      fields.blobVersionedHashes === undefined
        ? undefined
        : {
            hashes: fields.blobVersionedHashes.map((each) => hexOf(bytes(each))),
            maxFeePerGas: numberOf(fields.maxFeePerBlobGas ?? NONE),
          },
  };
}

/** EIP-1559: what a unit of gas costs in a block. Where both fees are the same, that. */
export function effectiveGasPrice(cap: bigint, tip: bigint, baseFee: bigint | undefined): bigint {
  const wanted = (baseFee ?? 0n) + tip;
  return baseFee === undefined || wanted > cap ? cap : wanted;
}

const NONE = new Uint8Array();

type Item = NonNullable<TransactionFields['accessList']>[number];

function accessList({ accessList: items = [] }: TransactionFields): EvmMessage['accessList'] {
  return items.map((entry) => {
    const [address, keys] = list(entry);
    return { address: hexOf(bytes(address)), storageKeys: list(keys).map((key) => hexOf(bytes(key))) };
  });
}

function authorizations({ authorizationList = [] }: TransactionFields): EvmMessage['authorizations'] {
  return authorizationList.map((entry) => {
    const [chainId, address, nonce, yParity, r, s] = list(entry).map(bytes);
    return {
      chainId: numberOf(bytes(chainId)),
      address: addressOf(bytes(address)),
      nonce: numberOf(bytes(nonce)),
      yParity: numberOf(bytes(yParity)),
      r: `0x${hexOf(bytes(r)).slice(2).padStart(64, '0')}`,
      s: `0x${hexOf(bytes(s)).slice(2).padStart(64, '0')}`,
    };
  });
}

function addressOf(value: Uint8Array): Address {
  return hexOf(value);
}

function list(item: Item | undefined): readonly Item[] {
  return Array.isArray(item) ? item : [];
}

function bytes(item: Item | undefined): Uint8Array {
  return item instanceof Uint8Array ? item : NONE;
}
