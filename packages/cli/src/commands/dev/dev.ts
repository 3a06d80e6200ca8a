import type { Cli } from '../../cli.ts';
import { accountsCommand } from './accounts.ts';
import { compactCommand } from './compact.ts';
import { configCommand } from './config.ts';
import { doctorCommand } from './doctor.ts';
import { initCommand } from './init.ts';
import { installCommand } from './install.ts';
import { logsCommand } from './logs.ts';
import { networkCommand } from './network.ts';
import { purgeCommand } from './purge.ts';
import { resetCommand } from './reset.ts';
import { restartCommand } from './restart.ts';
import { runCommand } from './run.ts';
import { setconfigCommand } from './setconfig.ts';
import { snapshotCommand } from './snapshot.ts';
import { startCommand } from './start.ts';
import { statusCommand } from './status.ts';
import { stopCommand } from './stop.ts';
import { devVersionCommand } from './version.ts';

/** `switchyard dev ...`: local networks. */
export function devCommands(cli: Cli) {
  return [
    initCommand(cli),
    runCommand(cli),
    statusCommand(cli),
    stopCommand(cli),
    logsCommand(cli),
    startCommand(cli),
    restartCommand(cli),
    setconfigCommand(cli),
    configCommand(cli),
    networkCommand(cli),
    resetCommand(cli),
    purgeCommand(cli),
    snapshotCommand(cli),
    compactCommand(cli),
    accountsCommand(cli),
    doctorCommand(cli),
    installCommand(cli),
    devVersionCommand(cli),
  ];
}
