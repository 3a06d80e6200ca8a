import { number, text } from '../../http/cells.ts';
import type { EvmContext } from '../http/context.ts';
import { fromSortable } from '../tokens/holdings.ts';
import type { EtherscanModule, EtherscanRequest } from './dispatch.ts';
import { NotOk } from './not-ok.ts';
import { getSome, rangeIn, readPage } from './ranges.ts';

const MAX_HOLDERS = 1_000;
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

/** Modules that answer about one block, transaction or token. */
export function chainModules(
  context: EvmContext,
): Readonly<Record<'block' | 'transaction' | 'stats' | 'token', EtherscanModule>> {
  const { store } = context;
  const getStatus = async ({ rollup, parameters }: EtherscanRequest) => {
    const [row] = await store.read('SELECT status FROM evm_transactions WHERE rollup = ? AND hash = ?', [
      rollup.key,
      parameters.hash('txhash'),
    ]);
    return row?.status;
  };
  const getToken = async ({ rollup, parameters }: EtherscanRequest) => {
    const address = parameters.address('contractaddress');
    const [row] = await store.read('SELECT * FROM evm_tokens WHERE rollup = ? AND address = ?', [rollup.key, address]);
    if (row === undefined) throw new NotOk('No data found', [], 'No data found');
    return row;
  };
  return {
    block: {
      async getblockreward({ rollup, parameters }) {
        const block = parameters.integer('blockno', {});
        const [row] = await store.read('SELECT number, time FROM evm_blocks WHERE rollup = ? AND number = ?', [
          rollup.key,
          block,
        ]);
        if (row === undefined) throw new NotOk('No record found', null, 'No record found');
        const timeStamp = String(Math.floor(number(row.time) / 1_000));
        // No block pays its maker.
        return {
          ...{ blockNumber: text(row.number), timeStamp, blockMiner: ZERO_ADDRESS, blockReward: '0' },
          ...{ uncles: [], uncleInclusionReward: '0' },
        };
      },

      async getblocknobytime({ rollup, parameters }) {
        const time = 1_000 * parameters.integer('timestamp', { max: 10 ** 12 });
        const isBefore = (parameters.optional('closest') ?? 'before').toLowerCase() === 'before';
        const found = await blockAt(context, rollup.key, rollup.indexed, time, isBefore);
        if (found === undefined) throw new NotOk('Error! No closest block found');
        return String(found);
      },
    },

    transaction: {
      async getstatus(request) {
        const failed = (await getStatus(request)) === 0;
        return { isError: failed ? '1' : '0', errDescription: failed ? 'execution failed' : '' };
      },

      async gettxreceiptstatus(request) {
        const status = await getStatus(request);
        return { status: status === undefined ? '' : String(status) };
      },
    },

    stats: {
      async tokensupply(request) {
        const { supply } = await getToken(request);
        if (supply === null) throw new NotOk('the contract does not answer its total supply');
        return text(supply);
      },
    },

    token: {
      async tokeninfo(request) {
        const row = await getToken(request);
        return [
          {
            contractAddress: `0x${text(row.address)}`,
            tokenName: text(row.name),
            symbol: text(row.symbol),
            divisor: text(row.decimals),
            tokenType: text(row.kind).toUpperCase().replace('ERC', 'ERC-'),
            totalSupply: text(row.supply),
          },
        ];
      },

      async tokenholderlist(request) {
        const { rollup, parameters } = request;
        const { address } = await getToken(request);
        const range = rangeIn(parameters, { limit: MAX_HOLDERS });
        const rows = await readPage(
          store,
          range,
          (limit) =>
            `SELECT holder, balance FROM evm_holders WHERE rollup = ? AND token = ? ${range.order('holder')} ${limit}`,
          [rollup.key, text(address)],
        );
        return getSome(
          'holders',
          rows.map(({ holder, balance }) => ({
            TokenHolderAddress: `0x${text(holder)}`,
            TokenHolderQuantity: String(fromSortable(text(balance))),
          })),
        );
      },

      tokenholdercount: async (request) => text((await getToken(request)).holders),
    },
  };
}

/** The last block up to a time, or the first from it on: times grow with numbers, so it is found in a few steps. */
async function blockAt({ store }: EvmContext, key: string, indexed: number, time: number, isBefore: boolean) {
  const [lowest] = await store.read('SELECT MIN(number) AS number FROM evm_blocks WHERE rollup = ?', [key]);
  if (typeof lowest?.number !== 'number') return undefined;
  let [low, high] = [lowest.number, indexed + 1];
  // The first block that is later than the time, or at it if that one is wanted.
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [row] = await store.read(
      'SELECT time FROM evm_blocks WHERE rollup = ? AND number >= ? ORDER BY number LIMIT 1',
      [key, middle],
    );
    const isLater = row === undefined || (isBefore ? number(row.time) > time : number(row.time) >= time);
    if (isLater) high = middle;
    else low = middle + 1;
  }
  const found = isBefore ? low - 1 : low;
  return found >= lowest.number && found <= indexed ? found : undefined;
}
