import type { Hono } from 'hono';
import { evmRollups } from '../evm/http/context.ts';
import { evmPath } from '../evm/search.ts';
import type { ApiContext } from './context.ts';
import { notFound } from './problems.ts';
import { searchAll } from './search.ts';

/** Kinds of pages in the addresses that wallets and tools build, with those of the explorer. */
const PAGES: Readonly<Record<string, string>> = {
  ...{ tx: 'transactions', address: '(addresses|accounts)', block: 'blocks', token: 'tokens' },
};
const LINK = `/:page{${Object.keys(PAGES).join('|')}}/:id`;

/** Paths as on Etherscan; below the name of an EVM rollup they are about that one alone. */
export const LINK_PATHS = [LINK, `/:rollup${LINK}`];

/** Leads from the addresses that wallets and tools build to the pages of the explorer. */
export function walletLinks(app: Hono, context: ApiContext): void {
  for (const path of LINK_PATHS) {
    app.get(path, async (c) => {
      const { rollup, page = '', id = '' } = c.req.param() as Readonly<Record<string, string>>;
      const to = await findPage(context, page, id, rollup);
      if (to === undefined) throw notFound(`no ${page} ${JSON.stringify(id.slice(0, 100))} is known here`);
      // Relative, since the explorer may be served below a path.
      return c.redirect(`${rollup === undefined ? '../' : '../../'}#${to}`);
    });
  }
}

/** The page in the explorer. Those of EVM rollups come first, since wallets are theirs. */
async function findPage(context: ApiContext, page: string, id: string, rollup?: string): Promise<string | undefined> {
  const evm = evmRollups(context).filter(({ name }) => rollup === undefined || name === rollup);
  const isPage = new RegExp(`/${PAGES[page]}/`);
  const paths = (await searchAll(context, id)).flatMap(({ path }) => (isPage.test(path) ? path : []));
  const found = paths.find((path) => evm.some((each) => path.startsWith(`${evmPath(each)}/`)));
  if (found !== undefined || (rollup === undefined && paths.length > 0)) return found ?? paths[0];
  const [only, ...others] = evm;
  if (page !== 'tx' || only === undefined || others.length > 0 || !/^0x[0-9a-f]{64}$/i.test(id)) return undefined;
  // Wallets link to a transaction before a block has it, and the page waits for that.
  return `${evmPath(only)}/transactions/${id}`;
}
