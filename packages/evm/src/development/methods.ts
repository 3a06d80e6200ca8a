import { quantity as asQuantity, keccakHex } from '@switchyard/protocol/ethereum';
import { bool, type Read } from '@switchyard/service/input';
import type { RpcContext } from '@switchyard/service/json-rpc';
import type { ChainReader } from '../chain/chain.ts';
import { serverError } from '../json/errors.ts';
import { address, getObject, quantity, quantity64, readParams } from '../json/params.ts';
import { latestHeader } from '../json/resolve.ts';
import type { RpcMethods } from '../rpc/deps.ts';
import { toVersion } from '../rpc/node-methods.ts';
import type { ImpersonatedSenders } from './senders.ts';

/** A chain for tests, whose time, blocks and past are changed at will. */
export interface Development {
  readonly senders: ImpersonatedSenders;
  /** Whether sent transactions get a block automatically. */
  readonly automine: boolean;
  /** Seconds, as the chain has them, and how many of them are not the machine's. */
  readonly now: bigint;
  readonly ahead: bigint;
  /** Runs when all that was to run before has ended. All that follows is called within. */
  exclusive<T>(work: () => T | Promise<T>): Promise<T>;
  /**
   * Resolves when the chain has this many more blocks.
   *
   * @param interval Seconds between them, in place of the usual; 0 turns them off.
   */
  mine(count?: bigint, interval?: bigint): Promise<void>;
  moveTime(seconds: bigint): Promise<void> | void;
  setNextTimestamp(seconds: bigint): void;
  snapshot(): bigint;
  /** @returns false if there is no such snapshot. It and all later ones are gone afterwards. */
  revert(id: bigint, wanted: RpcContext): Promise<boolean> | boolean;
}

export interface DevelopmentDeps {
  readonly node: Development;
  readonly chain: ChainReader;
  readonly clientVersion: string;
}

/** Methods that one kind of chain has besides: under the names of both programs, and with whole names. */
export interface MoreMethods {
  readonly both: RpcMethods;
  readonly evm: RpcMethods;
}

/** Hardhat's network helpers and others look at how it begins, to see that they may change the chain. */
export function developmentVersion(): string {
  return toVersion('anvil/switchyard-');
}

/** Blocks that one call makes at most. */
export const MAX_BLOCKS = 100_000n;

/** @throws {JsonRpcError} */
export function checkCount(count: bigint): void {
  if (count > MAX_BLOCKS) throw serverError(`${count} blocks, at most ${MAX_BLOCKS} are made at a time`);
}

/** @throws {JsonRpcError} if a block of this time cannot follow the latest. */
export function checkLater(seconds: bigint, chain: ChainReader): void {
  const { timestamp } = latestHeader(chain).header;
  if (seconds <= timestamp)
    throw serverError(`timestamp ${seconds} is not after that of the latest block, which is ${timestamp}`);
}

/** @throws {JsonRpcError} if libraries could not read it, or no block could follow. */
export function checkTime(seconds: bigint, most: bigint, what: string): void {
  if (seconds > most) throw serverError(`${what} would be ${seconds}, at most ${most} is possible`);
}

/** anvil has these under both names. */
const ALSO_OF_ANVIL: ReadonlySet<string> = new Set([
  ...['evm_snapshot', 'evm_revert', 'evm_increaseTime', 'evm_setTime'],
  ...['evm_setNextBlockTimestamp', 'evm_setBlockGasLimit'],
]);

/** `anvil_*`, `hardhat_*` and `evm_*` for time, blocks, snapshots and impersonation, and those of `more`. */
export function developmentMethods(deps: DevelopmentDeps, more: MoreMethods = { both: {}, evm: {} }): RpcMethods {
  const changing = { ...accountsAndBlocks(deps), ...more.both };
  // Two programs, the same methods.
  const both = Object.entries(changing).flatMap(([name, method]) => [
    [`anvil_${name}`, method] as const,
    [`hardhat_${name}`, method] as const,
  ]);
  const evm = { ...timeAndSnapshots(deps.node), ...more.evm };
  const ofAnvil = Object.entries(evm).flatMap(([name, method]) =>
    ALSO_OF_ANVIL.has(name) ? [[name.replace('evm_', 'anvil_'), method] as const] : [],
  );
  return { ...Object.fromEntries([...both, ...ofAnvil]), ...evm };
}

function accountsAndBlocks({ node, chain, clientVersion }: DevelopmentDeps): RpcMethods {
  const instanceId = keccakHex(Buffer.from(`${process.pid} ${performance.timeOrigin}`));
  return {
    impersonateAccount(params) {
      node.senders.add(readParams(params, [address])[0]);
      return true;
    },

    stopImpersonatingAccount: (params) => node.senders.delete(readParams(params, [address])[0]),

    autoImpersonateAccount(params) {
      [node.senders.all] = readParams(params, [bool]);
      return null;
    },

    mine(params) {
      const [count = 1n, seconds] = readParams(params, [], [quantity, quantity64]);
      return node.exclusive(async () => {
        await node.mine(count, seconds);
        return null;
      });
    },

    getAutomine: () => node.automine,

    metadata() {
      const { hash: latestBlockHash, header } = latestHeader(chain);
      const { chainId } = chain;
      return { clientVersion, chainId, instanceId, latestBlockNumber: Number(header.number), latestBlockHash };
    },

    // A network logs no transactions in any case.
    setLoggingEnabled(params) {
      readParams(params, [bool]);
      return null;
    },
  };
}

function timeAndSnapshots(node: Development): RpcMethods {
  return {
    evm_mine(params) {
      const [options = {}] = readParams(params, [], [mineOptions]);
      return node.exclusive(async () => {
        if (options.timestamp !== undefined) node.setNextTimestamp(options.timestamp);
        await node.mine(options.blocks);
        return '0x0';
      });
    },

    evm_snapshot(params) {
      readParams(params, [], [ignored]);
      return node.exclusive(() => asQuantity(node.snapshot()));
    },

    evm_revert(params, context) {
      const [id] = readParams(params, [quantity]);
      return node.exclusive(() => node.revert(id, context));
    },

    evm_increaseTime(params) {
      const [seconds] = readParams(params, [quantity64]);
      return node.exclusive(async () => {
        await node.moveTime(seconds);
        return asQuantity(node.ahead < 0n ? 0n : node.ahead);
      });
    },

    /** @returns seconds from the time before. */
    evm_setTime(params) {
      const [given] = readParams(params, [quantity64]);
      // Libraries of JavaScript give milliseconds.
      const seconds = given > LAST_SECOND ? given / 1_000n : given;
      return node.exclusive(async () => {
        const moved = seconds - node.now;
        await node.moveTime(moved);
        return Number(moved);
      });
    },

    evm_setNextBlockTimestamp(params) {
      const [seconds] = readParams(params, [quantity64]);
      return node.exclusive(() => {
        node.setNextTimestamp(seconds);
        return null;
      });
    },
  };
}

/** Nothing, or a bool, of which older clients send one if none is needed. */
const ignored: Read<undefined> = () => undefined;

/** In the year 5138. */
const LAST_SECOND = 99_999_999_999n;

/** A time in seconds, or an object as anvil and Ganache take it. */
const mineOptions: Read<{ readonly blocks?: bigint; readonly timestamp?: bigint }> = (input) =>
  input.isObject ? getObject({ blocks: quantity, timestamp: quantity64 })(input) : { timestamp: quantity64(input) };
