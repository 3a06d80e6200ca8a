import { bytesOf, keccakHex } from '@switchyard/protocol/ethereum';
import { productVersion } from '@switchyard/service';
import type { Read } from '@switchyard/service/input';
import { bool } from '@switchyard/service/input';
import { NEW_ACCOUNT } from '../embedded/accounts.ts';
import type { RpcMethods } from '../rpc/deps.ts';
import { invalidParams, serverError } from '../rpc/errors.ts';
import { quantity as asQuantity } from '../rpc/hex.ts';
import { address, data, hash, objectOf, quantity, quantity64, readParams, slot, text } from '../rpc/params.ts';
import { latestHeader } from '../rpc/resolve.ts';
import { MAX_BALANCE } from '../state/account.ts';
import type { AccountState } from '../state/state.ts';
import type { Address } from '../types.ts';
import { dumpState, putAccounts, readState } from './dumped-state.ts';
import type { Interval } from './interval.ts';
import type { StandaloneNode } from './node.ts';
import type { StandalonePool } from './pool.ts';

export interface StandaloneMethodsDeps {
  readonly node: StandaloneNode;
  readonly pool: StandalonePool;
  readonly interval: Interval;
  readonly clientVersion: string;
}

/** Hardhat's network helpers and others look at how it begins, to see that they may change the chain. */
export function standaloneVersion(): string {
  return `anvil/switchyard-${productVersion()}/${process.platform}-${process.arch}/node${process.versions.node}`;
}

/** anvil has these under both names. */
const ALSO_OF_ANVIL: ReadonlySet<string> = new Set([
  ...['evm_snapshot', 'evm_revert', 'evm_increaseTime', 'evm_setTime'],
  ...['evm_setNextBlockTimestamp', 'evm_setBlockGasLimit'],
]);

/** Nothing, or a bool, of which older clients send one where none is needed. */
const ignored: Read<undefined> = () => undefined;

/** `anvil_*`, `hardhat_*` and `evm_*`, which change the chain of a standalone node at will. */
export function standaloneMethods(deps: StandaloneMethodsDeps): RpcMethods {
  const changing = { ...stateMethods(deps), ...blockMethods(deps), ...nodeMethods(deps) };
  // Two programs, the same methods.
  const both = Object.entries(changing).flatMap(([name, method]) => [
    [`anvil_${name}`, method] as const,
    [`hardhat_${name}`, method] as const,
  ]);
  const evm = evmMethods(deps, changing);
  const ofAnvil = Object.entries(evm).flatMap(([name, method]) =>
    ALSO_OF_ANVIL.has(name) ? [[name.replace('evm_', 'anvil_'), method] as const] : [],
  );
  return { ...Object.fromEntries([...both, ...ofAnvil]), ...evm };
}

function stateMethods({ node, pool }: StandaloneMethodsDeps): RpcMethods {
  const setAccount = (account: Address, changes: Partial<AccountState>): null => {
    node.edit((state) => state.putAccount(account, { ...(state.account(account) ?? NEW_ACCOUNT), ...changes }));
    return null;
  };
  return {
    setBalance(params) {
      const [account, balance] = readParams(params, [address, quantity]);
      return node.exclusive(() => setAccount(account, { balance }));
    },

    setNonce(params) {
      const [account, nonce] = readParams(params, [address, quantity64]);
      return node.exclusive(() => setAccount(account, { nonce }));
    },

    setCode(params) {
      const [account, hex] = readParams(params, [address, data]);
      const code = bytesOf(hex);
      return node.exclusive(() => {
        node.edit((state) => void state.putCode(code));
        node.edit((state) =>
          state.putAccount(account, { ...(state.account(account) ?? NEW_ACCOUNT), codeHash: keccakHex(code) }),
        );
        return null;
      });
    },

    setStorageAt(params) {
      const [account, place, value] = readParams(params, [address, slot, slot]);
      return node.exclusive(() => {
        node.edit((state) => {
          // A slot needs an account that holds it.
          if (state.account(account) === undefined) state.putAccount(account, NEW_ACCOUNT);
          state.putStorage(account, place, BigInt(value));
        });
        return true;
      });
    },

    impersonateAccount(params) {
      node.senders.add(readParams(params, [address])[0]);
      return true;
    },

    stopImpersonatingAccount: (params) => node.senders.delete(readParams(params, [address])[0]),

    autoImpersonateAccount(params) {
      [node.senders.all] = readParams(params, [bool]);
      return null;
    },

    addBalance(params) {
      const [account, more] = readParams(params, [address, quantity]);
      return node.exclusive(() => {
        const { balance } = node.chain.state(node.chain.heads.latest).account(account) ?? NEW_ACCOUNT;
        if (balance + more > MAX_BALANCE)
          throw invalidParams(`expected a sum of at most 2^256 - 1 wei, got ${balance} + ${more}`);
        return setAccount(account, { balance: balance + more });
      });
    },

    dumpState(params) {
      readParams(params, [], [bool]);
      return node.exclusive(() => dumpState(node.accounts()));
    },

    loadState(params) {
      const accounts = readState(readParams(params, [data])[0]);
      return node.exclusive(() => {
        node.edit((state) => putAccounts(state, accounts));
        return true;
      });
    },

    dropAllTransactions: () =>
      node.exclusive(() => {
        node.change({ waiting: [] });
        return null;
      }),

    removePoolTransactions(params) {
      const [sender] = readParams(params, [address]);
      return node.exclusive(() => {
        node.change({ waiting: node.situation.waiting.filter(({ from }) => from !== sender) });
        return null;
      });
    },

    dropTransaction: (params) => pool.drop(readParams(params, [hash])[0]),
  };
}

