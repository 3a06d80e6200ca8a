import { type Clock, errorLine, isTransportFailure, type Logger, repeatedWarnings, sleep } from '@switchyard/service';
import type { RollupIndexer } from '../../rollups/rollup-indexer.ts';
import { evmKey } from '../../store/evm-tables.ts';
import { IndexLost, type IndexStore, type Row, type Statement, Superseded } from '../../store/store.ts';
import type { EvmNode } from '../evm-node.ts';
import { fromSortable, sortable } from './holdings.ts';
import * as abi from './token-calls.ts';

interface TokenWatchDeps {
  readonly node: Pick<EvmNode, 'url' | 'read'>;
  readonly store: IndexStore;
  readonly indexer: Pick<RollupIndexer, 'state'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly pollMs: number;
}

/** Tokens of one round, and the newest transfers of each whose parties are compared: all of it costs the node gas. */
const TOKENS = 4;
const TRANSFERS = 4;
const MAX_NAME = 100;
const MAX_SYMBOL = 32;
const MAX_DECIMALS = 255;

/** A balance that the index has, and the call that answers it. */
interface Held {
  readonly holder: string;
  /** Item of an ERC-1155 token. */
  readonly item: string | undefined;
  readonly balance: bigint;
  readonly call: string;
}

/**
 * Asks the contracts of tokens that moved for their names and supply, and compares balances that logs add up to with the ones of
 * the contract. These calls cost a contract nothing, regardless of the work, so each has little gas, and few are made.
 */
export class TokenWatch {
  readonly #deps: TokenWatchDeps;

  constructor(deps: TokenWatchDeps) {
    this.#deps = deps;
  }

  /** Runs until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, node, pollMs } = this.#deps;
    const sentence = 'tokens could not be queried, trying again';
    const failures = repeatedWarnings(log, { one: sentence, several: sentence });
    while (!signal.aborted) {
      try {
        await this.round(signal);
      } catch (error) {
        if (signal.aborted) return;
        const isExpected = isTransportFailure(error) || error instanceof IndexLost || error instanceof Superseded;
        const line = { url: node.url, error: errorLine(error) };
        if (isExpected) log.debug(line, 'tokens are queried later');
        else failures.add('failed', undefined, line);
      }
      await sleep(pollMs, signal, clock).catch(() => undefined);
    }
  }

  /** Asks some of the tokens that are due. @returns how many. */
  async round(signal: AbortSignal): Promise<number> {
    const { store, indexer } = this.#deps;
    const id = indexer.state().head?.id;
    if (id === undefined) return 0;
    const due = await store.read(
      'SELECT address, kind, described FROM evm_tokens WHERE rollup = ? AND due = 1 ORDER BY asked, address LIMIT ?',
      [evmKey(id), TOKENS],
    );
    for (const row of due) await this.#ask(evmKey(id), `rollup ${id}`, row, signal);
    return due.length;
  }

