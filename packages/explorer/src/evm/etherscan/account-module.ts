import { number, text } from '../../http/cells.ts';
import type { Row } from '../../store/store.ts';
import type { TokenKind } from '../evm-block.ts';
import type { EvmContext } from '../http/context.ts';
import { getMethods } from '../http/decoding.ts';
import { fromSortable } from '../tokens/holdings.ts';
import type { Action, EtherscanModule, EtherscanRequest } from './dispatch.ts';
import { NotOk } from './not-ok.ts';
import { getSome, hexOrEmpty, rangeIn, readPage, transactionMembers } from './ranges.ts';

const MAX_ADDRESSES = 20;
const ADDRESS = /^0x[0-9a-f]{40}$/i;

/** Balances, and activity of addresses. */
export function accountModule(context: EvmContext): EtherscanModule {
  const { store, signal } = context;
  const balance = async ({ rollup }: EtherscanRequest, account: string): Promise<string> => {
    const [now] = await rollup.node.accounts(account, ['latest'], signal);
    if (now === undefined) throw new NotOk('the node of this rollup has no state');
    return String(now.balance);
  };
  return {
    balance: (request) => balance(request, request.parameters.address()),

    async balancemulti(request) {
      const addresses = request.parameters.text('address').split(',', MAX_ADDRESSES + 1);
      if (addresses.length > MAX_ADDRESSES || !addresses.every((each) => ADDRESS.test(each)))
        throw new NotOk(`Error! address: expected at most ${MAX_ADDRESSES} addresses, separated by commas`);
      return Promise.all(
        addresses.map(async (account) => ({
          account,
          balance: await balance(request, account.slice(2).toLowerCase()),
        })),
      );
    },

    async txlist({ rollup, parameters }) {
      const range = rangeIn(parameters);
      const rows = await readPage(
        store,
        range,
        (limit) => `SELECT t.*, e.time, e.hash AS block_hash FROM evm_address_transactions a ${OF_TRANSACTION}
         WHERE a.rollup = ? AND a.address = ? AND ${range.within('a.number')} ${range.order('a.number', 'a.position')} ${limit}`,
        [rollup.key, parameters.address(), ...range.params],
      );
      const method = await getMethods(context, rollup, rows);
      return getSome(
        'transactions',
        rows.map((row) => ({
          ...transactionMembers(row, rollup),
          from: `0x${text(row.sender)}`,
          to: hexOrEmpty(row.recipient),
          value: text(row.value),
          input: `0x${text(row.input)}`,
          methodId: row.recipient === null ? '0x' : `0x${text(row.input).slice(0, 8)}`,
          functionName: method(row) ?? '',
          contractAddress: hexOrEmpty(row.created),
          txreceipt_status: text(row.status),
          isError: row.status === 1 ? '0' : '1',
        })),
      );
    },

    async txlistinternal({ rollup, parameters }) {
      const range = rangeIn(parameters);
      const isOfOne = parameters.optional('txhash') !== undefined;
      const [from, where, value] = isOfOne
        ? [
            'evm_transactions t JOIN evm_internal i ON i.rollup = t.rollup AND i.number = t.number AND i.position = t.position',
            't.rollup = ? AND t.hash = ?',
            parameters.hash('txhash'),
          ]
        : [
            `evm_address_internal a
             JOIN evm_internal i ON i.rollup = a.rollup AND i.number = a.number AND i.position = a.position AND i.ordinal = a.ordinal
             JOIN evm_transactions t ON t.rollup = a.rollup AND t.number = a.number AND t.position = a.position`,
            'a.rollup = ? AND a.address = ?',
            parameters.address(),
          ];
      const rows = await readPage(
        store,
        range,
        (
          limit,
        ) => `SELECT t.*, i.kind AS call_kind, i.sender AS caller, i.recipient AS callee, i.value AS moved, i.ordinal, e.time, e.hash AS block_hash
         FROM ${from} JOIN evm_blocks e ON e.rollup = t.rollup AND e.number = t.number
         WHERE ${where} AND ${range.within('i.number')} ${range.order('i.number', 'i.position', 'i.ordinal')} ${limit}`,
        [rollup.key, value, ...range.params],
      );
      return getSome(
        'transactions',
        rows.map((row) => {
          const isCreation = text(row.call_kind).startsWith('create');
          const { blockNumber, timeStamp, hash, gas, gasUsed } = transactionMembers(row, rollup);
          return {
            ...{ blockNumber, timeStamp, hash, gas, gasUsed, input: '' },
            from: `0x${text(row.caller)}`,
            to: isCreation ? '' : `0x${text(row.callee)}`,
            value: text(row.moved),
            contractAddress: isCreation ? `0x${text(row.callee)}` : '',
            type: text(row.call_kind),
            traceId: text(row.ordinal),
            isError: '0',
            errCode: '',
          };
        }),
      );
    },

    tokentx: transfers(context, 'erc20', ({ amount }) => ({ value: text(amount) })),
    tokennfttx: transfers(context, 'erc721', ({ token_id }) => ({ tokenID: text(token_id) })),
    token1155tx: transfers(context, 'erc1155', ({ token_id, amount }) => ({
      tokenID: text(token_id),
      tokenValue: text(amount),
    })),

    async tokenbalance({ rollup, parameters }) {
      const [row] = await store.read('SELECT balance FROM evm_holders WHERE rollup = ? AND token = ? AND holder = ?', [
        ...[rollup.key, parameters.address('contractaddress'), parameters.address()],
      ]);
      return row === undefined ? '0' : String(fromSortable(text(row.balance)));
    },

    async getminedblocks() {
      // No block pays its maker.
      return getSome('transactions', []);
    },
  };
}

