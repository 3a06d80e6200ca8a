import { type OptionsOf, optionSet } from './cli.ts';

/** @param variables In the order in which they are looked at. */
export const withKey = (variables: readonly string[]) =>
  optionSet((command) =>
    command
      .option('--private-key-file <path>', 'file with the signing key: 64 hex digits, or encrypted (`switchyard keys`)')
      .option(
        '--passphrase-file <path>',
        'file of mode 600 with the passphrase of an encrypted key (SWITCHYARD_PASSPHRASE_FILE; default: asked for)',
      )
      .option('--allow-dev-key', 'sign with a published development key on a network that is not local')
      .option(
        '--private-key <hex>',
        `the signing key itself (${variables.join(', ')}); other users may see it in the list of processes`,
      ),
  );

/** How the user named their key. */
export type KeyOptions = { readonly [K in keyof Given]?: Given[K] | undefined };
type Given = OptionsOf<ReturnType<typeof withKey>>;
