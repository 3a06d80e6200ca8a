import { alice } from '@switchyard/network/accounts';
import { evmAccounts } from '@switchyard/network/evm-accounts';
import { type CommandsToTry, commandsByRollup, type Programs } from '../run/banner.ts';
import type { Overview } from '../status/overview.ts';

/** Commands for one thing to do next. They work as they stand. */
export interface Step {
  readonly kind: CommandsToTry['kind'] | 'build' | 'deploy';
  readonly commands: readonly string[];
}

const DEPLOYED = 'cosmic';
const NETWORK_ID = 90_210;
/** Genesis balance of the first account, in wei. */
const BALANCE = 100n * 10n ** 18n;

export function stepsFor(overview: Overview, programs: Programs): Step[] {
  return [
    ...commandsByRollup(overview, programs),
    { kind: 'build', commands: [`${programs.switchyard} new my-rollup`, 'cd my-rollup', 'npm start'] },
    { kind: 'deploy', commands: deployCommands(overview, programs) },
  ];
}

/** A further EVM rollup on this sequencer. */
function deployCommands({ sequencer: { rpc, grpc } }: Overview, { switchyard }: Programs): string[] {
  const [account] = evmAccounts;
  const funded = `0x${account?.address.slice(2).toLowerCase()}:${BALANCE}`;
  return [
    `${switchyard} rollup config create --rollup.name ${DEPLOYED} --rollup.network-id ${NETWORK_ID} --rollup.genesis-accounts ${funded} --sequencer.rpc ${rpc} --sequencer.grpc ${grpc}`,
    `${switchyard} rollup deployment create --target local --config ${DEPLOYED}-rollup-conf.yaml --sequencer-private-key ${alice.key} --faucet-private-key ${account?.key}`,
  ];
}
