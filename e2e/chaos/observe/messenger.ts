import { readFileSync } from 'node:fs';
import type { HttpClient } from '../../support/http-client.ts';
import { ASSET } from '../../support/submitting.ts';
import type { Balance, Execution, RollupBlock } from '../check/observed.ts';
import type { History } from '../history.ts';
import { SEQUENCER_ASSET } from '../load/deposits.ts';
import { type GenesisAccounts, genesisSupply } from './genesis.ts';
import { askAll, range } from './pages.ts';
import type { RollupView } from './rollup-view.ts';

const PAGE = 1_000;
const TEXT_FEE = 1n;

interface BlockAnswer extends RollupBlock {
  readonly sequencerBlockHash: string;
  readonly executed: number;
  readonly refusals: readonly { readonly hash: string; readonly index: number; readonly message: string }[];
}

interface TextAnswer {
  readonly message: string;
  readonly block: number;
  readonly hash: string | null;
}

export async function messengerHeight(http: HttpClient): Promise<number> {
  return Number(((await http.json('/v1/status')) as { sequencerHeight: number }).sequencerHeight);
}

/** The messenger's view of a run. @param from The newest block before the load. */
export async function messengerView(
  http: HttpClient,
  history: History,
  { from, to, genesisFile }: { readonly from: number; readonly to: number; readonly genesisFile: string },
): Promise<RollupView> {
  const blocks = await askAll(range(1, to), async (number) => (await http.json(`/v1/blocks/${number}`)) as BlockAnswer);
  const texts = await allTexts(http);
  const refused = blocks.flatMap(({ number, refusals }) =>
    refusals.map(({ hash, index, message }) => ({
      ...{ id: hash, block: Number(number), index, outcome: 'refused' as const, reason: message, fee: 0n },
    })),
  );
  // A text that was executed is among the texts; the rest is looked up by hash.
  const shown = new Set(texts.map(({ hash }) => hash));
  const rest = [...history.sent.values()].filter(({ id, intent }) => intent.kind !== 'deposit' && !shown.has(id));
  const outcomes = await askAll(rest, ({ id, intent }) =>
    findExecution(http, id, intent.kind === 'text' ? TEXT_FEE : 0n),
  );
  const executions: Execution[] = [
    ...texts.flatMap(({ hash, block }) =>
      hash === null
        ? []
        : [{ id: hash, block: Number(block), index: undefined, outcome: 'executed' as const, fee: TEXT_FEE }],
    ),
    ...outcomes.filter((execution) => execution !== undefined),
    ...refused,
  ];
  const accounts = history.funded.map(({ address }) => address);
  // The file that `dev init` wrote.
  const genesis = JSON.parse(readFileSync(genesisFile, 'utf8')) as GenesisAccounts;
  const inGenesis = genesis.accounts.map(({ address }) => address.bech32m);
  return {
    executions,
    postponed: new Map(),
    texts: new Map(texts.flatMap(({ hash, message }) => (hash === null ? [] : [[hash, message] as const]))),
    executedInAll: blocks
      .filter(({ number }) => Number(number) > from)
      .reduce((sum, { executed }) => sum + executed, 0),
    rollupBlocks: blocks.map(({ number, hash, parentHash, sequencerBlockHash }) => ({
      ...{ number: Number(number), hash, parentHash, sequencerHash: sequencerBlockHash },
    })),
    balances: (await askAll(accounts, (address) => getBalances(http, address))).flat(),
    ...(await funds(http, [...accounts, ...inGenesis], texts.filter(({ hash }) => hash !== null).length)),
    genesisSupply: genesisSupply(genesis),
    depositUnit: 1n,
    depositAsset: SEQUENCER_ASSET,
  };
}

async function allTexts(http: HttpClient): Promise<TextAnswer[]> {
  const texts: TextAnswer[] = [];
  for (;;) {
    // Ids begin with 0, that of the text of the genesis.
    const after = texts.length === 0 ? '' : `&after=${texts.length - 1}`;
    const first = texts.length === 0 ? `&before=${PAGE}` : '';
    const page = (await http.json(`/v1/texts?limit=${PAGE}${after}${first}`)) as { texts: TextAnswer[] };
    if (page.texts.length === 0) return texts;
    texts.push(...page.texts);
  }
}

async function findExecution(http: HttpClient, id: string, fee: bigint): Promise<Execution | undefined> {
  const { status, text } = await http.call({ method: 'GET', path: `/v1/transactions/${id}` });
  if (status === 404) return undefined;
  if (status !== 200) throw new Error(`/v1/transactions/${id}: ${status} ${text}`);
  // An object by the API's contract.
  const outcome = JSON.parse(text) as { state: string; block?: number; index?: number };
  // A transaction that a block refused is among the refusals of that block.
  if (outcome.state !== 'executed' && outcome.state !== 'firm') return undefined;
  return { id, block: Number(outcome.block), index: outcome.index, outcome: 'executed', fee };
}

async function getBalances(http: HttpClient, address: string): Promise<Balance[]> {
  const account = (await http.json(`/v1/accounts/${address}`)) as { balances: { asset: string; amount: string }[] };
  return account.balances.map(({ asset, amount }) => ({ address, asset, amount: BigInt(amount) }));
}

/** Money of the genesis is with the accounts of the genesis and of the load, or was destroyed for texts. */
async function funds(http: HttpClient, accounts: readonly string[], texts: number) {
  const all = (await askAll([...new Set(accounts)], (each) => getBalances(http, each))).flat();
  const sum = (name: string) => all.reduce((total, { asset, amount }) => total + (asset === name ? amount : 0n), 0n);
  return { supply: sum(ASSET) + BigInt(texts) * TEXT_FEE, deposited: sum(SEQUENCER_ASSET) };
}
