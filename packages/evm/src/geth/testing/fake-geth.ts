import { recoverSender } from '@switchyard/evm-machine/recover';
import type { Address, Data, Hash, Header } from '@switchyard/evm-machine/types';
import { bytesToHex, hexToBytes, keccakHex, ZERO_ADDRESS, ZERO_HASH } from '@switchyard/protocol/ethereum';
import { JsonRpcError } from '@switchyard/service';
import { Input } from '@switchyard/service/input';
import { withdrawalsRoot } from '../../blocks/block.ts';
import { EMPTY_UNCLES, hashHeader } from '../../blocks/header.ts';
import { orderedRoot } from '../../blocks/ordered-root.ts';
import { encodeReceipt } from '../../blocks/receipt.ts';
import { forkConfig } from '../../rpc/fork-config.ts';
import { CANCUN_FROM_GENESIS } from '../../rules/forks.ts';
import { leastGas, nextBaseFee } from '../../rules/rules.ts';
import { decodeTransaction } from '../../transactions/transaction.ts';
import { type Link, LinkLost } from '../link.ts';
import { type Payload, payloadToJson } from '../payload.ts';
import * as read from '../response.ts';

interface KnownBlock extends Payload {
  readonly nonces: ReadonlyMap<Address, bigint>;
  readonly receipts: readonly Data[];
}

/**
 * A geth that answers like the real one as far as a driver can tell, and whose EVM knows plain transfers alone: nonces
 * count, money does not run out, and the state root is a hash of the changes.
 */
export class FakeGeth implements Link {
  readonly target = '/fake/geth.ipc';
  version = 'Geth/v1.17.8-stable/linux-amd64/go1.26.8';
  /** Gas limit of its blocks, as set by `--miner.gaslimit`. */
  gasLimit: bigint;
  isAway = false;
  /** Answers `engine_newPayloadV3` with INVALID. */
  refusesBlocks = false;
  /** Answers `engine_newPayloadV3` of blocks that it does not have with SYNCING, until it is started again. */
  waitsForPeers = false;
  /** Refuses to build anything with transactions. */
  refusesToBuild = false;
  readonly calls: string[] = [];
  readonly #genesis: { readonly hash: Hash; readonly header: Header };
  readonly #known = new Map<Hash, KnownBlock>();
  #canonical: Hash[];
  #finalized = 0;

  constructor(genesis: { readonly hash: Hash; readonly header: Header }) {
    this.gasLimit = genesis.header.gasLimit;
    const first = { ...genesis, transactions: [], withdrawals: [], requests: [], nonces: new Map(), receipts: [] };
    this.#genesis = genesis;
    this.#known.set(genesis.hash, first);
    this.#canonical = [genesis.hash];
  }

  get head(): Payload {
    return this.#at(this.#canonical.length - 1);
  }

  get finalized(): number {
    return this.#finalized;
  }

  /** Has the effect of a kill: everything above this block is gone. */
  lose(number: number): void {
    for (const hash of this.#canonical.splice(number + 1)) this.#known.delete(hash);
    this.#finalized = Math.min(this.#finalized, number);
  }

  async call(method: string, params: readonly unknown[]): Promise<unknown> {
    await Promise.resolve();
    if (this.isAway) throw new LinkLost('the connection to /fake/geth.ipc was lost');
    this.calls.push(method);
    switch (method) {
      case 'web3_clientVersion':
        return this.version;
      case 'eth_config':
        return forkConfig(CANCUN_FROM_GENESIS, {
          chainId: 1337n,
          genesisHash: this.#genesis.hash,
          genesisTime: this.#genesis.header.timestamp,
          time: this.head.header.timestamp,
        });
      case 'eth_chainId':
        return '0x539';
      case 'eth_getBlockByNumber':
        return this.#block(params[0]);
      case 'eth_getTransactionCount':
        return hex(this.#after(params[1]).nonces.get(read.address(new Input(params[0], 'address'))) ?? 0n);
      case 'eth_getBalance':
        return hex(10n ** 24n);
      case 'eth_getCode':
        return '0x';
      case 'testing_buildBlockV1':
        return this.#build(params);
      case 'engine_newPayloadV3':
        return this.#newPayload(params);
      case 'engine_forkchoiceUpdatedV3':
        return this.#forkchoice(new Input(params[0], 'state'));
      case 'debug_getRawReceipts':
        return this.#known.get(read.hash(new Input(params[0], 'block')))?.receipts ?? [];
      case 'debug_setHead':
        this.lose(Number(read.quantity(new Input(params[0], 'number'))));
        return null;
      default:
        throw new JsonRpcError(-32_601, `the method ${method} does not exist/is not available`);
    }
  }

  close(): void {
    this.isAway = true;
  }

  #at(number: number): KnownBlock {
    const block = this.#known.get(this.#canonical[number] ?? ZERO_HASH);
    if (block === undefined) throw new Error(`no block ${number}`);
    return block;
  }

  #block(name: unknown): object | null {
    const number = name === 'latest' ? this.#canonical.length - 1 : Number(read.quantity(new Input(name, 'number')));
    if (number >= this.#canonical.length) return null;
    const { hash, header } = this.#at(number);
    return { number: hex(header.number), hash, timestamp: hex(header.timestamp) };
  }

  #after(reference: unknown): KnownBlock {
    const block = this.#known.get(read.hash(new Input(reference, 'block').at('blockHash')));
    if (block === undefined) throw new JsonRpcError(-32_000, 'header for hash not found');
    return block;
  }

