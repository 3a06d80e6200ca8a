import type { Address, Data } from '@switchyard/evm-machine/types';
import { quantity, toWord } from '@switchyard/protocol/ethereum';
import { Budget } from '../../trace/budget.ts';
import { type Account, type AccountChange, isEmpty, PrestateTracer } from '../../trace/prestate-tracer.ts';
import type { Tracer } from '../../trace/tracer.ts';

/** `=`: the same; `+`: new; `-`: gone; `*`: another. */
type Difference = '=' | { readonly '+': Data } | { readonly '-': Data } | { readonly '*': { from: Data; to: Data } };

interface AccountDifference {
  readonly balance: Difference;
  readonly nonce: Difference;
  readonly code: Difference;
  readonly storage: Readonly<Record<string, Difference>>;
}

export type StateDifference = Readonly<Record<Address, AccountDifference>>;

/** Changes that a transaction made, as OpenEthereum's `stateDiff` shows them. */
export class StateDiffTracer extends PrestateTracer implements Tracer<StateDifference> {
  constructor(budget = new Budget()) {
    super({}, budget);
  }

  override result(): StateDifference {
    return Object.fromEntries(
      this.changed().flatMap((change) => {
        const difference = findDifference(change);
        return difference === undefined ? [] : [[change.address, difference]];
      }),
    );
  }
}

function findDifference({ before, after }: AccountChange): AccountDifference | undefined {
  const there = !isEmpty(before);
  const stays = after !== undefined && !isEmpty(after);
  if (!there && !stays) return undefined;
  const compare = (read: (account: Account) => Data): Difference => {
    const now = after === undefined ? '0x0' : read(after);
    if (!there) return { '+': now };
    if (!stays) return { '-': read(before) };
    return read(before) === now ? '=' : { '*': { from: read(before), to: now } };
  };
  const slots = [...before.storage.keys()].map(
    (slot) => [slot, compare(({ storage }) => toWord(storage.get(slot) ?? 0n))] as const,
  );
  const difference = {
    balance: compare(({ balance }) => quantity(balance)),
    nonce: compare(({ nonce }) => quantity(nonce)),
    code: compare(({ code }) => code),
    storage: Object.fromEntries(slots.filter(([, each]) => each !== '=' && !isAddedZero(each))),
  };
  const { balance, nonce, code, storage } = difference;
  const isSame = balance === '=' && nonce === '=' && code === '=' && Object.keys(storage).length === 0;
  return isSame ? undefined : difference;
}

/** A slot that is read and never written is nothing new. */
function isAddedZero(difference: Difference): boolean {
  return typeof difference === 'object' && '+' in difference && BigInt(difference['+']) === 0n;
}
