import type { Hash } from '@switchyard/evm-machine/types';
import { asBytes, asList, bytesToBigInt, bytesToHex, toWord } from '@switchyard/protocol/ethereum';
import type { IncludedTransaction } from '../chain/chain.ts';
import { getAccessList, type TransactionFields, transactionFields } from '../json/format-transaction.ts';
import { effectivePrice } from '../transactions/price.ts';
import type { EvmMessage } from './evm-message.ts';

/** A transaction of a block as the message that it was run as. */
export function includedMessage({ from, raw }: IncludedTransaction, baseFee: bigint | undefined): EvmMessage {
  const fields = transactionFields(raw);
  const maxFeePerGas = bytesToBigInt(fields.maxFeePerGas ?? fields.gasPrice ?? NONE);
  const maxPriorityFeePerGas = bytesToBigInt(fields.maxPriorityFeePerGas ?? fields.gasPrice ?? NONE);
  return {
    from,
    to: fields.to.length === 0 ? undefined : bytesToHex(fields.to),
    nonce: bytesToBigInt(fields.nonce),
    gasLimit: bytesToBigInt(fields.gas),
    gasPrice: effectivePrice({ maxFeePerGas, maxPriorityFeePerGas }, baseFee),
    maxFeePerGas,
    maxPriorityFeePerGas,
    value: bytesToBigInt(fields.value),
    data: fields.input,
    accessList: getAccessList(fields),
    authorizations: authorizations(fields),
    blobHashes: fields.blobVersionedHashes?.map((each) => bytesToHex(asBytes(each))),
    maxFeePerBlobGas: bytesToBigInt(fields.maxFeePerBlobGas ?? NONE),
  };
}

const NONE = new Uint8Array();

function authorizations({ authorizationList = [] }: TransactionFields): EvmMessage['authorizations'] {
  return authorizationList.map((entry) => {
    const [chainId, address, nonce, yParity, r, s] = asList(entry, 6).map((item) => asBytes(item));
    const word = (part: Uint8Array | undefined): Hash => toWord(bytesToBigInt(part ?? NONE));
    return {
      chainId: bytesToBigInt(chainId ?? NONE),
      address: bytesToHex(address ?? NONE),
      nonce: bytesToBigInt(nonce ?? NONE),
      yParity: bytesToBigInt(yParity ?? NONE),
      r: word(r),
      s: word(s),
    };
  });
}
