import { u64Reader } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { columns, count } from '../../print.ts';
import { sequencerOf, withSequencer } from './options.ts';

/** `switchyard sequencer validators`: who votes on blocks, and with which share. */
export function validatorsCommand(cli: Cli, connect: Connections) {
  return withSequencer(
    leaf('validators', 'show who signs blocks, by address, power and key', '', '--height 100 --json'),
  )
    .option('--height <height>', 'validators of this block (default: the newest)', u64Reader('--height'))
    .action(async ({ height, ...options }) => {
      const set = await (await sequencerOf(options, cli, connect)).validators(height);
      const total = set.reduce((sum, { power }) => sum + power, 0n);
      const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex').toUpperCase();
      const validators = set.map(({ address, power, publicKey }) => ({
        address: hex(address),
        power,
        publicKey: Buffer.from(publicKey).toString('base64'),
      }));
      const share = (power: bigint) => `${(Number((power * 10_000n) / (total || 1n)) / 100).toFixed(2)} %`;
      cli.print({ ...(height === undefined ? {} : { height }), totalPower: total, validators }, [
        `${count(set.length, 'validator')}, power ${total} in all; a block needs more than two thirds of it`,
        ...columns(
          validators.map(({ address, power, publicKey }) => [
            `  ${address}`,
            `power ${power}`,
            share(power),
            publicKey,
          ]),
        ),
      ]);
    });
}
