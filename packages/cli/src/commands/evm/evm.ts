import type { Cli } from '../../cli.ts';
import type { Connections } from '../../connect.ts';
import { cancelCommand } from './cancel.ts';
import { depositCommand } from './deposit.ts';
import { devCommand } from './dev.ts';
import { importCommand } from './import.ts';
import { exportCommand, genesisCommand, statusCommand, transactionCommand } from './queries.ts';
import { withdrawCommand } from './withdraw.ts';

/** `switchyard evm ...`: the EVM rollup. Any Ethereum tool does the rest. */
export function evmCommands(cli: Cli, connect: Connections) {
  return [
    statusCommand(cli, connect),
    transactionCommand(cli, connect),
    cancelCommand(cli, connect),
    depositCommand(cli, connect),
    withdrawCommand(cli, connect),
    genesisCommand(cli),
    exportCommand(cli, connect),
    importCommand(cli),
    devCommand(cli),
  ];
}
