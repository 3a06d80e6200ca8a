import { Rejected } from '@switchyard/protocol';
import { applyValidatorUpdate, checkValidatorUpdate, mustBeSudo } from '../tables/authority.ts';
import { sequencerHandler } from './handler.ts';

const MAX_NAME_BYTES = 32;

/** Adds a validator, changes its power, or removes it (power 0). The engine gets it at the end of the block. */
export const validatorUpdate = sequencerHandler<'validatorUpdate'>({
  check({ name }) {
    const length = Buffer.byteLength(name);
    if (length > MAX_NAME_BYTES) {
      throw new Rejected('malformed', {
        field: 'name',
        expected: `at most ${MAX_NAME_BYTES} bytes`,
        got: `${length} bytes`,
      });
    }
  },

  verify(update, { state, signer }) {
    mustBeSudo(state, signer);
    checkValidatorUpdate(state, update);
  },

  apply({ publicKey, power }, { state, emit }) {
    applyValidatorUpdate(state, { publicKey, power });
    emit({ kind: 'validatorUpdate', update: { publicKey, power } });
  },
});
