import { evm, type Holder, type Token, type TokenItem } from '@switchyard/explorer/contract';
import { FactList } from '../../ui/facts.tsx';
import { formatCount, formatUnits } from '../../ui/format.ts';
import { Name } from '../../ui/name.tsx';
import { shown } from '../../ui/shown.ts';
import type { Columns } from '../../ui/table.tsx';
import { toList } from '../api.ts';
import { Answer } from '../parts/answer.tsx';
import { count, Id, inBlock } from '../parts/cells.tsx';
import { Title } from '../parts/layout.tsx';
import { type Lists, listed, Sections } from '../parts/list.tsx';
import type { PageProps } from '../route.ts';
import { tokenAmount } from './amounts.ts';
import { address, evmBase, standard, TRANSFERS } from './columns.tsx';

const ITEMS: Columns<TokenItem> = [
  ['Item', ({ id }) => `#${id}`],
  ['Owner', address('owner')],
  ['Amount', count('amount'), 'number'],
];

function lists(rollup: string, token: Token): Lists {
  const holders: Columns<Holder> = [
    ['Holder', address('address')],
    ['Balance', ({ balance }) => tokenAmount(balance, token), 'number'],
    ['Share', ({ balance }) => share(balance, token.supply ?? ''), 'number'],
  ];
  const item = { rollup, address: token.address };
  return {
    transfers: listed('Transfers', toList(evm.listEvmTokenTransfers, item), TRANSFERS.slice(0, -1)),
    holders: listed('Holders', toList(evm.listEvmTokenHolders, item), holders),
    ...(token.kind !== 'erc20' && { items: listed('Items', toList(evm.listEvmTokenItems, item), ITEMS) }),
  };
}

function share(balance: string, supply: string): string {
  if (!/^\d+$/.test(balance) || !/^[1-9]\d*$/.test(supply)) return '–';
  return `${(Number((BigInt(balance) * 1_000_000n) / BigInt(supply)) / 10_000).toFixed(2)} %`;
}

export function EvmToken({ rollup, id, part, route }: PageProps) {
  return (
    <Answer
      page="Token"
      route={evm.getEvmToken}
      params={{ rollup, address: id }}
      absent={`The contract ${shown(id)} has reported no transfer of a token.`}
      show={(token) => {
        const { address, name, symbol, supply, decimals } = token;
        return (
          <>
            <Title kind="Token">{shown(name || symbol) || 'without a name'}</Title>
            <FactList
              facts={[
                ['Contract', <Id key="contract" text={address} to={`./evm/addresses/${address}`} isWhole />],
                ['Name', name && <Name key="name" name={name} address={address} />],
                ['Symbol', symbol && <Name key="symbol" name={symbol} address={address} />],
                ['Standard', standard(token.kind)],
                ['Supply', supply === null ? 'its contract does not answer' : formatUnits(supply, decimals ?? 0)],
                ['Decimals', formatCount(decimals)],
                ['Holders', formatCount(token.holders)],
                ['Transfers', formatCount(token.transfers)],
                ['First transfer', inBlock(token.firstBlock, './evm/blocks')],
                !token.isExact && [
                  'Note',
                  'The balances that its contract answers differ from what its logs add up to.',
                ],
              ]}
            />
            <Sections
              base={`${evmBase(rollup)}/tokens/${encodeURIComponent(id)}`}
              label="About this token"
              lists={lists(rollup, token)}
              part={part}
              cursor={route.cursor}
            />
          </>
        );
      }}
    />
  );
}
