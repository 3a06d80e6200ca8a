import { type ActionHandler, transfer } from '@switchyard/machine';
import { DEFAULT_PREFIX, Rejected } from '@switchyard/protocol';
import type { MessengerEvent, Transfer } from '../action.ts';

/** Moves an amount of any asset that the signer holds. Free; nothing, and to oneself, are fine. */
export const transferAction: ActionHandler<Transfer, MessengerEvent> = {
  check({ to }) {
    if (to.prefix === DEFAULT_PREFIX) return;
    throw new Rejected('malformed', { field: 'to', expected: `prefix ${DEFAULT_PREFIX}`, got: `prefix ${to.prefix}` });
  },

  execute({ to, asset, amount }, { state, signer }) {
    transfer(state, signer, to.account, asset.id, amount);
  },
};
