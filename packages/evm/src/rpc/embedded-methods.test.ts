import { RPC } from '@switchyard/service';
import { expect, test } from 'vitest';
import { testChain, testRpc } from '../testing.ts';

/**
 * Methods that cast, viem, ethers, MetaMask, faucets, composers, Blockscout and Otterscan call, as measured or read in
 * their sources, and the other methods of the execution API that this node answers.
 */
const METHODS = [
  ...['web3_clientVersion', 'web3_sha3', 'net_version', 'net_listening', 'net_peerCount', 'rpc_modules'],
  ...['eth_chainId', 'eth_blockNumber', 'eth_syncing', 'eth_accounts', 'eth_config', 'eth_capabilities'],
  ...['eth_getBlockByNumber', 'eth_getBlockByHash', 'eth_getBlockReceipts'],
  ...['eth_getHeaderByNumber', 'eth_getHeaderByHash'],
  ...['eth_getBlockTransactionCountByNumber', 'eth_getBlockTransactionCountByHash'],
  ...['eth_getUncleCountByBlockNumber', 'eth_getUncleCountByBlockHash'],
  ...['eth_getUncleByBlockNumberAndIndex', 'eth_getUncleByBlockHashAndIndex'],
  ...['eth_getTransactionByHash', 'eth_getTransactionReceipt', 'eth_getRawTransactionByHash'],
  ...['eth_getTransactionByBlockNumberAndIndex', 'eth_getTransactionByBlockHashAndIndex'],
  ...['eth_getRawTransactionByBlockNumberAndIndex', 'eth_getRawTransactionByBlockHashAndIndex'],
  ...['eth_getTransactionCount', 'eth_getBalance', 'eth_getCode', 'eth_getStorageAt', 'eth_getStorageValues'],
  ...['eth_getProof', 'eth_call', 'eth_estimateGas', 'eth_createAccessList', 'eth_simulateV1', 'eth_fillTransaction'],
  ...['eth_gasPrice', 'eth_maxPriorityFeePerGas', 'eth_feeHistory', 'eth_blobBaseFee', 'eth_baseFee'],
  ...['eth_sendRawTransaction', 'eth_sendRawTransactionSync'],
  ...['eth_getLogs', 'eth_newFilter', 'eth_newBlockFilter', 'eth_newPendingTransactionFilter'],
  ...['eth_getFilterChanges', 'eth_getFilterLogs', 'eth_uninstallFilter'],
  ...['txpool_content', 'txpool_contentFrom', 'txpool_inspect', 'txpool_status'],
  ...['switchyard_transactionStatus', 'switchyard_getRefusals', 'switchyard_getTransactionsByAddress'],
  ...['switchyard_getTransfersByAddress', 'switchyard_getInternalCalls', 'switchyard_getWithdrawalsByAddress'],
  ...['debug_traceTransaction', 'debug_traceBlockByNumber', 'debug_traceBlockByHash', 'debug_traceCall'],
  ...['debug_getRawBlock', 'debug_getRawHeader', 'debug_getRawReceipts', 'debug_getRawTransaction'],
  ...['eth_getBlockAccessList', 'debug_getRawBlockAccessList'],
  ...['trace_block', 'trace_call', 'trace_replayTransaction', 'erigon_getHeaderByNumber', 'ots_getApiLevel'],
  ...['ots_getBlockDetails', 'ots_getBlockDetailsByHash', 'ots_getBlockTransactions'],
  ...['ots_searchTransactionsBefore', 'ots_searchTransactionsAfter', 'ots_getTransactionBySenderAndNonce'],
  ...['ots_getInternalOperations', 'ots_traceTransaction', 'ots_getTransactionError'],
  ...['ots_getContractCreator', 'ots_hasCode'],
];

test.each(METHODS)('%s is there', async (method) => {
  const rpc = testRpc(await chain);
  const code = await rpc(method).then(
    () => undefined,
    (error: { code?: number }) => error.code,
  );
  expect(code).not.toBe(RPC.methodNotFound);
});

/** For subscriptions the answer is that HTTP has none. */
test.each(['eth_subscribe', 'eth_unsubscribe'])('%s is there, over WebSocket', async (method) => {
  await expect(testRpc(await chain)(method, 'newHeads')).rejects.toThrow('notifications not supported');
});

/** Keys, mining, the engine API and block building are not exposed to clients. */
test.each([
  ['engine_newPayloadV3', ''],
  ['testing_buildBlockV1', ''],
  ['admin_peers', ''],
  ['personal_unlockAccount', ''],
  ['miner_start', ''],
  ['eth_sendTransaction', 'this node holds no keys'],
  ['eth_sign', 'this node holds no keys'],
  ['eth_signTransaction', 'this node holds no keys'],
  ['evm_mine', 'only `switchyard evm dev` can change its chain at will'],
  ['anvil_setBalance', 'only `switchyard evm dev` can change its chain at will'],
])('%s is not', async (method, hint) => {
  const text = `the method ${method} does not exist/is not available${hint && `: ${hint}`}`;
  await expect(testRpc(await chain)(method)).rejects.toMatchObject({
    code: RPC.methodNotFound,
    message: expect.stringContaining(text),
  });
});

const chain = testChain();
