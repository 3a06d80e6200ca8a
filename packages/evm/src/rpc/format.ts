import type { FoundLog, StoredBlock } from '../chain/chain.ts';
import type { AccountProof } from '../state/state.ts';
import type { Address, Hash, Header, Withdrawal } from '../types.ts';
import { transactionJson } from './format-transaction.ts';
import { dataOf, quantity } from './hex.ts';

/** A header as `eth_subscribe` and `eth_getHeaderBy…` show it. Members of forks that it does not have are absent. */
export function headerJson(hash: Hash, header: Header): Record<string, unknown> {
  const json: Record<string, unknown> = {
    number: quantity(header.number),
    hash,
    parentHash: header.parentHash,
    nonce: header.nonce,
    mixHash: header.mixHash,
    sha3Uncles: header.uncleHash,
    logsBloom: header.logsBloom,
    stateRoot: header.stateRoot,
    miner: header.coinbase,
    difficulty: quantity(header.difficulty),
    extraData: header.extraData,
    gasLimit: quantity(header.gasLimit),
    gasUsed: quantity(header.gasUsed),
    timestamp: quantity(header.timestamp),
    transactionsRoot: header.transactionsRoot,
    receiptsRoot: header.receiptsRoot,
  };
  if (header.baseFeePerGas !== undefined) json.baseFeePerGas = quantity(header.baseFeePerGas);
  if (header.withdrawalsRoot !== undefined) json.withdrawalsRoot = header.withdrawalsRoot;
  if (header.blobGasUsed !== undefined) json.blobGasUsed = quantity(header.blobGasUsed);
  if (header.excessBlobGas !== undefined) json.excessBlobGas = quantity(header.excessBlobGas);
  if (header.parentBeaconBlockRoot !== undefined) json.parentBeaconBlockRoot = header.parentBeaconBlockRoot;
  if (header.requestsHash !== undefined) json.requestsHash = header.requestsHash;
  return json;
}

/** @param full Whole transactions; otherwise their hashes. */
export function blockJson(block: StoredBlock, full: boolean): Record<string, unknown> {
  const { hash, header } = block;
  const json = headerJson(hash, header);
  json.size = quantity(block.size);
  json.transactions = full
    ? block.transactions.map((transaction, index) => transactionJson(transaction, { hash, header, index }))
    : block.transactions.map((transaction) => transaction.hash);
  json.uncles = [];
  if (header.withdrawalsRoot !== undefined) json.withdrawals = block.withdrawals.map(withdrawalJson);
  return json;
}

export function withdrawalJson(withdrawal: Withdrawal): Record<string, unknown> {
  return {
    index: quantity(withdrawal.index),
    validatorIndex: quantity(withdrawal.validatorIndex),
    address: withdrawal.address,
    amount: quantity(withdrawal.amount),
  };
}

export function logJson(found: FoundLog): Record<string, unknown> {
  return {
    address: found.log.address,
    topics: found.log.topics,
    data: found.log.data,
    blockNumber: quantity(found.block),
    transactionHash: found.transaction,
    transactionIndex: quantity(found.transactionIndex),
    blockHash: found.blockHash,
    blockTimestamp: quantity(found.timestamp),
    logIndex: quantity(found.logIndex),
    removed: false,
  };
}

/** @param keys The slots as the caller wrote them, which is how they are answered. */
export function proofJson(
  address: Address,
  proof: AccountProof,
  keys: readonly string[],
  absent: { readonly codeHash: Hash; readonly storageRoot: Hash },
): Record<string, unknown> {
  const { account } = proof;
  return {
    address,
    accountProof: proof.nodes.map(dataOf),
    balance: quantity(account?.balance ?? 0n),
    codeHash: account?.codeHash ?? absent.codeHash,
    nonce: quantity(account?.nonce ?? 0n),
    storageHash: account?.storageRoot ?? absent.storageRoot,
    storageProof: proof.storage.map(({ slot, value, nodes }, position) => ({
      key: keys[position] ?? slot,
      value: quantity(value),
      proof: nodes.map(dataOf),
    })),
  };
}
