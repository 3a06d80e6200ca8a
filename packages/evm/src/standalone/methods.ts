import { MAX_BALANCE } from '@switchyard/evm-machine/account';
import type { AccountState } from '@switchyard/evm-machine/state';
import type { Address } from '@switchyard/evm-machine/types';
import { quantity as asQuantity, hexToBytes, keccakHex } from '@switchyard/protocol/ethereum';
import { bool, type Read } from '@switchyard/service/input';
import { developmentMethods } from '../development/methods.ts';
import { invalidParams, serverError } from '../json/errors.ts';
import { address, data, getObject, hash, quantity, quantity64, readParams, slot, text } from '../json/params.ts';
import { latestHeader } from '../json/resolve.ts';
import type { RpcMethods } from '../rpc/deps.ts';
import { NEW_ACCOUNT } from '../transactions/accounts.ts';
import { dumpState, putAccounts, readState } from './dumped-state.ts';
import type { Interval } from './interval.ts';
import type { StandaloneNode } from './node.ts';
import type { StandalonePool } from './pool.ts';
import { type ReorgMethodsDeps, reorgMethods } from './reorg-methods.ts';
import type { Edit, Situation } from './situation.ts';

export interface StandaloneMethodsDeps extends ReorgMethodsDeps {
  readonly pool: StandalonePool;
  readonly interval: Interval;
  readonly clientVersion: string;
}

/** `anvil_*`, `hardhat_*` and `evm_*`, which change the chain of a standalone node at will. */
export function standaloneMethods(deps: StandaloneMethodsDeps): RpcMethods {
  const both = { ...stateMethods(deps), ...blockMethods(deps), ...nodeMethods(deps), ...reorgMethods(deps) };
  const { node, clientVersion } = deps;
  return developmentMethods({ node, chain: node.chain, clientVersion }, { both, evm: evmMethods(deps, both) });
}

/** Runs changes of a node in their turn. */
function changing(node: StandaloneNode) {
  return (change: () => void, result: unknown = null): Promise<unknown> =>
    node.exclusive(() => {
      change();
      return result;
    });
}

function stateMethods({ node, pool }: StandaloneMethodsDeps): RpcMethods {
  const changed = changing(node);
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
      const code = hexToBytes(hex);
      return node.exclusive(() => {
        node.edit((state) => void state.putCode(code));
        return setAccount(account, { codeHash: keccakHex(code) });
      });
    },

    setStorageAt(params) {
      const [account, place, value] = readParams(params, [address, slot, slot]);
      const edit: Edit = (state) => {
        // A slot needs an account that holds it.
        if (state.account(account) === undefined) state.putAccount(account, NEW_ACCOUNT);
        state.putStorage(account, place, BigInt(value));
      };
      return changed(() => node.edit(edit), true);
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
      return changed(() => node.edit((state) => putAccounts(state, accounts)), true);
    },

    dropAllTransactions: () => changed(() => node.change({ waiting: [] })),

    removePoolTransactions(params) {
      const [sender] = readParams(params, [address]);
      return changed(() => node.change({ waiting: node.situation.waiting.filter(({ from }) => from !== sender) }));
    },

    dropTransaction: (params) => pool.drop(readParams(params, [hash])[0]),
  };
}

function blockMethods({ node, interval }: StandaloneMethodsDeps): RpcMethods {
  const changed = (changes: Partial<Situation>, result?: unknown) => changing(node)(() => node.change(changes), result);
  return {
    setCoinbase: (params) => changed({ coinbase: readParams(params, [address])[0] }, true),
    setNextBlockBaseFeePerGas: (params) => changed({ nextBaseFee: readParams(params, [quantity64])[0] }),
    setPrevRandao: (params) => changed({ nextPrevRandao: readParams(params, [hash])[0] }, true),
    setBlockTimestampInterval: (params) => changed({ interval: readParams(params, [upTo(MAX_INTERVAL)])[0] }),
    removeBlockTimestampInterval: () => changed({ interval: undefined }, true),

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

    getIntervalMining(params) {
      readParams(params, []);
      return interval.seconds === 0 ? null : interval.seconds;
    },

    reset(params) {
      const [fork] = readParams(params, [], [resetOptions]);
      if (fork?.forking?.jsonRpcUrl !== undefined) throw serverError('this node does not fork other chains');
      return changing(node)(() => node.reset(), true);
    },
  };
}

function nodeMethods({ node, activity }: StandaloneMethodsDeps): RpcMethods {
  return {
    setLoggingEnabled(params) {
      [activity.isEnabled] = readParams(params, [bool]);
      return null;
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
  };
}

function evmMethods({ node }: StandaloneMethodsDeps, others: RpcMethods): RpcMethods {
  const { setBalance, setCode, setNonce, setAutomine, setIntervalMining } = others;
  if (!setBalance || !setCode || !setNonce || !setAutomine || !setIntervalMining)
    throw new Error('methods are missing');
  return {
    ...{ evm_setAccountBalance: setBalance, evm_setAccountCode: setCode, evm_setAccountNonce: setNonce },
    ...{ evm_setAutomine: setAutomine, evm_setIntervalMining: setIntervalMining },

    evm_setBlockGasLimit(params) {
      const [gasLimit] = readParams(params, [upTo(MAX_GAS_LIMIT)]);
      return changing(node)(() => node.change({ gasLimit }), true);
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

const resetOptions = getObject({ forking: getObject({ jsonRpcUrl: text(2_000) }) });
