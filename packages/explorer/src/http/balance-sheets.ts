import { type HttpApiOptions, httpApi } from '@switchyard/client/http-api';
import { type Clock, errorLine, type Logger } from '@switchyard/service';
import { bool } from '@switchyard/service/input';
import type { BalanceSheet } from '../contract/bridging.ts';

const WITHIN_MS = 1_000;
/** A withdrawer makes one now and then. */
const FRESH_MS = 2_000;
const DIGITS = /^-?\d{1,40}$/;

export interface BalanceSheetsDeps extends Pick<HttpApiOptions, 'fetch'> {
  /** Withdrawers; without any, nothing is known of balance sheets. */
  readonly urls: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
}

/** Balance sheets of bridge accounts by the name of their rollup, as reported by withdrawers. A withdrawer that does not answer has none. */
export function balanceSheets({ urls, fetch, clock, log }: BalanceSheetsDeps) {
  let known: ReadonlyMap<string, BalanceSheet> = new Map();
  let until = Number.NEGATIVE_INFINITY;

  const getSheet = async (url: string): Promise<readonly (readonly [string, BalanceSheet])[]> => {
    try {
      const answer = await httpApi('withdrawer', { url, fetch, timeoutMs: WITHIN_MS })('/status');
      const rollup = answer.at('rollup').optional((name) => name.text());
      const sheet = answer.at('sheet').optional((each) => each);
      if (rollup === undefined || sheet === undefined) return [];
      const digits = (name: string) => {
        const member = sheet.at(name);
        return DIGITS.test(member.text()) ? member.text() : member.fail('decimal digits');
      };
      const amounts = { locked: digits('locked'), minted: digits('minted'), unpaid: digits('unpaid') };
      const others = { uncredited: digits('uncredited'), surplus: digits('surplus') };
      const names = { bridge: answer.at('bridge').text(), asset: answer.at('asset').text() };
      return [[rollup, { ...names, ...amounts, ...others, isBalanced: bool(sheet.at('isBalanced')) }]];
    } catch (error) {
      log.debug({ error: errorLine(error) }, 'the withdrawer shows no balance sheet');
      return [];
    }
  };

  return {
    async of(): Promise<ReadonlyMap<string, BalanceSheet>> {
      const now = clock.now();
      if (urls.length === 0 || now < until) return known;
      until = now + FRESH_MS;
      known = new Map((await Promise.all(urls.map(getSheet))).flat());
      return known;
    },
  };
}

export type BalanceSheets = ReturnType<typeof balanceSheets>;
