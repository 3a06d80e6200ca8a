import { rollupFields } from '@switchyard/rollup/config';
import { allOr, bool, field, httpUrl, optional, pagesField } from '@switchyard/service/settings';

/** Settings of a messenger node in addition to those of every rollup. */
export const ownFields = {
  retainSearch: field('RETAIN_SEARCH', allOr({ min: 0, max: 1_000_000_000_000 }), {
    help: 'newest messages, and newest transfers and deposits, that can be searched and listed by account',
    fallback: '1_000_000',
  }),
  faucetUrl: field('FAUCET_URL', optional(httpUrl), {
    help: 'faucet of this rollup, as browsers reach it; the chat page lets new accounts claim from it, which its ALLOWED_ORIGINS must permit',
  }),
  explorerUrl: field('EXPLORER_URL', optional(httpUrl), {
    help: 'page of an explorer of this rollup, as browsers reach it; the chat page links messages and accounts there',
  }),
  pages: pagesField,
  unsignedMessages: field('DEV_UNSIGNED_MESSAGES', bool, {
    help: 'for development only: POST /message, which signs messages of any client with the public key of the account alice',
    fallback: 'false',
  }),
};

export const fields = { ...rollupFields, ...ownFields };
