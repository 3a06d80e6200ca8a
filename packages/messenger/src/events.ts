import { address, asset, type EventOf, event, text, u128 } from '@switchyard/rollup';
import { MAX_NAME_BYTES, MAX_TEXT_BYTES } from './limits.ts';

const moved = { to: address, asset, amount: u128 };

export const texted = event('text', {
  name: text({ maxBytes: MAX_NAME_BYTES }),
  text: text({ maxBytes: MAX_TEXT_BYTES }),
});
export const transferred = event('transfer', moved);
/** An amount left the rollup, to an account of the sequencer. */
export const withdrawn = event('withdrawal', moved);

export const events = [texted, transferred, withdrawn] as const;
export type MessengerEvent = EventOf<typeof events>;
