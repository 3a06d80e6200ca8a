/** Everything that clients of the messenger need. It also runs in web pages, and has nothing of the server. */
export { MAX_NAME_BYTES, MAX_TEXT_BYTES, TEXT_FEE } from '../limits.ts';
export { messenger } from '../messenger.ts';
export { type TextEntry, textLog, textOf } from './log.ts';
export * from './queries.ts';
export { type MessengerAction, type MessengerBody, sign } from './sign.ts';
