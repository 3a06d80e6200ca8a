import { SERVICE_VERSION } from './builtin.ts';
import type { InstanceSettings } from './init-settings.ts';
import { url } from './ports.ts';

const text = JSON.stringify;

/** The text of a new `networks-config.toml`. */
export function networksFile({ chainId, rollupName, nativeDenom, offset, template }: InstanceSettings): string {
  const head = `# The networks of this instance and the services that \`switchyard dev run --network NAME\` starts for each.
# In texts, a leading ~ is your home directory and $NAME an environment variable; $SWITCHYARD_INSTANCE is this directory.
# \`switchyard dev config check\` finds what does not agree between this file and those in config/.

[networks.local]
sequencer_chain_id = ${text(chainId)}
sequencer_grpc = ${text(url('sequencerGrpc', offset))}
sequencer_rpc = ${text(url('sequencerRpc', offset))}
# Also in config/rollup_genesis.json: change both with \`switchyard dev setconfig rollupname NAME\`.
rollup_name = ${text(rollupName)}
native_denom = ${text(nativeDenom)}

# A service runs the program at local_path (absolute) with args. An empty local_path means the program that comes with
# Switchyard; "builtin:sequencer", "builtin:composer", "builtin:conductor" and "builtin:messenger" name them explicitly.
# Instead of a path: download_url and sha256 of a program or .tar.gz. Optional: cwd = "directory",
# depends_on = ["label"], ready = "http://host:port/path" or "tcp://host:port" or "log:expression", watch = ["path"]
# (restarts it when that changes), and a table [networks.local.services.NAME.env] with variables for this service only.
`;
  const own = template === 'messenger' ? [...OURS, 'rollup'] : OURS;
  const tables = own.map((name) => serviceTable('local', name, name === 'conductor' ? waiting(template, offset) : ''));
  return `${head}${tables.join('')}${template === 'messenger' ? MESSENGER_HINT : emptyHint(offset)}${REMOTE_HINT}`;
}

const OURS = ['sequencer', 'composer', 'conductor'];

/** The table of a service that comes with Switchyard. */
export function serviceTable(network: string, name: string, more = ''): string {
  return `
[networks.${network}.services.${name}]
name = "${name}"
version = "${SERVICE_VERSION}"
download_url = ""
local_path = ""
args = []
${more}`;
}

/** Without a rollup, a conductor has nothing to do and says so: that it lives has to be enough. */
function waiting(template: InstanceSettings['template'], offset: number): string {
  if (template !== 'empty') return '';
  return `# There is no rollup yet, so it is enough that the conductor lives. Remove this line once there is one.
ready = ${text(`${url('conductorApi', offset)}/healthz`)}
`;
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
# ready = ${text(`tcp://${url('rollupExecution', offset).replace('http://', '')}`)}
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
