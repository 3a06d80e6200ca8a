import type { AccountProof } from '@switchyard/evm-machine/state';
import type { Address, Hash, Header, Withdrawal } from '@switchyard/evm-machine/types';
import { bytesToHex, quantity, ZERO_HASH } from '@switchyard/protocol/ethereum';
import { blobBaseFee } from '../blocks/blob-fees.ts';
import { sizeOfBlock } from '../blocks/block.ts';
import { computeBloom, EMPTY_BLOOM } from '../blocks/bloom.ts';
import { hashHeader, LATER_FIELDS } from '../blocks/header.ts';
import type { FoundLog, StoredBlock, StoredReceipt } from '../chain/chain.ts';
import { findRecipient, getBlobs, transactionJson } from './format-transaction.ts';

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
  for (const name of LATER_FIELDS) {
    const value = header[name];
    if (value !== undefined) json[name] = typeof value === 'bigint' ? quantity(value) : value;
  }
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
  json.uncles = (block.uncles ?? []).map(hashHeader);
  if (header.withdrawalsRoot !== undefined) json.withdrawals = block.withdrawals.map(withdrawalJson);
  return json;
}

/** An uncle: a block of which only the header is known. */
export function uncleJson(header: Header): Record<string, unknown> {
  return { ...headerJson(hashHeader(header), header), size: quantity(sizeOfBlock(header, [], [])), uncles: [] };
}

export function withdrawalJson(withdrawal: Withdrawal): Record<string, unknown> {
  return {
    index: quantity(withdrawal.index),
    validatorIndex: quantity(withdrawal.validatorIndex),
    address: withdrawal.address,
    amount: quantity(withdrawal.amount),
  };
}

/** The receipt at a position of a block, as `eth_getTransactionReceipt` answers it; undefined if there is none. */
export function receiptJson(block: StoredBlock, receipts: readonly StoredReceipt[], index: number) {
  let logsBefore = 0;
  for (let before = 0; before < index; before += 1) logsBefore += receipts[before]?.logs.length ?? 0;
  return receiptAt(block, receipts, index, logsBefore);
}

export function receiptsJson(block: StoredBlock, receipts: readonly StoredReceipt[]): Record<string, unknown>[] {
  let logsBefore = 0;
  return receipts.flatMap(({ logs }, index) => {
    const json = receiptAt(block, receipts, index, logsBefore);
    logsBefore += logs.length;
    return json === undefined ? [] : [json];
  });
}

function receiptAt(
  { hash, header, transactions }: StoredBlock,
  receipts: readonly StoredReceipt[],
  index: number,
  logsBefore: number,
): Record<string, unknown> | undefined {
  const receipt = receipts[index];
  const transaction = transactions[index];
  if (receipt === undefined || transaction === undefined) return undefined;
  const place = {
    block: header.number,
    blockHash: hash,
    timestamp: header.timestamp,
    transaction: transaction.hash,
    transactionIndex: index,
  };
  const json: Record<string, unknown> = {
    blockHash: hash,
    blockNumber: quantity(header.number),
    transactionHash: transaction.hash,
    transactionIndex: quantity(index),
    from: transaction.from,
    to: findRecipient(transaction.raw) ?? null,
    gasUsed: quantity(receipt.gasUsed),
    cumulativeGasUsed: quantity(receipt.cumulativeGasUsed),
    contractAddress: receipt.contractAddress ?? null,
    logs: receipt.logs.map((log, position) => logJson({ ...place, log, logIndex: logsBefore + position })),
    logsBloom: bytesToHex(receipt.logs.length === 0 ? EMPTY_BLOOM : computeBloom(receipt.logs)),
    type: quantity(receipt.type),
    effectiveGasPrice: quantity(receipt.effectiveGasPrice),
    ...(receipt.stateRoot === undefined ? { status: quantity(receipt.status) } : { root: receipt.stateRoot }),
  };
  if (receipt.type === BLOB_TYPE) {
    json.blobGasUsed = quantity(BLOB_GAS * BigInt(getBlobs(transaction.raw)));
    json.blobGasPrice = quantity(blobBaseFee(header));
  }
  return json;
}

/** EIP-4844, only in chains that were imported: gas of one blob. */
const BLOB_TYPE = 3;
const BLOB_GAS = 131_072n;

export function logJson(found: FoundLog): Record<string, unknown> {
  return {
    address: found.log.address,
    topics: found.log.topics,
    data: bytesToHex(found.log.data),
    blockNumber: quantity(found.block),
    transactionHash: found.transaction,
    transactionIndex: quantity(found.transactionIndex),
    blockHash: found.blockHash,
    blockTimestamp: quantity(found.timestamp),
    logIndex: quantity(found.logIndex),
    removed: false,
  };
}

/** A log whose block was taken back. */
export function removedLogJson(found: FoundLog): Record<string, unknown> {
  return { ...logJson(found), removed: true };
}

/** EIP-1186; of a missing account, as in go-ethereum. @param keys The slots under their names in the answer. */
export function proofJson(address: Address, { account, nodes, storage }: AccountProof, keys: readonly string[]) {
  return {
    address,
    accountProof: nodes.map(bytesToHex),
    balance: quantity(account?.balance ?? 0n),
    codeHash: account?.codeHash ?? ZERO_HASH,
    nonce: quantity(account?.nonce ?? 0n),
    storageHash: account?.storageRoot ?? ZERO_HASH,
    storageProof: storage.map(({ slot, value, nodes: proof }, position) => ({
      key: keys[position] ?? slot,
      value: quantity(value),
      proof: proof.map(bytesToHex),
    })),
  };
}
