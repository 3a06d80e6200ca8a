import { optionSet } from '../cli.ts';

/** For commands that ask the nodes of an instance, by default of the running one. */
export const withInstanceNamed = optionSet((command) =>
  command
    .option('--network <name>', "which network of the instance's networks-config.toml (default: the running one)")
    .option('--instance <name>', 'which instance (SWITCHYARD_INSTANCE_NAME; default: the running one)')
    .option('--home <directory>', 'root of all instances (SWITCHYARD_HOME; default ~/.switchyard)'),
);
