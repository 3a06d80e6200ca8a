import type { Address } from '@switchyard/evm-machine/types';
import { quantity as asQuantity, hexToBytes } from '@switchyard/protocol/ethereum';
import { Input, list, type Read } from '@switchyard/service/input';
import { invalidParams } from '../json/errors.ts';
import { address, data, getObject, quantity64, readParams } from '../json/params.ts';
import type { RpcMethods } from '../rpc/deps.ts';
import type { Activity } from './activity/activity.ts';
import type { StandaloneNode } from './node.ts';

export interface ReorgMethodsDeps {
  readonly node: StandaloneNode;
  readonly activity: Activity;
  readonly accounts: readonly Address[];
  /** Answers as `eth_signTransaction` does, for impersonated senders too. */
  readonly sign: NonNullable<RpcMethods[string]>;
}

type Request = Readonly<Record<string, unknown>>;

/** A transaction, signed or to be signed, and the new block that gets it: they count from 0. */
interface Pair {
  readonly transaction: Uint8Array | Request;
  readonly block: number;
}

const MAX_PAIRS = 10_000;

/** `reorg` and `rollback`: blocks at the end of the chain are replaced, or gone. */
export function reorgMethods({ node, activity, accounts, sign }: ReorgMethodsDeps): RpcMethods {
  return {
    rollback(params) {
      const [depth = 1n] = readParams(params, [], [quantity64]);
      return node.exclusive(async () => {
        await node.rollback(depth);
        activity.blocks({ depth, latest: node.latest.number }, 'blocks taken back');
        return null;
      });
    },

    reorg(params, context, id) {
      const { depth, pairs } = reorgOptions(params);
      const beyond = pairs.find(({ block }) => BigInt(block) >= depth);
      if (beyond !== undefined)
        throw invalidParams(`block ${beyond.block} of a transaction: expected less than the depth, which is ${depth}`);
      const signed = async (request: Request, before: readonly Address[]): Promise<readonly [Address, Uint8Array]> => {
        const { from = accounts[0] } = sender(new Input(request, 'transaction'));
        if (from === undefined) throw invalidParams('expected a transaction with a sender: member from');
        const nonce = node.getNonce(from) + BigInt(before.filter((each) => each === from).length);
        const answer = await sign([{ nonce: asQuantity(nonce), ...request, from }], context, id);
        return [from, hexToBytes(signedTransaction(new Input(answer, '')).raw ?? '0x')];
      };
      return node.exclusive(async () => {
        await node.reorg(depth, async (index) => {
          const raws: Uint8Array[] = [];
          const senders: Address[] = [];
          for (const { transaction } of pairs.filter(({ block }) => block === index)) {
            if (transaction instanceof Uint8Array) raws.push(transaction);
            else {
              const [from, raw] = await signed(transaction, senders);
              raws.push(raw);
              senders.push(from);
            }
          }
          return raws;
        });
        activity.blocks({ depth, latest: node.latest.number }, 'blocks replaced');
        return null;
      });
    },
  };
}

const sender = getObject({ from: address });
const signedTransaction = getObject({ raw: data });

const pair: Read<Pair> = (input) => {
  const [transaction, block, ...more] = input.list(2);
  if (transaction === undefined || block === undefined || more.length > 0)
    return input.fail('a transaction and the new block that gets it');
  const given = transaction.isObject ? transaction.object() : hexToBytes(data(transaction));
  return { transaction: given, block: Number(quantity64(block)) };
};

const getPairs = list(pair, MAX_PAIRS);
const named = getObject({ depth: quantity64, tx_block_pairs: getPairs });

/** Depth and pairs in this order, or named in an object, as clients in Rust send it. */
function reorgOptions(params: unknown): { readonly depth: bigint; readonly pairs: readonly Pair[] } {
  const isNamed = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  const [first] = Array.isArray(params) ? params : [params];
  if (!isNamed(first)) {
    const [depth, pairs = []] = readParams(params, [quantity64], [getPairs]);
    return { depth, pairs };
  }
  const [{ depth, tx_block_pairs: pairs = [] }] = readParams([first], [named]);
  if (depth === undefined) throw invalidParams('missing depth');
  return { depth, pairs };
}
