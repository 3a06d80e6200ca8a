import type { Command } from 'commander';

/** How the user named their key. */
export interface KeyOptions {
  readonly privateKey?: string;
  readonly privateKeyFile?: string;
}

/** @param variables In the order in which they are looked at. */
export function withKey(command: Command, variables: readonly string[]): Command {
  return command
    .option('--private-key-file <path>', 'file with the signing key: 64 hex digits')
    .option(
      '--private-key <hex>',
      `the signing key itself (${variables.join(', ')}); other users may see it in the list of processes`,
    );
}
