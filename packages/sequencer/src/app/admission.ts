import { balances, nonces, type StateReader } from '@switchyard/machine';
import {
  ForeseenError,
  GROUP_RANK,
  Rejected,
  type SequencerTransaction,
  type TxHash,
  txHashOf,
} from '@switchyard/protocol';
import type { Ledger } from '../mempool/entry.ts';
import type { Mempool } from '../mempool/mempool.ts';
import { handlerFor } from './actions/registry.ts';
import { CODES, type CodeName } from './codes.ts';
import { type FeeMemo, getCharges } from './fees.ts';
import type { Chain } from './tables/chain.ts';
import type { Transactions } from './transactions.ts';
import type { EngineSupport, Verdict } from './types.ts';

/** State and facts that a transaction is checked against. */
interface CheckContext {
  readonly state: StateReader;
  readonly chain: Chain;
  readonly fees: FeeMemo;
}

interface Deps {
  readonly mempool: Mempool;
  readonly transactions: Transactions;
  readonly support: EngineSupport;
  /** The last committed state, the facts of its chain, and a memo of its fees; `undefined` before genesis. */
  committed(): CheckContext | undefined;
}

/** Thrown inside to stop at the first check that fails. */
class Refused extends ForeseenError {
  readonly code: CodeName;

  constructor(code: CodeName, log: string) {
    super(log);
    this.code = code;
  }
}

/** Decides whether bytes enter the pool, by the wire's checks in the wire's order. */
export function admit(bytes: Uint8Array, deps: Deps): Verdict {
  const hash = txHashOf(bytes);
  try {
    enter(bytes, hash, deps);
    return verdict('ok', '', hash);
  } catch (error) {
    if (error instanceof Refused) return verdict(error.code, error.message, hash);
    throw error;
  }
}

function verdict(name: CodeName, log: string, hash: TxHash): Verdict {
  const [code, info] = CODES[name];
  return { code, info, log, hash };
}

function enter(bytes: Uint8Array, hash: TxHash, { mempool, transactions, support, committed }: Deps): void {
  if (mempool.get(hash) !== undefined) return;
  const removal = mempool.takeRemoval(hash);
  if (removal !== undefined) throw new Refused(removal.why, removal.detail);

  const now = committed();
  if (now === undefined) throw new Refused('internal', 'the chain has no first state yet');
  const { state, chain, fees } = now;
  if (bytes.length > chain.maxTransactionBytes) {
    throw new Refused('tooLarge', `${bytes.length} bytes, expected at most ${chain.maxTransactionBytes}`);
  }
  const tx = decode(bytes, hash, transactions);
  const nonce = nonces.get(state, tx.signer);
  if (tx.nonce < nonce) throw new Refused('invalidNonce', `nonce ${tx.nonce} is used, the next one is ${nonce}`);
  refusing('actionRefused', () => checkActions(tx, state, support));
  if (tx.chainId !== chain.id) throw new Refused('wrongChain', `chain id ${tx.chainId}, expected ${chain.id}`);
  const charges = refusing('internal', () => getCharges(tx.actions, { state, signer: tx.signer }, fees));

  const outcome = mempool.insert(tx, GROUP_RANK[tx.group], charges, toLedger(state));
  if (outcome !== 'pending' && outcome !== 'parked') throw new Refused(outcome, REFUSALS[outcome](tx));
}

const REFUSALS: Readonly<
  Record<Exclude<ReturnType<Mempool['insert']>, 'pending' | 'parked'>, (tx: SequencerTransaction) => string>
> = {
  alreadyPresent: () => 'this transaction is held already',
  invalidNonce: ({ nonce }) => `nonce ${nonce} is used`,
  nonceTaken: ({ nonce }) => `another transaction with nonce ${nonce} is held; it is not replaced`,
  accountParkedFull: () => 'the account has too many transactions that wait for a lower nonce or for money',
  parkedFull: () => 'too many transactions of all accounts wait for a lower nonce or for money',
  insertionFailed: () => 'the mempool is full; try again after the next block',
};

function decode(bytes: Uint8Array, hash: TxHash, transactions: Transactions): SequencerTransaction {
  try {
    return transactions.admit(owned(bytes), hash);
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    const undecodable = error.reason === 'malformed' && error.facts.message === 'Transaction';
    throw new Refused(undecodable ? 'notATransaction' : 'invalidTransaction', error.message);
  }
}

/** Decoded parts are views, so a held transaction must not keep a larger buffer, or a reused one, alive. */
function owned(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength && bytes.constructor === Uint8Array
    ? bytes
    : new Uint8Array(bytes);
}

function checkActions(tx: SequencerTransaction, state: StateReader, support: EngineSupport): void {
  const context = { state, signer: tx.signer };
  for (const [index, action] of tx.actions.entries()) {
    try {
      const handler = handlerFor(action);
      handler.check(action);
      handler.verify(action, context);
      support(action);
    } catch (error) {
      if (error instanceof Rejected)
        throw new Rejected(error.reason, { action: index, ...error.facts }, { cause: error });
      throw error;
    }
  }
}

function refusing<T>(code: CodeName, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof Rejected) throw new Refused(code, error.message);
    throw error;
  }
}

/** A state as the pool looks at it. */
export function toLedger(state: StateReader): Ledger {
  return {
    nonce: (account) => nonces.get(state, account),
    balance: (account, asset) => balances.get(state, [account, asset]),
  };
}
