import type { Hash } from '@switchyard/evm-machine/types';
import { hexOf, listOf, numberOf, stringOf, wordOf } from '@switchyard/protocol/ethereum';
import type { IncludedTransaction } from '../chain/chain.ts';
import { accessListOf, type TransactionFields, transactionFields } from '../rpc/format-transaction.ts';
import { effectivePrice } from '../transactions/price.ts';
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
    gasPrice: effectivePrice({ maxFeePerGas, maxPriorityFeePerGas }, baseFee),
    maxFeePerGas,
    maxPriorityFeePerGas,
    value: numberOf(fields.value),
    data: fields.input,
    accessList: accessListOf(fields),
    authorizations: authorizations(fields),
    blobHashes: fields.blobVersionedHashes?.map((each) => hexOf(stringOf(each))),
    maxFeePerBlobGas: numberOf(fields.maxFeePerBlobGas ?? NONE),
  };
}

const NONE = new Uint8Array();

function authorizations({ authorizationList = [] }: TransactionFields): EvmMessage['authorizations'] {
  return authorizationList.map((entry) => {
    const [chainId, address, nonce, yParity, r, s] = listOf(entry, 6).map((item) => stringOf(item));
    const word = (part: Uint8Array | undefined): Hash => wordOf(numberOf(part ?? NONE));
    return {
      chainId: numberOf(chainId ?? NONE),
      address: hexOf(address ?? NONE),
      nonce: numberOf(nonce ?? NONE),
      yParity: numberOf(yParity ?? NONE),
      r: word(r),
      s: word(s),
    };
  });
}
