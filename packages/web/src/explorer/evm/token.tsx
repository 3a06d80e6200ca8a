import type { Input } from '@switchyard/client/http-api';
import { textOf, word } from '../api.ts';
import { formatCount, formatUnits } from '../format.ts';
import { useLive } from '../live.tsx';
import { Answer } from '../parts/answer.tsx';
import { Id } from '../parts/id.tsx';
import { Absent, FactList, Tabs, Title } from '../parts/layout.tsx';
import { type Columns, List } from '../parts/list.tsx';
import type { Route } from '../route.ts';
import { shown } from '../shown.ts';
import { addressOf, blockOf, tokenAmount } from './cells.tsx';
import { standard, transferColumns } from './columns.tsx';

interface TokenList {
  readonly part: string;
  readonly name: string;
  readonly columns: Columns;
}

function lists(base: string, token: Input): readonly TokenList[] {
  const supply = word(token.at('supply'));
  const holders: Columns = [
    ['Holder', addressOf(base, 'address')],
    ['Balance', (row) => tokenAmount(row, token), 'number'],
    ['Share', (row) => share(word(row.at('balance')), supply), 'number'],
  ];
  const items: Columns = [
    ['Item', (row) => `#${textOf(row, 'id')}`],
    ['Owner', addressOf(base, 'owner')],
    ['Amount', (row) => formatCount(textOf(row, 'amount')), 'number'],
  ];
  return [
    { part: 'transfers', name: 'Transfers', columns: transferColumns(base).slice(0, -1) },
    { part: 'holders', name: 'Holders', columns: holders },
    ...(word(token.at('kind')) === 'erc20' ? [] : [{ part: 'items', name: 'Items', columns: items }]),
  ];
}

function share(balance: string, supply: string): string {
  if (!/^\d+$/.test(balance) || !/^[1-9]\d*$/.test(supply)) return '–';
  return `${(Number((BigInt(balance) * 1_000_000n) / BigInt(supply)) / 10_000).toFixed(2)} %`;
}

export function EvmToken({
  base,
  address,
  part,
  route,
}: {
  readonly base: string;
  readonly address: string;
  readonly part: string;
  readonly route: Route;
}) {
  const { turn } = useLive();
  const path = `${base}/tokens/${encodeURIComponent(address)}`;
  return (
    <Answer
      page="Token"
      path={path}
      turn={turn}
      absent={<Absent title="No such token">The contract {shown(address)} has reported no transfer of a token.</Absent>}
      show={(token) => {
        const decimals = Number(word(token.at('decimals')) || '0');
        const offered = lists(base, token);
        const one = offered.find((each) => each.part === (part || 'transfers'));
        return (
          <>
            <Title kind="Token">{textOf(token, 'name') || textOf(token, 'symbol') || 'without a name'}</Title>
            <FactList
              facts={[
                [
                  'Contract',
                  <Id
                    key="contract"
                    text={word(token.at('address'))}
                    to={`${base}/addresses/${word(token.at('address'))}`}
                    isWhole
                  />,
                ],
                ['Symbol', <bdi key="symbol">{textOf(token, 'symbol') || '–'}</bdi>],
                ['Standard', standard(textOf(token, 'kind'))],
                [
                  'Supply',
                  token.at('supply').isPresent
                    ? formatUnits(word(token.at('supply')), decimals)
                    : 'its contract does not answer',
                ],
                ['Decimals', textOf(token, 'decimals')],
                ['Holders', formatCount(textOf(token, 'holders'))],
                ['Transfers', formatCount(textOf(token, 'transfers'))],
                ['First transfer in', blockOf(base, 'firstBlock')(token)],
                word(token.at('isExact')) === 'true'
                  ? undefined
                  : ['Note', 'The balances that its contract answers differ from what its logs add up to.'],
              ]}
            />
            <Tabs
              base={path}
              label="About this token"
              current={part || 'transfers'}
              tabs={offered.map(({ name, part: of }) => ({ name, part: of }))}
            />
            {one !== undefined && (
              <List
                title={one.name}
                path={`${path}/${one.part}`}
                columns={one.columns}
                turn={turn}
                page={{ path: `${path}/${one.part}`, cursor: route.cursor }}
              />
            )}
          </>
        );
      }}
    />
  );
}
