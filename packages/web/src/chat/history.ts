import { parseInput } from '@switchyard/client/rollup';
import { readText, type Text } from '@switchyard/messenger/client';
import { readStored, writeSetting } from '../ui/settings.ts';
import type { Message } from './conversation.ts';

/** For a page that is opened without a connection. */
const MAX_KEPT = 200;
const NAME = 'chat/history';

export const readHistory = (): readonly Text[] =>
  readStored('browser', NAME, (text) => parseInput(text, 'history').list(MAX_KEPT).map(readText)) ?? [];

export function writeHistory(messages: readonly Message[]): void {
  if (messages.length === 0) return;
  const kept = messages.slice(-MAX_KEPT).map((one) => ({ ...one, id: String(one.id), block: String(one.block) }));
  writeSetting('browser', NAME, JSON.stringify(kept));
}