  #build([parentHash, attributes, list, extraData]: readonly unknown[]): object {
    const parent = this.#known.get(read.hash(new Input(parentHash, 'parent')));
    if (parent === undefined || parent.hash !== this.head.hash)
      throw new JsonRpcError(-32_000, 'parentHash is not current head');
    const wanted = new Input(attributes, 'attributes');
    const raws = new Input(list, 'transactions').list().map((each) => hexToBytes(read.data(each)));
    if (this.refusesToBuild && raws.length > 0) throw new JsonRpcError(-32_000, 'gas limit reached');
    const withdrawals = wanted
      .at('withdrawals')
      .list()
      .map((each) => ({
        index: read.quantity(each.at('index')),
        validatorIndex: 0n,
        address: read.address(each.at('address')),
        amount: read.quantity(each.at('amount')),
      }));
    const nonces = new Map(parent.nonces);
    let gasUsed = 0n;
    const receipts = raws.map((raw) => {
      const tx = decodeTransaction(raw);
      const from = recoverSender(tx.signature) ?? ZERO_ADDRESS;
      const next = nonces.get(from) ?? 0n;
      if (tx.nonce !== next)
        throw new JsonRpcError(-32_000, `nonce too high: address ${from}, tx: ${tx.nonce} state: ${next}`);
      nonces.set(from, next + 1n);
      gasUsed += leastGas(tx, 'osaka', undefined).intrinsic;
      return encodeReceipt({
        ...{ type: tx.type, status: 1, gasUsed: 0n, cumulativeGasUsed: gasUsed, effectiveGasPrice: 0n },
        ...{ contractAddress: undefined, logs: [] },
      }).bytes;
    });
    const beacon = read.hash(wanted.at('parentBeaconBlockRoot'));
    const header: Header = {
      ...parent.header,
      parentHash: parent.hash,
      uncleHash: EMPTY_UNCLES,
      coinbase: read.address(wanted.at('suggestedFeeRecipient')),
      stateRoot: keccakHex(Buffer.concat([hexToBytes(parent.header.stateRoot), hexToBytes(beacon), ...raws])),
      transactionsRoot: orderedRoot(raws),
      receiptsRoot: orderedRoot(receipts),
      number: parent.header.number + 1n,
      gasLimit: this.gasLimit,
      gasUsed,
      timestamp: read.quantity(wanted.at('timestamp')),
      extraData: read.data(new Input(extraData, 'extraData')),
      baseFeePerGas: nextBaseFee(parent.header),
      withdrawalsRoot: withdrawalsRoot(withdrawals),
      parentBeaconBlockRoot: beacon,
    };
    const built = { hash: hashHeader(header), header, transactions: raws, withdrawals };
    this.#built.set(built.hash, { ...built, requests: [], nonces, receipts: receipts.map(bytesToHex) });
    return { executionPayload: payloadToJson(built) };
  }

  readonly #built = new Map<Hash, KnownBlock>();

  #newPayload([payload]: readonly unknown[]): object {
    const json = new Input(payload, 'payload');
    const hash = read.hash(json.at('blockHash'));
    if (this.refusesBlocks) return { status: 'INVALID', validationError: 'invalid merkle root' };
    if (this.#known.has(hash)) return { status: 'VALID' };
    if (this.waitsForPeers || !this.#known.has(read.hash(json.at('parentHash'))))
      return { status: 'SYNCING', validationError: null };
    // Executing it again gives the result of building it.
    const block = this.#built.get(hash);
    if (block === undefined) throw new Error('this fake executes only what it has built');
    this.#known.set(hash, block);
    return { status: 'VALID', latestValidHash: hash, validationError: null };
  }

  #forkchoice(state: Input): object {
    const head = this.#known.get(read.hash(state.at('headBlockHash')));
    const status = (name: string) => ({ payloadStatus: { status: name, validationError: null } });
    if (head === undefined) return status('SYNCING');
    const number = Number(head.header.number);
    const isCanonical = this.#canonical[number] === head.hash;
    if (isCanonical && number < this.#finalized) return status('VALID');
    if (isCanonical && this.#canonical.length - 1 - number > 32) throw new JsonRpcError(-38_006, 'Too deep reorg');
    const chain: Hash[] = [];
    for (let at: KnownBlock | undefined = head; at !== undefined; at = this.#known.get(at.header.parentHash))
      chain.push(at.hash);
    this.#canonical = chain.reverse();
    const finalized = this.#canonical.indexOf(read.hash(state.at('finalizedBlockHash')));
    if (finalized < 0) throw new JsonRpcError(-38_002, 'Invalid forkchoice state');
    this.#finalized = finalized;
    return status('VALID');
  }
}

function hex(value: bigint): Data {
  return `0x${value.toString(16)}`;
}
