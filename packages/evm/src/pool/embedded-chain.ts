import { EMPTY_CODE_HASH } from '@switchyard/evm-machine/account';
import { isDelegation } from '@switchyard/evm-machine/delegation';
import type { AccountState, StateReader } from '@switchyard/evm-machine/state';
import type { Hash } from '@switchyard/evm-machine/types';
import type { ChainReader } from '../chain/chain.ts';
import { latestHeader } from '../json/resolve.ts';
import { nextBaseFee } from '../rules/rules.ts';
import type { ChainOutcome, PoolAccount, PoolChain } from './deps.ts';

const EMPTY_ACCOUNT: PoolAccount = { nonce: 0n, balance: 0n, hasCode: false, isDelegated: false };

/**
 * The node's own chain as its pool sees it: everything is answered at once.
 *
 * @param startHeight Height of the sequencer block that block 1 was made from.
 * @param codeMaySend Whether accounts with code of their own may send, on a chain for tests.
 */
export function embeddedPoolChain(chain: ChainReader, startHeight: bigint, codeMaySend = false): PoolChain {
  let soft = readSoft();

  function readSoft() {
    const { header } = latestHeader(chain);
    return { baseFee: nextBaseFee(header), state: chain.state(header.number) };
  }

  return toPoolChain(chain, startHeight, {
    baseFee: () => soft.baseFee,
    account(address) {
      const account = accountIn(soft.state, soft.state.account(address));
      return codeMaySend ? { ...account, hasCode: false } : account;
    },
    beforeCommit: () => {
      soft = readSoft();
    },
  });
}

/**
 * The chain as the pool of either back end sees it.
 *
 * @param startHeight Height of the sequencer block that block 1 was made from.
 * @param ask Reads the state after the soft block; `beforeCommit` is called for each commit, before the pool is notified.
 */
export function toPoolChain(
  chain: ChainReader,
  startHeight: bigint,
  ask: Pick<PoolChain, 'account'> & { readonly baseFee: () => bigint; readonly beforeCommit?: () => void },
): PoolChain {
  return {
    get nextBaseFee() {
      return ask.baseFee();
    },
    get sequencerHeight() {
      return startHeight + chain.heads.latest - 1n;
    },
    sequencerHash: (height) => findSequencerHash(chain, height - startHeight + 1n),
    account: ask.account,
    outcome: (hash) => findOutcome(chain, hash),
    onCommit: (listener) =>
      chain.onCommit(({ blocks }) => {
        ask.beforeCommit?.();
        listener({
          included: blocks.flatMap(({ block }) => block.transactions),
          refused: blocks.flatMap(({ refused }) => refused.filter(({ kind }) => kind === 'transaction')),
        });
      }),
  };
}

/** An account of a state as the pool sees it. */
export function accountIn(state: Pick<StateReader, 'code'>, account: AccountState | undefined): PoolAccount {
  if (account === undefined) return EMPTY_ACCOUNT;
  const { nonce, balance, codeHash } = account;
  if (codeHash === EMPTY_CODE_HASH) return { ...EMPTY_ACCOUNT, nonce, balance };
  const isDelegated = isDelegation(state.code(codeHash));
  return { nonce, balance, hasCode: !isDelegated, isDelegated };
}

/** The outcome of a transaction in committed blocks. */
export function findOutcome(chain: ChainReader, hash: Hash): ChainOutcome | undefined {
  const place = chain.transaction(hash);
  if (place !== undefined) {
    const { block, index } = place;
    const success = chain.receipts(block)?.[index]?.status === 1;
    return { kind: 'included', block, index, success, firm: block <= chain.heads.finalized };
  }
  const found = chain.refusal(hash);
  if (found === undefined) return undefined;
  const { block, refused } = found;
  return { kind: 'refused', block, code: refused.code, reason: refused.reason };
}

/** A block commits to the sequencer block that it was made from. */
function findSequencerHash(chain: Pick<ChainReader, 'header'>, number: bigint): string | undefined {
  return number < 1n ? undefined : chain.header(number)?.header.parentBeaconBlockRoot?.slice(2);
}
