/** The gRPC of a consensus node over the chain of the local layer: the calls by which blobs are paid for. */

import { create } from '@bufbuild/protobuf';
import { anyPack } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect';
import { fromHex, Rejected, type TxHash, txHashFromBytes, txHashOf } from '@switchyard/protocol';
import { decodeBlobTx, formatCelestiaAddress, parseCelestiaAddress } from '@switchyard/protocol/celestia';
import { formatGasPrice } from '../celestia/gas-price.ts';
import { Query as BlobQuery } from '../gen/celestia/blob/v1/query_pb.ts';
import { GasEstimator } from '../gen/celestia/core/v1/gas_estimation/gas_estimator_pb.ts';
import { Tx } from '../gen/celestia/core/v1/tx/tx_pb.ts';
import { Query as AuthQuery, BaseAccountSchema } from '../gen/cosmos/auth/v1beta1/query_pb.ts';
import { Query as BankQuery } from '../gen/cosmos/bank/v1beta1/query_pb.ts';
import { Service as NodeService } from '../gen/cosmos/base/node/v1beta1/query_pb.ts';
import { Service as ChainService } from '../gen/cosmos/base/tendermint/v1beta1/query_pb.ts';
import { Service as TxService } from '../gen/cosmos/tx/v1beta1/service_pb.ts';
import type { LocalChain } from './chain.ts';
import { BlobRefusal, GAS_PER_BLOB_BYTE, TX_SIZE_COST_PER_BYTE } from './check.ts';
import { MAX_SQUARE_SIZE } from './make-block.ts';

export const SERVICES = [
  ...[ChainService, NodeService, AuthQuery, BankQuery],
  ...[BlobQuery, GasEstimator, TxService, Tx],
];

export function consensusRoutes(router: ConnectRouter, chain: LocalChain): void {
  const price = () => Number(formatGasPrice(chain.minimumGasPrice));
  router.service(ChainService, {
    getNodeInfo: () => ({ defaultNodeInfo: { network: chain.chainId } }),
  });
  router.service(NodeService, {
    config: () => ({ minimumGasPrice: `${formatGasPrice(chain.minimumGasPrice)}utia` }),
    status: () => ({ earliestStoreHeight: 1n, height: chain.head }),
  });
  router.service(AuthQuery, {
    account({ address }) {
      const id = parseCelestiaAddress(address);
      const account = chain.accounts.get(id);
      if (account === undefined) throw new ConnectError(`account ${address} not found`, Code.NotFound);
      const { number: accountNumber, sequence } = account;
      const base = create(BaseAccountSchema, { address: formatCelestiaAddress(id), accountNumber, sequence });
      return { account: { ...anyPack(BaseAccountSchema, base), typeUrl: '/cosmos.auth.v1beta1.BaseAccount' } };
    },
    params: () => ({
      params: { maxMemoCharacters: 256n, txSigLimit: 7n, txSizeCostPerByte: TX_SIZE_COST_PER_BYTE },
    }),
  });
  router.service(BankQuery, {
    balance({ address, denom }) {
      const held = denom === 'utia' ? chain.accounts.get(parseCelestiaAddress(address))?.balance : undefined;
      return { balance: { denom, amount: String(held ?? 0n) } };
    },
  });
  router.service(BlobQuery, {
    params: () => ({ params: { gasPerBlobByte: GAS_PER_BLOB_BYTE, govMaxSquareSize: BigInt(MAX_SQUARE_SIZE) } }),
  });
  router.service(GasEstimator, {
    estimateGasPrice: () => ({ estimatedGasPrice: price() }),
    estimateGasPriceAndUsage: ({ txBytes }) => ({
      estimatedGasPrice: price(),
      estimatedGasUsed: BigInt(GAS_PER_BLOB_BYTE) * BigInt(txBytes.length),
    }),
  });
  router.service(TxService, {
    broadcastTx: ({ txBytes }) => ({ txResponse: broadcast(chain, txBytes) }),
    getTx({ hash }) {
      const status = chain.getStatus(idIn(hash));
      if (status.status !== 'COMMITTED') throw new ConnectError(`tx not found: ${hash}`, Code.NotFound);
      return { txResponse: { height: status.height, txhash: hash.toUpperCase() } };
    },
  });
  router.service(Tx, {
    txStatus({ txId }) {
      const found = chain.getStatus(idIn(txId));
      switch (found.status) {
        case 'COMMITTED':
          return { status: found.status, height: found.height };
        case 'REJECTED':
          return {
            status: found.status,
            executionCode: found.refusal.code,
            error: found.refusal.text,
            codespace: 'sdk',
          };
        case 'PENDING':
        case 'UNKNOWN':
          return { status: found.status };
      }
    },
  });
}

function broadcast(chain: LocalChain, bytes: Uint8Array) {
  try {
    const answer = chain.add(bytes);
    if ('id' in answer) return { txhash: answer.id.toUpperCase() };
    const id = findId(bytes);
    if (id !== undefined) chain.refuse(id, answer);
    return { txhash: (id ?? '').toUpperCase(), codespace: 'sdk', code: answer.code, rawLog: answer.text };
  } catch (error) {
    if (error instanceof BlobRefusal) throw new ConnectError(error.message, Code.Unknown);
    if (error instanceof Rejected && error.reason === 'already-present') {
      throw new ConnectError('tx already exists in mempool', Code.Unknown);
    }
    throw error;
  }
}

/** Transaction hash of any sent bytes; undefined if it is no BlobTx. */
function findId(bytes: Uint8Array): TxHash | undefined {
  try {
    return txHashOf(decodeBlobTx(bytes).payment);
  } catch (error) {
    if (error instanceof Rejected) return undefined;
    throw error;
  }
}

function idIn(text: string): TxHash {
  if (!/^[0-9A-Fa-f]{64}$/.test(text))
    throw new ConnectError('a transaction id has 64 hex digits', Code.InvalidArgument);
  return txHashFromBytes(fromHex(text.toLowerCase()));
}