function blockMethods({ node, interval }: StandaloneMethodsDeps): RpcMethods {
  const changed = (changes: Parameters<StandaloneNode['change']>[0], result: unknown = null) =>
    node.exclusive(() => {
      node.change(changes);
      return result;
    });
  return {
    mine(params) {
      const [count = 1n, seconds] = readParams(params, [], [quantity, quantity64]);
      return node.exclusive(async () => {
        await node.mine(count, seconds);
        return null;
      });
    },

    setCoinbase: (params) => changed({ coinbase: readParams(params, [address])[0] }, true),
    setNextBlockBaseFeePerGas: (params) => changed({ nextBaseFee: readParams(params, [quantity64])[0] }),
    setPrevRandao: (params) => changed({ nextPrevRandao: readParams(params, [hash])[0] }, true),
    setBlockTimestampInterval: (params) => changed({ interval: readParams(params, [upTo(MAX_INTERVAL)])[0] }),
    removeBlockTimestampInterval: () => changed({ interval: undefined }, true),

    getAutomine: () => node.automine,
    setAutomine(params) {
      [node.automine] = readParams(params, [bool]);
      return true;
    },

    setIntervalMining(params) {
      const [seconds] = readParams(params, [upTo(LONGEST_TIMER)]);
      interval.set(Number(seconds));
      // Transactions that are sent wait for the interval.
      node.automine = seconds === 0n;
      return null;
    },

    reset(params) {
      const [fork] = readParams(params, [], [resetOptions]);
      if (fork?.forking?.jsonRpcUrl !== undefined) throw serverError('this node does not fork other chains');
      return node.exclusive(() => {
        node.reset();
        return true;
      });
    },
  };
}

function nodeMethods({ node, clientVersion }: StandaloneMethodsDeps): RpcMethods {
  const instanceId = keccakHex(Buffer.from(`${process.pid} ${performance.timeOrigin}`));
  return {
    metadata() {
      const { hash: latestBlockHash, header } = latestHeader(node.chain);
      const { chainId } = node.chain;
      return { clientVersion, chainId, instanceId, latestBlockNumber: Number(header.number), latestBlockHash };
    },

    nodeInfo() {
      const { hash: currentBlockHash, header } = latestHeader(node.chain);
      return {
        currentBlockNumber: asQuantity(header.number),
        currentBlockTimestamp: Number(header.timestamp),
        currentBlockHash,
        hardFork: node.fork,
        transactionOrder: 'fifo',
        environment: {
          baseFee: asQuantity(node.baseFee),
          chainId: node.chain.chainId,
          gasLimit: asQuantity(node.situation.gasLimit),
          gasPrice: asQuantity(node.baseFee + 1n),
        },
        forkConfig: { forkUrl: null, forkBlockNumber: null, forkRetryBackoff: null },
      };
    },

    // Nothing of it is printed in any case.
    setLoggingEnabled(params) {
      readParams(params, [bool]);
      return null;
    },
  };
}

function evmMethods({ node }: StandaloneMethodsDeps, others: RpcMethods): RpcMethods {
  const { setBalance, setCode, setNonce, setAutomine, setIntervalMining } = others;
  if (!setBalance || !setCode || !setNonce || !setAutomine || !setIntervalMining)
    throw new Error('methods are missing');
  return {
    ...{ evm_setAccountBalance: setBalance, evm_setAccountCode: setCode, evm_setAccountNonce: setNonce },
    ...{ evm_setAutomine: setAutomine, evm_setIntervalMining: setIntervalMining },

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

    evm_revert(params) {
      const [id] = readParams(params, [quantity]);
      return node.exclusive(() => node.revert(id));
    },

    evm_increaseTime(params) {
      const [seconds] = readParams(params, [quantity64]);
      return node.exclusive(() => {
        node.moveTime(seconds);
        return asQuantity(node.situation.ahead < 0n ? 0n : node.situation.ahead);
      });
    },

    /** @returns seconds from the time before. */
    evm_setTime(params) {
      const [given] = readParams(params, [quantity64]);
      // Libraries of JavaScript give milliseconds.
      const seconds = given > LAST_SECOND ? given / 1_000n : given;
      return node.exclusive(() => {
        const moved = seconds - node.now;
        node.moveTime(moved);
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

    evm_setBlockGasLimit(params) {
      const [gasLimit] = readParams(params, [upTo(MAX_GAS_LIMIT)]);
      return node.exclusive(() => {
        node.change({ gasLimit });
        return true;
      });
    },
  };
}

/** Seconds between blocks: with any number of them, times stay below 2^64. */
const MAX_INTERVAL = 2n ** 32n - 1n;
/** Seconds that a timer of Node.js can wait. */
const LONGEST_TIMER = 2_147_483n;
/** Gas is counted exactly up to there, as in a genesis. */
const MAX_GAS_LIMIT = 2n ** 53n - 1n;

function upTo(most: bigint): Read<bigint> {
  return (input) => {
    const value = quantity(input);
    return value <= most ? value : input.fail(`at most ${most}`, String(value));
  };
}

/** In the year 5138. */
const LAST_SECOND = 99_999_999_999n;

const resetOptions = objectOf({ forking: objectOf({ jsonRpcUrl: text(2_000) }) });

/** A time in seconds, or an object as anvil and Ganache take it. */
const mineOptions: Read<{ readonly blocks?: bigint; readonly timestamp?: bigint }> = (input) =>
  input.isObject ? objectOf({ blocks: quantity, timestamp: quantity64 })(input) : { timestamp: quantity64(input) };
