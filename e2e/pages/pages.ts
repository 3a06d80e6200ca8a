import type { Network } from '../support/network.ts';
import { talk, trade } from './activity.ts';

/** A page as people open it, with a mark of its complete contents. */
export interface PageOf {
  readonly name: string;
  readonly url: string;
  readonly shows: RegExp;
  /** Selector of the pictured part of the page, if not all. */
  readonly part?: string;
  /** Whether Lighthouse looks at it: the first page of each, since the others are the same program. */
  readonly isFirst?: boolean;
}

/** Makes a network look used, and lists its pages. */
export async function getPages(network: Network): Promise<readonly PageOf[]> {
  const message = await talk(network);
  const { address, transaction } = await trade(network);
  const explorer = network.url('explorer');
  const evm = `${explorer}/#/rollups/evm/evm`;
  return [
    { name: 'start', url: network.url('startPage'), shows: /All \d+ services are ready/, isFirst: true },
    { name: 'start-flow', url: network.url('startPage'), shows: /newest transaction/, part: '.flow' },
    { name: 'chat', url: network.url('rollup'), shows: /Is the testnet up/, isFirst: true },
    { name: 'explorer', url: explorer, shows: /Newest 100 blocks[\s\S]*executed/, isFirst: true },
    { name: 'faucet', url: network.url('messengerFaucet'), shows: /per claim/, isFirst: true },
    { name: 'reference', url: `${network.url('rollup')}/docs`, shows: /OpenAPI/, isFirst: true },
    {
      name: 'explorer-trace',
      url: `${explorer}/#/rollups/messenger/transactions/${message}`,
      shows: /Sequenced[\s\S]*Executed/,
    },
    { name: 'explorer-evm', url: `${explorer}/#/rollups/evm`, shows: /Gas per block[\s\S]*success/ },
    {
      name: 'explorer-evm-transaction',
      url: `${evm}/transactions/${transaction}`,
      shows: /Executed[\s\S]*Logs \(\d+\)/,
    },
    { name: 'explorer-block', url: `${explorer}/#/blocks/3`, shows: /Proposer/ },
    { name: 'explorer-evm-contract', url: `${evm}/addresses/${address}`, shows: /Creator|Created/ },
    { name: 'admin', url: `${network.url('rollup')}/admin`, shows: /messenger/ },
    { name: 'explorer-evm-token', url: `${evm}/tokens/${address}/holders`, shows: /Harbour Credit[\s\S]*Share/ },
  ];
}
