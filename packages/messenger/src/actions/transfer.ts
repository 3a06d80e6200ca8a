import { transfer } from '@switchyard/machine';
import { DEFAULT_PREFIX, Rejected } from '@switchyard/protocol';
import type { MessengerHandler } from './handler.ts';

/** Moves an amount of any asset that the signer holds. Free; an amount of zero and transfers to oneself are allowed. */
export const transferHandler: MessengerHandler<'transfer'> = {
  check({ to }) {
    if (to.prefix === DEFAULT_PREFIX) return;
    throw new Rejected('malformed', { field: 'to', expected: `prefix ${DEFAULT_PREFIX}`, got: `prefix ${to.prefix}` });
  },

  spends: ({ asset, amount }) => [{ asset: asset.id, amount }],

  execute({ to, asset, amount }, { state, signer, emit }) {
    transfer(state, signer, to.account, asset.id, amount);
    emit({ kind: 'transfer', to: to.account, asset: asset.id, amount });
  },
};
