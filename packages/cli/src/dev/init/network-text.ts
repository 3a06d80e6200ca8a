import { type Member, memberFromLabel, type Network, programNamed } from '@switchyard/stack/network';
import { planNetwork } from '@switchyard/stack/plan';
import type { Program } from '@switchyard/stack/process';
import { PROGRAMS } from '@switchyard/stack/programs';
import { type Entry, toText } from '@switchyard/stack/values';
import { usualUrl } from '../instance/ports.ts';
import { SERVICE_VERSION } from '../services/builtin.ts';

const text = JSON.stringify;

export type Settings = readonly (readonly [key: string, value: string])[];

/** The table of a service: of a service that comes with Switchyard, unless a program is given. */
export function serviceTable(
  network: string,
  name: string,
  { program = '', args = [] as readonly string[], version = SERVICE_VERSION, more = '' } = {},
): string {
  return `
[networks.${network}.services.${name}]
name = "${name}"
version = "${version}"
download_url = ""
local_path = ${text(program)}
args = [${args.map((each) => text(each)).join(', ')}]
${more}`;
}

/** The variables that only this service has; nothing when there are none. */
export function envTable(network: string, service: string, settings: Settings): string {
  if (settings.length === 0) return '';
  const lines = settings.map(([key, value]) => `${key} = ${text(value)}\n`).join('');
  return `\n[networks.${network}.services.${service}.env]\n${lines}`;
}

/** Settings of a member that the files state; all others follow from the plan at each start. */
function ownSettings(network: Network, member: Member): readonly Entry[] {
  const nothing = () => undefined;
  const entries = planNetwork(network, nothing).get(member.label) ?? [];
  return entries.filter(([, value]) => value !== undefined && (typeof value !== 'object' || value.written));
}

const getKey = ([{ names }]: Entry) => names[0].toLowerCase();
const showValue = ([, value]: Entry) => (value === undefined ? '' : toText(value));

/** One section of `config/base-config.toml`. */
export interface Section {
  readonly title: string;
  readonly entries: Settings;
}

/**
 * The settings that all networks of an instance share: those of the first process of each program in the network `local`, with
 * defaults that people may want to find and change.
 */
export function sharedSections(local: Network, members = local.members): readonly Section[] {
  return members.flatMap((member): Section[] => {
    const { program: name, label } = member;
    if (name === undefined || programNamed(label) !== name) return [];
    const program: Program = PROGRAMS[name];
    const { fields, documented = [], unshared = [] } = program;
    const stated = new Map(ownSettings(local, member).map((entry) => [entry[0].names[0], showValue(entry)]));
    const usual = [...documented, fields.log].map((field) => [field.names[0], field.fallback ?? ''] as const);
    const telemetry = [
      [fields.noOtel.names[0], 'true'],
      [fields.noMetrics.names[0], 'false'],
    ] as const;
    const values = new Map([...usual, ...telemetry, ...stated]);
    const hidden = unshared.map(({ names }) => names[0]);
    const entries = Object.values(fields).flatMap(({ names: [name] }): (readonly [string, string])[] => {
      const value = values.get(name);
      return value === undefined || hidden.includes(name) ? [] : [[name.toLowerCase(), value]];
    });
    return [{ title: program.title, entries }];
  });
}

/** Sections without the keys that a file has already. */
export function withoutKeys(sections: readonly Section[], present: ReadonlySet<string>): readonly Section[] {
  return sections
    .map(({ title, entries }) => ({ title, entries: entries.filter(([key]) => !present.has(key)) }))
    .filter(({ entries }) => entries.length > 0);
}

export function sectionText({ title, entries }: Section): string {
  return `\n# ${title}.\n${entries.map(([key, value]) => `${key} = ${text(value)}\n`).join('')}`;
}

const isRollup = ({ program }: Member) => program === 'messenger' || program === 'evm';
const OWN_ROLLUP = memberFromLabel('rollup', 'messenger', false);

/** The text of a new `config/base-config.toml`. */
export function baseFile(local: Network): string {
  const head = `# Settings of the services. Each key becomes an environment variable of the same name in upper case, and every
# service gets all of them. Settings that are not here follow from networks-config.toml and from the addresses below:
# the chain and the URLs of the sequencer, the fee asset, who calls whom, the secrets that services share. A key that
# you add here takes precedence, except over the sequencer's URLs and chain id in networks-config.toml.
# \`switchyard dev config show\` shows each setting and where it comes from.
# In texts, a leading ~ is your home directory and $NAME an environment variable; $SWITCHYARD_INSTANCE is the
# directory of this instance. Changes take effect on the next \`switchyard dev run\`.
`;
  const hasRollup = local.members.some(isRollup);
  // A rollup of the user's own finds its settings there.
  const members = hasRollup ? local.members : [...local.members, OWN_ROLLUP];
  return (
    head +
    sharedSections({ ...local, members })
      .map(sectionText)
      .join('')
  );
}

/**
 * The tables of members: their programs, and the settings in which they differ from those of all networks.
 *
 * @param local The network whose settings are shared.
 * @param foreign Tables of members that run none of our programs, by label.
 */
export function memberTables(
  network: Network,
  local: Network,
  item: { readonly members?: readonly Member[]; readonly foreign?: ReadonlyMap<string, string> } = {},
): string {
  const { members = network.members, foreign } = item;
  const shared = new Map(sharedSections(local).flatMap(({ entries }) => entries));
  const hasRollup = network.members.some(isRollup);
  return members
    .map((member) => {
      const { label, program: name } = member;
      if (name === undefined) return foreign?.get(label) ?? '';
      const differing = ownSettings(network, member)
        .map((entry) => [getKey(entry), showValue(entry)] as const)
        .filter(([key, value]) => shared.get(key) !== value);
      const program = programNamed(label) === name ? '' : `builtin:${name}`;
      const more = label === 'conductor' && !hasRollup ? onlyAlive(network.offset) : '';
      return `${serviceTable(network.name, label, { program, more })}${envTable(network.name, label, differing)}`;
    })
    .join('');
}

/** Without a rollup, a conductor is never ready; it only has to be alive. These lines go when a rollup is added. */
export function onlyAlive(offset: number): string {
  return `# There is no rollup yet, so it is enough that the conductor lives. Remove this line once there is one.
ready = ${text(`${usualUrl('conductor', 'health', offset)}/healthz`)}
`;
}
