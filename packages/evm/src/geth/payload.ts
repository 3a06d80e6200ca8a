import { hashOfAccessList } from '@switchyard/evm-machine/access-lists';
import { type Fork, includes } from '@switchyard/evm-machine/fork';
import type { Address, Data, Hash, Header, Withdrawal } from '@switchyard/evm-machine/types';
import { bytesToHex, hexToBytes, quantity, ZERO_HASH } from '@switchyard/protocol/ethereum';
import { hexData, type Input, InvalidData, list, mapped, optional } from '@switchyard/service/input';
import { withdrawalsRoot } from '../blocks/block.ts';
import { hashHeader, toHeader } from '../blocks/header.ts';
import { orderedRoot } from '../blocks/ordered-root.ts';
import { requestsHash } from '../blocks/requests.ts';
import { withdrawalJson } from '../json/format.ts';
import { data, hash as hash32, quantity as number } from './response.ts';

/** A block without receipts, as the Engine API exchanges it, and the hash that its header has. */
export interface Payload {
  readonly hash: Hash;
  readonly header: Header;
  /** EIP-2718 bytes. */
  readonly transactions: readonly Uint8Array[];
  readonly withdrawals: readonly Withdrawal[];
  /** EIP-7685, each with its type before it; none before Prague. */
  readonly requests: readonly Uint8Array[];
  /** In RLP (EIP-7928); undefined before Amsterdam. */
  readonly accessList?: Uint8Array | undefined;
}

/** Properties that decide about a block besides its transactions. */
export interface PayloadAttributes {
  /** Fork of the block. */
  readonly fork: Fork;
  /** Seconds. */
  readonly timestamp: bigint;
  readonly feeRecipient: Address;
  readonly withdrawals: readonly Withdrawal[];
  readonly parentBeaconBlockRoot: Hash;
  readonly extraData: Data;
  readonly gasLimit: bigint;
  /** EIP-7843, from Amsterdam on. */
  readonly slotNumber?: bigint | undefined;
}

/** `PayloadAttributesV3`, and `V4` from Amsterdam on. */
export function attributesToJson(attributes: PayloadAttributes) {
  const { fork, timestamp, feeRecipient, withdrawals, parentBeaconBlockRoot, slotNumber = 0n, gasLimit } = attributes;
  return {
    timestamp: quantity(timestamp),
    prevRandao: ZERO_HASH,
    suggestedFeeRecipient: feeRecipient,
    withdrawals: withdrawals.map(withdrawalJson),
    parentBeaconBlockRoot,
    ...(includes(fork, 'amsterdam') ? { slotNumber: quantity(slotNumber), targetGasLimit: quantity(gasLimit) } : {}),
  };
}

/**
 * The payload of an answer that was built from these transactions, with the two roots that a payload does not carry, so that its
 * hash is our own finding.
 *
 * @throws {InvalidData} also if the hash or anything besides the transactions differs from the request.
 */
export function payloadFromJson(built: Input, wanted: PayloadAttributes & { transactions: readonly Uint8Array[] }) {
  const json = built.at('executionPayload');
  const isPrague = includes(wanted.fork, 'prague');
  const requests = isPrague ? optional(list(mapped(data, hexToBytes)), [])(built.at('executionRequests')) : [];
  const isAmsterdam = includes(wanted.fork, 'amsterdam');
  const accessList = isAmsterdam ? hexToBytes(data(json.at('blockAccessList'))) : undefined;
  const { fork, timestamp, extraData, parentBeaconBlockRoot, slotNumber = 0n } = wanted;
  const header = toHeader(fork, {
    ...{ timestamp, extraData, parentBeaconBlockRoot, slotNumber },
    coinbase: wanted.feeRecipient,
    parentHash: hash32(json.at('parentHash')),
    stateRoot: hash32(json.at('stateRoot')),
    transactionsRoot: orderedRoot(wanted.transactions),
    receiptsRoot: hash32(json.at('receiptsRoot')),
    logsBloom: bloom(json.at('logsBloom')),
    number: number(json.at('blockNumber')),
    gasLimit: number(json.at('gasLimit')),
    gasUsed: number(json.at('gasUsed')),
    baseFeePerGas: number(json.at('baseFeePerGas')),
    withdrawalsRoot: withdrawalsRoot(wanted.withdrawals),
    requestsHash: requestsHash(requests),
    blockAccessListHash: accessList && hashOfAccessList(accessList),
  });
  const hash = hashHeader(header);
  const claimed = hash32(json.at('blockHash'));
  if (hash !== claimed)
    throw new InvalidData(
      `block ${header.number} has hash ${claimed}, expected ${hash}: it is not the requested block`,
    );
  return { hash, header, transactions: wanted.transactions, withdrawals: wanted.withdrawals, requests, accessList };
}

/** For `engine_newPayloadV3` to `V5`. */
export function payloadToJson({ hash, header, transactions, withdrawals, accessList }: Omit<Payload, 'requests'>) {
  return {
    parentHash: header.parentHash,
    feeRecipient: header.coinbase,
    stateRoot: header.stateRoot,
    receiptsRoot: header.receiptsRoot,
    logsBloom: header.logsBloom,
    prevRandao: header.mixHash,
    blockNumber: quantity(header.number),
    gasLimit: quantity(header.gasLimit),
    gasUsed: quantity(header.gasUsed),
    timestamp: quantity(header.timestamp),
    extraData: header.extraData,
    baseFeePerGas: quantity(header.baseFeePerGas ?? 0n),
    blockHash: hash,
    transactions: transactions.map(bytesToHex),
    withdrawals: withdrawals.map(withdrawalJson),
    blobGasUsed: quantity(header.blobGasUsed ?? 0n),
    excessBlobGas: quantity(header.excessBlobGas ?? 0n),
    ...(accessList === undefined
      ? {}
      : { blockAccessList: bytesToHex(accessList), slotNumber: quantity(header.slotNumber ?? 0n) }),
  };
}

const bloom = hexData(256);