const OF_TRANSACTION = `JOIN evm_transactions t ON t.rollup = a.rollup AND t.number = a.number AND t.position = a.position
  JOIN evm_blocks e ON e.rollup = a.rollup AND e.number = a.number`;

/** Transfers of tokens of one standard, of an address, of a token, or of both. */
function transfers(
  { store }: EvmContext,
  kind: TokenKind,
  amounts: (row: Row) => Readonly<Record<string, string>>,
): Action {
  return async ({ rollup, parameters }) => {
    const range = rangeIn(parameters);
    const token =
      parameters.optional('contractaddress') === undefined ? undefined : parameters.address('contractaddress');
    const account =
      token === undefined || parameters.optional('address') !== undefined ? parameters.address() : undefined;
    const from =
      account === undefined
        ? 'evm_transfers x'
        : 'evm_address_transfers a JOIN evm_transfers x ON x.rollup = a.rollup AND x.number = a.number AND x.log = a.log AND x.item = a.item';
    const driving = account === undefined ? 'x' : 'a';
    const conditions = [
      ...(account === undefined ? ['x.rollup = ?'] : ['a.rollup = ?', 'a.address = ?']),
      ...(token === undefined ? [] : ['x.token = ?']),
      'x.kind = ?',
      range.within(`${driving}.number`),
    ];
    const rows = await readPage(
      store,
      range,
      (
        limit,
      ) => `SELECT t.*, x.token, x.sender AS giver, x.recipient AS taker, x.token_id, x.amount, e.time, e.hash AS block_hash,
       k.name, k.symbol, k.decimals FROM ${from}
       JOIN evm_transactions t ON t.rollup = x.rollup AND t.number = x.number AND t.position = x.position
       JOIN evm_blocks e ON e.rollup = x.rollup AND e.number = x.number
       JOIN evm_tokens k ON k.rollup = x.rollup AND k.address = x.token
       WHERE ${conditions.join(' AND ')} ${range.order(`${driving}.number`, `${driving}.log`, `${driving}.item`)} ${limit}`,
      [
        rollup.key,
        ...(account === undefined ? [] : [account]),
        ...(token === undefined ? [] : [token]),
        kind,
        ...range.params,
      ],
    );
    return getSome(
      'transactions',
      rows.map((row) => ({
        ...transactionMembers(row, rollup),
        from: `0x${text(row.giver)}`,
        to: `0x${text(row.taker)}`,
        contractAddress: `0x${text(row.token)}`,
        ...amounts(row),
        tokenName: text(row.name),
        tokenSymbol: text(row.symbol),
        tokenDecimal: String(number(row.decimals)),
        input: 'deprecated',
      })),
    );
  };
}