  async #ask(key: string, cursor: string, row: Row, signal: AbortSignal): Promise<void> {
    const { store, node } = this.#deps;
    const [token, isDescribed] = [String(row.address), row.described === 1];
    const height = async () => (await store.read('SELECT height FROM cursors WHERE name = ?', [cursor]))[0]?.height;
    const block = await height();
    const held = await this.#held(key, token, row.kind === 'erc1155');
    // Rows of one block, or none: the index may have moved in the meantime.
    if (typeof block !== 'number' || (await height()) !== block) return;
    const about = [abi.TOTAL_SUPPLY, ...(isDescribed ? [] : [abi.NAME, abi.SYMBOL, abi.DECIMALS])];
    const calls = [...about, ...held.map(({ call }) => call)].map((data) => ({ to: token, data }));
    const answers = await node.read(calls, block, signal);
    const [supply, name, symbol, decimals] = answers;
    const balances = answers.slice(about.length).map(abi.numberIn);
    const differing = held.flatMap((each, at) =>
      balances[at] === each.balance ? [] : [{ ...each, answer: balances[at] }],
    );
    const isStill = 'UPDATE cursors SET height = height WHERE name = ? AND height = ?';
    await store.write([
      // Transfers that came in the meantime are not in these answers.
      { sql: isStill, params: [cursor, block], changes: 1 },
      answered(key, token, block, abi.numberIn(supply), differing.length === 0),
      ...(isDescribed ? [] : [described(key, token, { name, symbol, decimals })]),
      ...differing.flatMap((each) => corrected(key, token, each)),
    ]);
  }

  /** Balances that the index has of the parties of the newest transfers. */
  async #held(key: string, token: string, hasItems: boolean): Promise<Held[]> {
    const { store } = this.#deps;
    const transfers = await store.read(
      `SELECT sender, recipient, token_id FROM evm_transfers WHERE rollup = ? AND token = ?
       ORDER BY number DESC, log DESC, item DESC LIMIT ?`,
      [key, token, TRANSFERS],
    );
    const held = new Map<string, Held>();
    for (const { sender, recipient, token_id } of transfers) {
      for (const holder of [String(sender), String(recipient)]) {
        const item = hasItems ? sortable(BigInt(String(token_id ?? 0))) : undefined;
        if (/^0+$/.test(holder) || held.has(`${holder} ${item}`)) continue;
        const sql =
          item === undefined
            ? 'SELECT balance FROM evm_holders WHERE rollup = ? AND token = ? AND holder = ?'
            : 'SELECT amount AS balance FROM evm_items WHERE rollup = ? AND token = ? AND holder = ? AND token_id = ?';
        const [row] = await store.read(sql, [key, token, holder, ...(item === undefined ? [] : [item])]);
        const balance = row === undefined ? 0n : fromSortable(String(row.balance));
        const call = item === undefined ? abi.balanceOf(holder) : abi.balanceOfItem(holder, item);
        held.set(`${holder} ${item}`, { holder, item, balance, call });
      }
    }
    return [...held.values()];
  }
}

function answered(key: string, token: string, block: number, supply: bigint | undefined, isExact: boolean): Statement {
  return {
    sql: 'UPDATE evm_tokens SET supply = ?, exact = exact * ?, due = 0, asked = ? WHERE rollup = ? AND address = ?',
    params: [supply === undefined ? null : String(supply), isExact ? 1 : 0, block, key, token],
  };
}

function described(
  key: string,
  token: string,
  answers: Readonly<Record<'name' | 'symbol' | 'decimals', string | undefined>>,
): Statement {
  const decimals = abi.numberIn(answers.decimals);
  const isUsual = decimals !== undefined && decimals <= MAX_DECIMALS;
  return {
    sql: 'UPDATE evm_tokens SET described = 1, name = ?, symbol = ?, decimals = ? WHERE rollup = ? AND address = ?',
    params: [
      abi.textIn(answers.name, MAX_NAME) ?? null,
      abi.textIn(answers.symbol, MAX_SYMBOL) ?? null,
      isUsual ? Number(decimals) : null,
      key,
      token,
    ],
  };
}

/** Shows the contract's answer from then on, until the holder's next transfer. */
function corrected(
  key: string,
  token: string,
  { holder, item, balance, answer }: Held & { readonly answer: bigint | undefined },
): Statement[] {
  // Items are shown as logs report them, and so are balances that a contract does not answer.
  if (item !== undefined || answer === undefined) return [];
  const place = [key, token, holder];
  const more = (answer > 0n ? 1 : 0) - (balance > 0n ? 1 : 0);
  const count = {
    sql: 'UPDATE evm_tokens SET holders = holders + ? WHERE rollup = ? AND address = ?',
    params: [more, key, token],
  };
  const row =
    answer > 0n
      ? {
          sql: `INSERT INTO evm_holders (rollup, token, holder, balance, number) VALUES (?, ?, ?, ?, 0)
            ON CONFLICT (rollup, token, holder) DO UPDATE SET balance = excluded.balance`,
          params: [...place, sortable(answer)],
        }
      : { sql: 'DELETE FROM evm_holders WHERE rollup = ? AND token = ? AND holder = ?', params: place };
  return more === 0 ? [row] : [row, count];
}
