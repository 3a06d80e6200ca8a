import { join } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import { usage } from '@switchyard/service/failure';
import { type Cli, leaf, type OptionsOf, optionSet } from '../../cli.ts';
import { columns } from '../../print.ts';
import type { StoredKey } from './store.ts';

const withStore = optionSet((command) =>
  command.option('--directory <path>', 'directory of the keys (default: .keys in ~/.switchyard or SWITCHYARD_HOME)'),
);

const withPassphrase = optionSet((command) =>
  withStore(command).option(
    '--passphrase-file <path>',
    'file of mode 600 with the passphrase in its first line (SWITCHYARD_PASSPHRASE_FILE; default: asked for)',
  ),
);

const withKind = optionSet((command) =>
  withPassphrase(command).addOption(
    new Option('--kind <curve>', 'ed25519: sequencer, composer, messenger; secp256k1: EVM')
      .choices(['ed25519', 'secp256k1'])
      .default('ed25519'),
  ),
);

export function keysCommands(cli: Cli) {
  const getDirectory = async ({ directory }: OptionsOf<typeof withStore>) => {
    const { homeDirectory } = await import('../../dev/instance/home.ts');
    return directory ?? join(homeDirectory(undefined, cli.world.env), '.keys');
  };

  async function store(name: string, secret: Uint8Array, { kind, ...options }: OptionsOf<typeof withKind>) {
    const { getAddress, getPath, getPublicKey, writeNewKey } = await import('./store.ts');
    const { encryptKey } = await import('@switchyard/service/key-file');
    const { newPassphrase } = await import('../../passphrase.ts');
    const { isDevelopmentKey } = await import('@switchyard/protocol/signer');
    const directory = await getDirectory(options);
    const path = getPath(directory, name);
    const publicKey = getPublicKey(kind, secret);
    const passphrase = await newPassphrase(options, cli.world, `key ${name}`);
    writeNewKey(path, encryptKey(secret, passphrase, { kind, publicKey }), directory);
    const { address } = getAddress(kind, publicKey);
    const isDevelopment = isDevelopmentKey(secret);
    cli.print({ name, kind, publicKey, address, path, isDevelopment }, [
      `key ${name} (${kind}) is in ${path}, encrypted`,
      `public key ${publicKey}`,
      ...(address === undefined ? [] : [`address    ${address}`]),
      ...(isDevelopment ? ['This is a published development key: everyone who knows it can spend its funds.'] : []),
    ]);
  }

  return [
    withKind(leaf('new', 'make a key and keep it encrypted', 'mine'))
      .argument('<name>', 'what to call it')
      .action(async (name, options) => {
        const { getPath, randomSecret } = await import('./store.ts');
        getPath('', name);
        await store(name, randomSecret(options.kind), options);
      }),

    withKind(
      leaf('import', 'keep an existing key encrypted; its file stays unchanged', 'mine --private-key-file old.key'),
    )
      .argument('<name>', 'what to call it')
      .requiredOption('--private-key-file <path>', 'file with the key: 64 hex digits')
      .action(async (name, options) => {
        const { readKeyFile } = await import('../../keys.ts');
        const { BadKeyFile, parseKeyFile } = await import('@switchyard/service/key-file');
        const path = options.privateKeyFile;
        try {
          const file = parseKeyFile(readKeyFile(path));
          if (!('secret' in file)) throw usage(`${path}: is encrypted already: it can be used directly`);
          await store(name, file.secret, options);
        } catch (error) {
          if (error instanceof BadKeyFile)
            throw usage(`${path}: expected a key of 64 hex digits, got ${error.message}`);
          throw error;
        }
      }),

    withStore(leaf('list', 'show the keys that are kept, without anything secret', '')).action(async (options) => {
      const { storedKeys } = await import('./store.ts');
      const directory = await getDirectory(options);
      const keys = storedKeys(directory);
      cli.print(keys, keys.length === 0 ? `no keys in ${directory}` : columns(keys.map(row)));
    }),

    withPassphrase(leaf('export', 'write a key to a new file, not encrypted, of mode 600', 'mine --output plain.key'))
      .argument('<name>', 'which key')
      .requiredOption('--output <path>', 'the new file')
      .action(async (name, options) => {
        const { getPath, writeNewKey } = await import('./store.ts');
        const { readKeyFile } = await import('../../keys.ts');
        const { BadKeyFile, decryptKey, parseKeyFile } = await import('@switchyard/service/key-file');
        const { askPassphrase } = await import('../../passphrase.ts');
        const path = getPath(await getDirectory(options), name);
        try {
          const file = parseKeyFile(readKeyFile(path));
          const secret =
            'secret' in file
              ? file.secret
              : decryptKey(file.encrypted, await askPassphrase(options, cli.world, `key ${name}`));
          writeNewKey(options.output, `${Buffer.from(secret).toString('hex')}\n`);
        } catch (error) {
          if (error instanceof BadKeyFile) throw usage(`${path}: ${error.message}`);
          throw error;
        }
        cli.print(
          { name, path: options.output },
          `key ${name} is in ${options.output}, NOT encrypted: remove it after use`,
        );
      }),
  ];
}

function row({ name, kind, address, publicKey, isEncrypted, isDevelopment, problem, path }: StoredKey): string[] {
  const what = problem === undefined ? (kind ?? 'plain') : 'damaged';
  const notes = [
    ...(problem === undefined ? [] : [problem]),
    ...(isEncrypted || problem !== undefined ? [] : ['not encrypted']),
    ...(isDevelopment ? ['published development key'] : []),
  ];
  return [`  ${name}`, what, address ?? publicKey ?? '', path, notes.join(', ')];
}
