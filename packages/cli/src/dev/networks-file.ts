import { SERVICE_VERSION } from './builtin.ts';
import { url } from './ports.ts';

export interface NetworkDefaults {
  readonly chainId: string;
  readonly rollupName: string;
  readonly nativeDenom: string;
  readonly offset: number;
}

const SERVICES = ['sequencer', 'composer', 'conductor', 'rollup'] as const;

/** The text of a new `networks-config.toml`. */
export function networksFile({ chainId, rollupName, nativeDenom, offset }: NetworkDefaults): string {
  const text = JSON.stringify;
  return `# The networks of this instance and the services that \`switchyard dev run --network NAME\` starts for each.
# In texts, a leading ~ is your home directory and $NAME an environment variable; $SWITCHYARD_INSTANCE is this directory.

[networks.local]
sequencer_chain_id = ${text(chainId)}
sequencer_grpc = ${text(url('sequencerGrpc', offset))}
sequencer_rpc = ${text(url('sequencerRpc', offset))}
# Also in config/rollup_genesis.json: change both with \`switchyard dev setconfig rollupname NAME\`.
rollup_name = ${text(rollupName)}
native_denom = ${text(nativeDenom)}

# A service runs the program at local_path (absolute) with args. An empty local_path means the program that comes with
# Switchyard; "builtin:sequencer", "builtin:composer", "builtin:conductor" and "builtin:messenger" name them explicitly.
# Optional: cwd = "directory", and a table [networks.local.services.NAME.env] with variables for this service only.
# To run your own rollup, set local_path, args, name and version of the service "rollup".
${SERVICES.map(
  (name) => `
[networks.local.services.${name}]
name = "${name}"
version = "${SERVICE_VERSION}"
download_url = ""
local_path = ""
args = []
`,
).join('')}`;
}
