import { sendText } from './send-text.ts';
import { transfer } from './transfer.ts';
import { withdraw } from './withdraw.ts';

/** Actions of the messenger, numbered in this order. */
export const actions = { transfer, sendText, withdraw };
