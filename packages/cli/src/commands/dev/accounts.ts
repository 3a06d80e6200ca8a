import { plain } from '@switchyard/protocol/hidden-characters';
import type { Cli } from '../../cli.ts';
import { type Connections, connections } from '../../connect.ts';
import type { AccountState, Bridge, EvmAccountState, Holdings } from '../../dev/accounts/state.ts';
import { columns } from '../../print.ts';
import { getPaths, instanceLeaf } from './options.ts';

export function accountsCommand(cli: Cli, connect: Connections = connections) {
  return instanceLeaf(
    'accounts',
    'show the development accounts, their keys, and what they hold on sequencer and rollup',
    '',
    '--instance chat --json',
  ).action(async (options) => {
    const { accountsState } = await import('../../dev/accounts/state.ts');
    const { KEYS_NOTICE: warning } = await import('../../dev/start-page/accounts.ts');
    const { formatAmount } = await import('@switchyard/protocol/values');
    const state = await accountsState(await getPaths(options, cli), cli.world.env, connect);
    for (const note of state.notes) cli.note(note);
    const { notes, ...value } = state;
    cli.print({ warning, ...value, notes }, [
      warning,
      ...state.accounts.flatMap((account) => ['', ...lines(account)]),
      ...(state.evm === undefined ? [] : ['', 'On the EVM rollup:', ...columns(state.evm.map(evmRow(formatAmount)))]),
      ...(state.running ? [] : ['', `instance ${state.instance} is not running: what they hold is not known`]),
    ]);
  });
}

function lines({ name, address, role, key, keyFile, bridge, sequencer, rollup }: AccountState): string[] {
  const rows: string[][] = [];
  if (key !== undefined) rows.push(['key', key]);
  if (keyFile !== undefined) rows.push(['key', `in ${keyFile}`]);
  if (bridge !== undefined) rows.push(['bridge', bridgeText(bridge)]);
  if (sequencer !== undefined) rows.push(['sequencer', holdingsText(sequencer)]);
  if (rollup !== undefined) rows.push(['rollup', holdingsText(rollup)]);
  return [`${[name, address].filter(Boolean).join('  ')}  (${role})`, ...columns(rows).map((line) => `  ${line}`)];
}

const evmRow =
  (format: (wei: bigint, decimals: number) => string) =>
  ({ address, role, key, balance, nonce }: EvmAccountState): string[] => [
    `  ${address}`,
    key,
    balance === undefined ? '' : `${format(balance, 18)} coins`,
    nonce === undefined ? '' : `nonce ${nonce}`,
    `(${role})`,
  ];

function holdingsText({ nonce, balances }: Holdings): string {
  const held = balances.map(({ asset, amount }) => `${amount} ${plain(asset)}`).join(', ');
  return `${held || 'holds nothing'}; nonce ${nonce}`;
}

function bridgeText({ registered, rollupId, asset }: Bridge): string {
  if (registered === undefined) return "the rollup's genesis names it";
  if (!registered) return 'not yet: `switchyard sequencer init-bridge-account` makes it one';
  return `deposits of ${plain(asset ?? '')} go to rollup ${rollupId}`;
}
