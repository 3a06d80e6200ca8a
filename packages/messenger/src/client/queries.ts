/** The messenger's queries, without what signing needs: they load in a tenth of the time. */
export { type Account, account, accountFrom, type ProvenAccount, provenAccount } from './account.ts';
export { balance } from './balance.ts';
export { accountHistory, type HistoryEntry } from './history.ts';
export { type FoundMessages, findMessages, type MessageQuery } from './messages.ts';
export { readText, type Text, type TextsPage, texts } from './texts.ts';
