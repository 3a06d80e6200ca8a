import { columns } from '../print.ts';
import { alice, bob, devAccounts } from './accounts.ts';
import type { Overview } from './overview.ts';
import { url } from './ports.ts';

/** How to call our command lines from the user's shell, such as `npx rollup-cli`. */
export interface Programs {
  readonly switchyard: string;
  readonly rollupCli: string;
}

/** What a newcomer needs once everything runs: what is where, who has money, what to type. */
export function banner(overview: Overview, programs: Programs): string[] {
  const { instance, directory, network, rollup, sequencer } = overview;
  const heightOf = (height: number | undefined) => (height === undefined ? 'no block yet' : `block ${height}`);
  return [
    '',
    `Switchyard network ${network} of instance ${instance} is ready`,
    '',
    ...columns(serviceRows(overview)).map(indent),
    '',
    `  rollup ${rollup.name}: ${heightOf(rollup.height)}    sequencer ${sequencer.chainId}: ${heightOf(sequencer.height)}`,
    '',
    'Development accounts. PUBLIC TEST KEYS, never for real funds:',
    ...columns(devAccounts.map(({ name, address, key, role }) => [name, address, key, role])).map(indent),
    '',
    'Try, in another terminal:',
    ...commandsToTry(overview, programs).map(indent),
    '',
    `Logs and state are in ${directory}. Ctrl+C stops everything and keeps the state.`,
  ];
}

/** Three commands that work as they stand, whatever the ports. */
export function commandsToTry({ rollup }: Overview, { rollupCli }: Programs): string[] {
  const elsewhere =
    rollup.url === undefined || rollup.url === url('rollupHttp', 0) ? '' : ` --rollup-url ${rollup.url}`;
  return [
    `${rollupCli} submit text "hello" ${alice.name} --private-key ${alice.key}${elsewhere}`,
    `${rollupCli} query texts${elsewhere}`,
    `${rollupCli} query balance ${bob.address}${elsewhere}`,
  ];
}

function serviceRows({ services }: Overview): string[][] {
  return services.flatMap(({ name, version, pid, listens }) => {
    const head = [name, version, pid === undefined ? '' : `pid ${pid}`];
    if (listens.length === 0) return [[...head, 'your program']];
    return listens.map(({ url: where, use }, index) => [...(index === 0 ? head : ['', '', '']), where, use]);
  });
}

function indent(line: string): string {
  return `  ${line}`;
}
