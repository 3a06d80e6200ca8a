import { type AnyRoute, route, schema } from '@switchyard/service/api';
import { TAG } from './blocks.ts';
import { number, text } from './cells.ts';
import type { ApiContext } from './context.ts';
import * as form from './schemas.ts';

const validatorSchema = schema.object(
  {
    address: form.accountBytes('Of the validator'),
    publicKey: form.hash('Ed25519 key that it signs with'),
    power: schema.text('Its votes, decimal digits', { pattern: '^[0-9]{1,20}$' }),
    active: schema.flag('Whether it is among the validators now'),
    proposed: schema.integer('Blocks that it proposed'),
    signed: schema.integer('Blocks that it signed'),
    missed: schema.integer('Blocks that it did not sign'),
  },
  { name: 'Validator' },
);

/** Validators of the sequencer. */
export function validatorRoute({ store }: ApiContext): AnyRoute {
  return route({
    method: 'get',
    url: '/v1/validators',
    id: 'listValidators',
    tag: TAG,
    summary: 'Validators, the most powerful first, at most 1,000',
    answers: { 200: schema.object({ validators: schema.list(validatorSchema) }, { name: 'Validators' }) },
    errors: { 503: 'The index does not answer' },
    async handle() {
      const rows = await store.read(
        'SELECT * FROM validators ORDER BY active DESC, LENGTH(power) DESC, power DESC, address LIMIT 1000',
      );
      const validators = rows.map((row) => ({
        address: text(row.address),
        publicKey: text(row.public_key),
        power: text(row.power),
        active: row.active === 1,
        proposed: number(row.proposed),
        signed: number(row.signed),
        missed: number(row.missed),
      }));
      return { status: 200, body: { validators } };
    },
  });
}
