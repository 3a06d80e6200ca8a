import { dirname } from 'node:path';
import { accountsWith, alice, bob } from '@switchyard/network/accounts';
import { EVM_MNEMONIC, evmAccounts } from '@switchyard/network/evm-accounts';
import { columns } from '../../print.ts';
import { argumentsBeyondUsual } from '../instance/home.ts';
import { usualUrl } from '../instance/ports.ts';
import type { EvmOverview, Overview, Step } from '../status/network.ts';

/** How to call our command lines from the user's shell, such as `npx rollup-cli`. */
export interface Programs {
  readonly switchyard: string;
  readonly rollupCli: string;
}

/** Text for a newcomer once everything runs: addresses, accounts with money, commands to type. */
export function banner(overview: Overview, programs: Programs): string[] {
  const { instance, directory, network, rollup, sequencer, evm, startPage } = overview;
  const getHeight = (height: number | undefined) => (height === undefined ? 'no block yet' : `block ${height}`);
  const messenger = hasMessenger(overview);
  const accounts = accountsWith({ messenger, evm: evm !== undefined });
  const heads = [
    ...(messenger ? [`rollup ${rollup.name}: ${getHeight(rollup.height)}`] : []),
    ...(evm === undefined ? [] : [`EVM rollup ${evm.name}: ${getHeight(evm.height)}`]),
    `sequencer ${sequencer.chainId}: ${getHeight(sequencer.height)}`,
  ];
  return [
    '',
    `Switchyard network ${network} of instance ${instance} is ready`,
    '',
    ...(startPage === undefined ? [] : [`Start page, with links to everything: ${startPage}`, '']),
    ...columns(serviceRows(overview)).map(indent),
    '',
    `  ${heads.join('    ')}`,
    '',
    ...(evm === undefined ? [] : evmLines(evm)),
    `Development accounts${messenger ? '' : ' of the sequencer'}. PUBLIC TEST KEYS, never for real funds:`,
    ...columns(accounts.map(({ name, address, key, role }) => [name, address, key, role])).map(indent),
    '',
    'Try, in another terminal:',
    ...commandsToTry(overview, programs).map(indent),
    '',
    ...metricsLines(overview),
    `Logs and state are in ${directory}; \`${programs.switchyard} dev logs --follow${instanceFlags(overview)}\` shows all lines.`,
    'Ctrl+C stops everything and keeps the state.',
  ];
}

function evmLines({ url: rpc, ws, faucet, chainId, name }: EvmOverview): string[] {
  const rows = [
    ['JSON-RPC', rpc],
    ...(ws === undefined ? [] : [['websocket', ws]]),
    ...(chainId === undefined ? [] : [['chain id', String(chainId)]]),
    ...(faucet === undefined ? [] : [['faucet', faucet]]),
  ];
  return [
    `EVM rollup ${name}:`,
    ...columns(rows).map(indent),
    '',
    `Its development accounts, those of anvil and Hardhat ("${EVM_MNEMONIC}"), with 10000 coins each. PUBLIC TEST KEYS:`,
    ...evmAccounts.map(({ address, key }) => indent(`${address}  0x${key}`)),
    '',
  ];
}

/** Commands that work verbatim, with any ports. */
export function commandsToTry(overview: Overview, programs: Programs): string[] {
  return commandsByRollup(overview, programs).flatMap(({ commands }) => commands);
}

/** The commands to try on each rollup of ours; on the sequencer if there is none. */
export function commandsByRollup(overview: Overview, programs: Programs): Step[] {
  const { evm } = overview;
  const isMessenger = hasMessenger(overview);
  if (evm === undefined && !isMessenger)
    return [{ kind: 'sequencer', commands: sequencerCommands(overview, programs) }];
  return [
    ...(isMessenger ? [{ kind: 'messenger', commands: messengerCommands(overview, programs) } as const] : []),
    ...(evm === undefined ? [] : [{ kind: 'evm', commands: evmCommands(evm, overview, programs) } as const]),
  ];
}

function messengerCommands({ rollup }: Overview, { rollupCli }: Programs): string[] {
  const elsewhere =
    rollup.url === undefined || rollup.url === usualUrl('messenger', 'http') ? '' : ` --rollup-url ${rollup.url}`;
  return [
    `${rollupCli} submit text "hello" ${alice.name} --private-key ${alice.key}${elsewhere}`,
    `${rollupCli} query texts${elsewhere}`,
    `${rollupCli} query balance ${bob.address}${elsewhere}`,
  ];
}

/** If no rollup of ours runs. */
function sequencerCommands(overview: Overview, { switchyard }: Programs): string[] {
  const { sequencer } = overview;
  const elsewhere = sequencer.rpc === usualUrl('sequencer', 'rpc') ? '' : ` --sequencer-url ${sequencer.rpc}`;
  return [
    `${switchyard} sequencer balance get ${alice.address}${elsewhere}`,
    `${switchyard} sequencer block get${elsewhere}`,
    `${switchyard} dev init --template messenger${instanceFlags(overview)}     # adds a rollup, for the next start`,
  ];
}

/** Options that name an instance, where the usual ones do not. */
export const instanceFlags = ({ instance, directory }: Pick<Overview, 'instance' | 'directory'>) =>
  argumentsBeyondUsual({ name: instance, home: dirname(directory) });

function evmCommands(evm: EvmOverview, overview: Overview, { switchyard }: Programs): string[] {
  const [first, second] = evmAccounts;
  return [
    `cast send --rpc-url ${evm.url} --private-key 0x${first?.key} --value 1ether ${second?.address}`,
    `cast balance --rpc-url ${evm.url} --ether ${second?.address}`,
    `${switchyard} evm deposit --amount 1 ${second?.address}${instanceFlags(overview)}`,
  ];
}

/** An EVM rollup alone stands in the place of the network's rollup too. */
export function hasMessenger({ rollup, evm }: Overview): boolean {
  return rollup.url !== undefined && rollup.url !== evm?.url;
}

function serviceRows({ services }: Overview): string[][] {
  return services.flatMap(({ name, version, pid, listens: all }) => {
    const listens = all.filter(({ use }) => use !== 'metrics');
    const head = [name, version, pid === undefined ? '' : `pid ${pid}`];
    if (listens.length === 0) return [[...head, 'your program']];
    return listens.map(({ url: where, use }, index) => [...(index === 0 ? head : ['', '', '']), where, use]);
  });
}

/** One line, since each service has its own. */
function metricsLines({ services }: Overview): string[] {
  const ports = services.flatMap(({ listens }) =>
    listens.flatMap(({ use, port }) => (use === 'metrics' ? [port] : [])),
  );
  return ports.length === 0
    ? []
    : [`Metrics for Prometheus: http://127.0.0.1:PORT/metrics with port ${ports.join(', ')}`, ''];
}

function indent(line: string): string {
  return `  ${line}`;
}
