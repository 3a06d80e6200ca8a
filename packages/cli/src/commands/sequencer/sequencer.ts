import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { type Cli, group } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { sequencerDeploymentCommands } from '../sequencer-deployment/deployment.ts';
import { accountCreateCommand } from './account-create.ts';
import { balanceCommand } from './balance.ts';
import { blockCommand } from './block.ts';
import { blockheightCommand } from './blockheight.ts';
import { bridgeAccountCommand } from './bridge-account.ts';
import { bridgeLockCommand } from './bridge-lock.ts';
import { bridgeSudoChangeCommand } from './bridge-sudo-change.ts';
import { bridgeUnlockCommand } from './bridge-unlock.ts';
import { feeAssetsCommand } from './fee-assets.ts';
import { initBridgeAccountCommand } from './init-bridge-account.ts';
import { nonceCommand } from './nonce.ts';
import { transferCommand } from './transfer.ts';
import { validatorsCommand } from './validators.ts';

/** `switchyard sequencer ...`: accounts, money and bridge accounts on a sequencer. */
export function sequencerCommands(cli: Cli, connect: Connections) {
  return [
    transferCommand(cli, connect),
    getter('balance', 'what an account holds', balanceCommand('get', cli, connect)),
    balanceCommand('balances', cli, connect),
    group('account', 'make an account, ask about one', [
      accountCreateCommand(cli),
      balanceCommand('balance', cli, connect),
      nonceCommand('nonce', cli, connect),
    ]),
    getter('nonce', 'how many transactions an account has sent', nonceCommand('get', cli, connect)),
    getter('blockheight', 'the newest block', blockheightCommand(cli, connect)),
    getter('block', 'one block', blockCommand(cli, connect)),
    getter('bridge-account', 'what a bridge account stands for', bridgeAccountCommand(cli, connect)),
    validatorsCommand(cli, connect),
    getter('fee-assets', 'what pays fees', feeAssetsCommand(cli, connect)),
    initBridgeAccountCommand(cli, connect),
    bridgeLockCommand(cli, connect),
    bridgeUnlockCommand(cli, connect),
    bridgeSudoChangeCommand(cli, connect),
    sequencerDeploymentCommands(cli),
  ];
}

/** `NAME get ...`, and `NAME ...` as the reference's development tool has it. No other group has a command `get`. */
function getter(name: string, description: string, get: CommandUnknownOpts) {
  return group(name, description, []).addCommand(get, { isDefault: true });
}
