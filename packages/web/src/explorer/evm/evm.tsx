import { evm } from '@switchyard/explorer/contract';
import { ask, rollupPath, toList } from '../api.ts';
import { useAsked } from '../parts/answer.tsx';
import { Hint, type HintProps } from '../parts/hint.tsx';
import { PageOf, type Pages } from '../parts/layout.tsx';
import { type Lists, listed, Newest } from '../parts/list.tsx';
import { namesOfTokens } from '../parts/names.ts';
import type { PageProps, Route } from '../route.ts';
import { NO_EVM_WITHDRAWAL } from '../views/hints.tsx';
import { EvmAddress } from './address.tsx';
import { EvmBlock } from './block.tsx';
import { EvmCharts } from './charts.tsx';
import { BLOCKS, TOKENS, TRANSACTIONS, WITHDRAWALS } from './columns.tsx';
import { EvmToken } from './token.tsx';
import { EvmTransaction } from './transaction.tsx';

/* Pages of EVM rollups, loaded when the first of them is opened. */

/** A command that calls the JSON-RPC of a rollup. */
function RpcHint({ rollup, command = '', children }: HintProps & Pick<PageProps, 'rollup'>) {
  const { value } = useAsked(`network ${rollup}`, () => ask(evm.getEvmNetwork, { rollup }));
  return <Hint command={command.replace('URL', value?.url ?? 'URL')}>{children}</Hint>;
}

/** Lists that the pages of EVM rollups have in their own form, by their addresses. */
export function getLists(rollup: string): Lists {
  return {
    'evm/transactions': listed(
      'Transactions',
      toList(evm.listEvmTransactions, { rollup }),
      TRANSACTIONS,
      <RpcHint rollup={rollup} command="cast send --rpc-url URL --private-key KEY --value 1ether ADDRESS">
        No transaction was executed yet. Send one from a wallet, or with Foundry:
      </RpcHint>,
    ),
    'evm/blocks': listed('Blocks', toList(evm.listEvmBlocks, { rollup }), BLOCKS),
    'evm/tokens': listed(
      'Tokens',
      { ...toList(evm.listEvmTokens, { rollup }), getNames: namesOfTokens },
      TOKENS,
      <RpcHint rollup={rollup} command="forge create --rpc-url URL --private-key KEY --broadcast src/Token.sol:Token">
        No contract has reported a transfer of a token yet. Deploy one:
      </RpcHint>,
    ),
    'evm/withdrawals': listed(
      'Withdrawals',
      toList(evm.listEvmWithdrawals, { rollup }),
      WITHDRAWALS,
      NO_EVM_WITHDRAWAL,
    ),
  };
}

/** Charts and newest entries of an EVM rollup, for its overview. */
export const EvmOverview = ({ rollup }: { readonly rollup: string }) => (
  <>
    <EvmCharts rollup={rollup} />
    <Newest lists={getLists(rollup)} base={rollupPath(rollup)} />
  </>
);

const PAGES: Pages = { blocks: EvmBlock, transactions: EvmTransaction, addresses: EvmAddress, tokens: EvmToken };

/** A page below `/rollups/{rollup}/evm/`. */
export function EvmView({ rollup, route }: { readonly rollup: string; readonly route: Route }) {
  const [, , , kind = '', id = '', part = ''] = route.parts;
  return <PageOf pages={PAGES} kind={kind} rollup={rollup} id={id} part={part} route={route} />;
}
