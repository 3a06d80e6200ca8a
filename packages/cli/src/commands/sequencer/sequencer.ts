import { randomBytes } from 'node:crypto';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { formatAddress, toHex } from '@switchyard/protocol/values';
import { readPrefix } from '../../arguments.ts';
import { type Cli, group, leaf } from '../../cli.ts';
import type { Connections } from '../../connect.ts';
import { sequencerDeploymentCommands } from '../sequencer-deployment/deployment.ts';
import {
  balanceCommand,
  blockCommand,
  blockheightCommand,
  bridgeAccountCommand,
  feeAssetsCommand,
  nonceCommand,
  validatorsCommand,
} from './queries.ts';
import {
  bridgeLockCommand,
  bridgeSudoChangeCommand,
  bridgeUnlockCommand,
  initBridgeAccountCommand,
  transferCommand,
} from './transactions.ts';

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

function accountCreateCommand(cli: Cli) {
  return leaf('create', 'make a new key; nothing is sent anywhere', '--out my.key')
    .option('--prefix <prefix>', 'prefix of the address', readPrefix, 'astria')
    .option('--out <path>', 'write the private key to this new file and do not show it')
    .action(async ({ prefix, out }) => {
      const { createSigner } = await import('@switchyard/protocol/signer');
      const { writeNewKey } = await import('../keys/store.ts');
      const seed = randomBytes(32);
      const signer = createSigner(seed);
      const address = formatAddress(signer.account, prefix);
      const [publicKey, privateKey] = [toHex(signer.publicKey), toHex(seed)];
      if (out !== undefined) writeNewKey(out, privateKey);
      const secret = out === undefined ? { private_key: privateKey } : { private_key_file: out };
      cli.print({ address, public_key: publicKey, ...secret }, [
        'Create Sequencer Account',
        '',
        out === undefined ? `Private Key: ${privateKey}` : `Private Key: in ${out}`,
        `Public Key:  ${publicKey}`,
        `Address:     ${address}`,
      ]);
    });
}
