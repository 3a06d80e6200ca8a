import type { Address, Data, Hash } from '@switchyard/evm-machine/types';
import { bytesToHex, hexToBytes, keccak256 } from '@switchyard/protocol/ethereum';
import { serverError } from '../../json/errors.ts';
import { transactionJson } from '../../json/format-transaction.ts';
import { address, data, readParams } from '../../json/params.ts';
import { callRequest, checkChain } from '../../simulate/call-request.ts';
import type { CallRequest } from '../../simulate/simulator.ts';
import { type RecoverableSignature, signDigest, withSignature } from '../../transactions/sign.ts';
import { completed, type FillDeps } from '../call/fill.ts';
import type { RpcMethods } from '../deps.ts';
import { typedDataDigest } from './typed-data.ts';

/** Signs for the accounts whose keys a node has. */
export interface Keys {
  readonly accounts: readonly Address[];
  /** @returns undefined if there is no key. @param digest 32 bytes. */
  sign(account: Address, digest: Uint8Array): RecoverableSignature | undefined;
}

export interface AccountDeps extends Omit<FillDeps, 'pool'> {
  readonly keys: Keys;
  readonly pool: {
    send(raw: Uint8Array): Promise<Hash>;
    /** Counts sent transactions. */
    pendingNonce(account: Address): Promise<bigint>;
  };
}

/** Keys of 32 bytes by account. */
export function toKeys(accounts: readonly { readonly address: Address; readonly privateKey: Hash }[]): Keys {
  const keys = new Map(accounts.map((each) => [each.address, hexToBytes(each.privateKey)]));
  return {
    accounts: accounts.map((each) => each.address),
    sign(account, digest) {
      const key = keys.get(account);
      return key && signDigest(digest, key);
    },
  };
}

/** Methods that sign with the node's keys. Their transactions take the way of every other transaction. */
export function accountMethods({ chain, keys, pool, simulator }: AccountDeps): RpcMethods {
  const inTurn = turns<Address>();

  const getSignature = (account: Address, digest: Uint8Array): RecoverableSignature =>
    keys.sign(account, digest) ?? unknownAccount(account, keys);

  const signed = async (request: CallRequest): Promise<Uint8Array> => {
    checkChain(request, chain.chainId);
    const { from } = request;
    if (from === undefined) throw serverError('a transaction that this node signs needs a sender: member from');
    // Before anything is estimated for it.
    getSignature(from, new Uint8Array(32).fill(1));
    if (request.blobVersionedHashes !== undefined) throw serverError('this node signs no blob transactions');
    const nonce = request.nonce ?? (await pool.pendingNonce(from));
    const deps = { chain, simulator, pool: { nextNonce: () => nonce } };
    const { raw } = await completed(deps, { ...request, nonce });
    return withSignature(raw, chain.chainId, (digest) => getSignature(from, digest));
  };

  /** EIP-191, version 0x45. */
  const personal = (account: Address, message: Data): Data => {
    const bytes = hexToBytes(message);
    const head = Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`);
    return toText(getSignature(account, keccak256(Buffer.concat([head, bytes]))));
  };
  const typed = (params: unknown): Data => {
    const [account, digest] = readParams(params, [address, typedDataDigest]);
    return toText(getSignature(account, digest));
  };

  return {
    eth_sendTransaction(params) {
      const [request] = readParams(params, [callRequest]);
      // The nonce of the next one is known when this one is in the pool.
      return inTurn(request.from ?? '0x', async () => pool.send(await signed(request)));
    },

    async eth_signTransaction(params) {
      const [request] = readParams(params, [callRequest]);
      const raw = await signed(request);
      const { hash, from, ...tx } = transactionJson(
        { hash: bytesToHex(keccak256(raw)), from: request.from ?? '0x', raw },
        undefined,
      );
      return { raw: bytesToHex(raw), tx: { ...tx, hash, from } };
    },

    eth_sign(params) {
      const [account, message] = readParams(params, [address, data]);
      return personal(account, message);
    },

    personal_sign(params) {
      // A password may follow, which these accounts do not have.
      const [message, account] = readParams(params, [data, address], [() => undefined]);
      return personal(account, message);
    },

    eth_signTypedData: typed,
    eth_signTypedData_v4: typed,
  };
}

function unknownAccount(account: Address, { accounts }: Keys): never {
  throw serverError(`unknown account ${account}: this node has the keys of ${accounts.join(', ')}`);
}

function toText({ signature, recid }: RecoverableSignature): Data {
  const words = signature.map((each) => each.toString(16).padStart(64, '0'));
  return `0x${words.join('')}${(27 + recid).toString(16)}`;
}

/** Runs the work of one key one after the other. */
function turns<K>(): <T>(key: K, work: () => Promise<T>) => Promise<T> {
  const last = new Map<K, Promise<unknown>>();
  return async (key, work) => {
    const before = last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
}
