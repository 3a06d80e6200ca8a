import { Rejected } from '../errors.ts';
import { PUBLIC_KEY_LENGTH } from '../ids.ts';
import type { ActionDefinition } from './definition.ts';
import { present } from './fields.ts';

/** Adds, changes or removes a validator. */
export interface ValidatorUpdate {
  readonly kind: 'validatorUpdate';
  /** Ed25519, 32 bytes. */
  readonly publicKey: Uint8Array;
  /** 0 removes the validator; below 2^32. */
  readonly power: bigint;
  readonly name: string;
}

export const validatorUpdate: ActionDefinition<ValidatorUpdate> = {
  group: 'bundleableGeneral',
  touchedAccounts: () => [],
  fromWire: ({ pubKey, power, name }) => {
    const { sum } = present('public key', pubKey);
    if (sum.case !== 'ed25519' || sum.value.length !== PUBLIC_KEY_LENGTH) {
      throw new Rejected('malformed', { part: 'public key', expected: '32 bytes of ed25519' });
    }
    if (power < 0n || power > 0xffff_ffffn) {
      throw new Rejected('malformed', { part: 'power', expected: 'from 0 to 4294967295', got: power });
    }
    return { kind: 'validatorUpdate', publicKey: sum.value, power, name };
  },
  toWire: ({ publicKey, power, name }) => ({ pubKey: { sum: { case: 'ed25519', value: publicKey } }, power, name }),
};
