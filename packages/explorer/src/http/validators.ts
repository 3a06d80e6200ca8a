import type { AnyRoute } from '@switchyard/service/api';
import { sequencer, validator } from '../contract/sequencer.ts';
import { answer } from './answer.ts';
import type { ApiContext } from './context.ts';
import { view } from './view.ts';

const VALIDATORS = view(validator, 'validators');

/** Validators of the sequencer. */
export const validatorRoute = ({ store }: ApiContext): AnyRoute =>
  answer(sequencer.listValidators, async () => {
    const rows = await store.read(
      `SELECT ${VALIDATORS.select} FROM validators
       ORDER BY validators.active DESC, LENGTH(validators.power) DESC, validators.power DESC, validators.address LIMIT 1000`,
    );
    return { validators: rows.map((row) => VALIDATORS.json(row, {})) };
  });
