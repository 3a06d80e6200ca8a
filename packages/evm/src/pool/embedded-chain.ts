import type { ChainReader } from '../chain/chain.ts';
import { isDelegation } from '../delegation.ts';
import { nextBaseFee } from '../rules.ts';
import { EMPTY_CODE_HASH } from '../state/account.ts';
import type { StateReader } from '../state/state.ts';
import type { Address, Hash } from '../types.ts';
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
    const { latest } = chain.heads;
    const head = chain.header(latest);
    if (head === undefined) throw new Error(`the header of the soft block ${latest} is missing`);
    return { baseFee: nextBaseFee(head.header), state: chain.state(latest), latest };
  }

  return {
    get nextBaseFee() {
      return soft.baseFee;
    },
    get sequencerHeight() {
      return startHeight + soft.latest - 1n;
    },
    sequencerHash: (height) => sequencerHashOf(chain, height - startHeight + 1n),
    account(address) {
      const account = accountIn(soft.state, address);
      return codeMaySend ? { ...account, hasCode: false } : account;
    },
    outcome: (hash) => outcomeOf(chain, hash),
    onCommit: (listener) =>
      chain.onCommit(({ blocks }) => {
        soft = readSoft();
        listener({
          included: blocks.flatMap(({ block }) => block.transactions),
          refused: blocks.flatMap(({ refused }) => refused.filter(({ kind }) => kind === 'transaction')),
        });
      }),
  };
}

function accountIn(state: StateReader, address: Address): PoolAccount {
  const account = state.account(address);
  if (account === undefined) return EMPTY_ACCOUNT;
  const { nonce, balance, codeHash } = account;
  if (codeHash === EMPTY_CODE_HASH) return { ...EMPTY_ACCOUNT, nonce, balance };
  const isDelegated = isDelegation(state.code(codeHash));
  return { nonce, balance, hasCode: !isDelegated, isDelegated };
}

/** The outcome of a transaction in committed blocks. */
export function outcomeOf(chain: ChainReader, hash: Hash): ChainOutcome | undefined {
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
export function sequencerHashOf(chain: Pick<ChainReader, 'header'>, number: bigint): string | undefined {
  return number < 1n ? undefined : chain.header(number)?.header.parentBeaconBlockRoot?.slice(2);
}
