import { randomBytes } from 'node:crypto';
import { readPrefix } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';

/** `switchyard sequencer account create` */
export function accountCreateCommand(cli: Cli) {
  return leaf('create', 'make a new key; nothing is sent anywhere', '--out my.key')
    .option('--prefix <prefix>', 'prefix of the address', readPrefix, 'astria')
    .option('--out <path>', 'write the private key to this new file and do not show it')
    .action(async ({ prefix, out }) => {
      const [{ createSigner }, { formatAddress, toHex }, { writeNewKey }] = await Promise.all([
        import('@switchyard/protocol/signer'),
        import('@switchyard/protocol/values'),
        import('../keys/store.ts'),
      ]);
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
