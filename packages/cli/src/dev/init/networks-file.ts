import type { Network } from '@switchyard/stack/network';
import { usualListener } from '@switchyard/stack/ports';
import { PROGRAMS } from '@switchyard/stack/programs';
import { CELESTIA_LABELS } from '../celestia/layout.ts';
import { APP_VERSION, NODE_VERSION } from '../celestia/versions.ts';
import { START_PAGE_PORT, usualUrl } from '../instance/ports.ts';
import { BUILTINS } from '../services/builtin.ts';
import { memberTables, serviceTable } from './network-text.ts';
import { networkFrom } from './new-network.ts';
import type { InstanceSettings } from './settings.ts';
import { nameOfRollup } from './templates.ts';

const text = JSON.stringify;

const BUILTIN_NAMES = Object.keys(BUILTINS)
  .map((name) => `"builtin:${name}"`)
  .join(', ')
  .replace(/, (?=[^,]*$)/, ' and ');

/** The text of a new `networks-config.toml`. */
export function networksFile(settings: InstanceSettings): string {
  const { chainId, rollupName, nativeDenom, offset, rollups, layer } = settings;
  const local = localNetwork(settings);
  const head = `# The networks of this instance and the services that \`switchyard dev run --network NAME\` starts for each.
# In texts, a leading ~ is your home directory and $NAME an environment variable; $SWITCHYARD_INSTANCE is this directory.
# \`switchyard dev config check\` finds what does not agree between this file and those in config/.

[networks.local]
sequencer_chain_id = ${text(chainId)}
sequencer_grpc = ${text(local.grpc.value)}
sequencer_rpc = ${text(local.rpc.value)}
${nameHint(settings)}
rollup_name = ${text(rollupName)}
native_denom = ${text(nativeDenom)}
# The page that links to everything while this network runs; "" turns it off.
start_page = ${text(`127.0.0.1:${START_PAGE_PORT + offset}`)}

# A service runs the program at local_path (absolute) with args. An empty local_path means the program that comes with
# Switchyard; ${BUILTIN_NAMES} name them explicitly.
# Instead of a path: download_url, and best its sha256, of a program or .tar.gz. Optional: cwd = "directory",
# depends_on = ["label"], ready = "http://host:port/path" or "tcp://host:port" or "log:expression", watch = ["path"]
# (restarts it when that changes), and a table [networks.local.services.NAME.env] with variables for this service only.
`;
  const hint = rollups.length === 0 ? emptyHint(offset) : rollups.includes('messenger') ? MESSENGER_HINT : '';
  return `${head}${memberTables(local, local, layer === 'celestia' ? { foreign: celestiaTables() } : {})}${hint}${REMOTE_HINT}`;
}

/** Tables of the nodes of the Celestia network of an instance, by label. */
function celestiaTables(): ReadonlyMap<string, string> {
  return new Map(
    CELESTIA_LABELS.map((label) => {
      const isFirst = label === 'celestia-app';
      const table = serviceTable('local', label, { version: isFirst ? APP_VERSION : NODE_VERSION });
      return [label, isFirst ? CELESTIA_HEADING + table : table];
    }),
  );
}

const CELESTIA_HEADING = `
# A Celestia network of this instance's own, on this machine: a validator, the bridge node that serves its blocks, and the light
# node that conductors read from. An empty local_path means celestia-appd or celestia from PATH, or from bin/. Arguments and
# ports follow from the instance; args that are not empty replace them.`;

export function localNetwork(settings: Omit<InstanceSettings, 'rollupName'>): Network {
  const { chainId, nativeDenom: asset, offset, rollups, layer } = settings;
  return networkFrom({
    ...{ name: 'local', kind: 'solo', chainId, asset, rollups, layer, offset },
    rpc: usualUrl('sequencer', 'rpc', offset),
    grpc: usualUrl('sequencer', 'grpc', offset),
  });
}

/** Other places of the name, and services with a different one. */
function nameHint(settings: InstanceSettings): string {
  const { rollups } = settings;
  const change = 'change both with `switchyard dev setconfig rollupname NAME`';
  if (rollups.join() === 'evm') return `# Also in config/evm_genesis.json: ${change}.`;
  const second = rollups.includes('evm')
    ? `\n# The EVM rollup is called ${text(nameOfRollup(settings, 'evm'))}, in config/evm_genesis.json: with \`--service evm\` for that one.`
    : '';
  return `# Also in config/rollup_genesis.json: ${change}.${second}`;
}

const MESSENGER_HINT = `
# To run your own rollup, set local_path, args, name and version of the service "rollup".
`;

function emptyHint(offset: number): string {
  return `
# Your rollup: remove the #, and set local_path. It gets every key of config/base-config.toml as an environment variable
# in upper case, among them COMPOSER_ADDR, where it submits, and EXECUTION_GRPC_ADDR, where the conductor brings it blocks.
# [networks.local.services.rollup]
# name = "rollup"
# version = "v0.1.0"
# local_path = "~/my-rollup/target/debug/my-rollup"
# args = []
# ready = ${text(`tcp://${usualListener(PROGRAMS.messenger, 'execution', { offset })}`)}
# watch = ["~/my-rollup/target/debug/my-rollup"]
#
# [networks.local.services.rollup.env]
# my_setting = "value"
`;
}

const REMOTE_HINT = `
# A sequencer network that runs elsewhere: \`switchyard dev network add NAME --grpc URL --rpc URL\` adds its block here.
# Such a network has no service "sequencer"; composer, conductor and rollups then work for that sequencer.
`;
