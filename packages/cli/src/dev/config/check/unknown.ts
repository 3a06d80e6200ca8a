import { didYouMean, nearest } from '@switchyard/service/settings';
import { isTable } from '../../files/toml.ts';
import type { Instance } from '../../instance/instance.ts';
import { LAYER_KEY } from '../../instance/network-layer.ts';
import { START_POSITION_KEY } from '../../instance/start-position.ts';
import { START_PAGE_KEY } from '../../start-page/where.ts';
import { namesLike, statusOfSetting } from '../known-settings.ts';
import { ownName } from '../roles.ts';
import { placeOf } from '../settings.ts';
import { type CheckInput, error, type Finding, shown, warning } from './finding.ts';

const NETWORK_FILE_KEYS = [
  'sequencer_chain_id',
  'sequencer_grpc',
  'sequencer_rpc',
  'rollup_name',
  'native_denom',
  START_POSITION_KEY,
  START_PAGE_KEY,
  LAYER_KEY,
  'services',
];

/** Keys that no service reads: a mistyped one would have no effect, silently. */
export function checkUnknown(input: CheckInput): Finding[] {
  const findings: Finding[] = [];
  const [first] = input.instances;
  const file = first?.paths.networks ?? 'networks-config.toml';
  const networks = isTable(input.networksTable) ? input.networksTable : {};
  for (const [key, value] of Object.entries(networks)) {
    if (key === 'networks') continue;
    findings.push(
      error('no such key', [{ file, key, value: shown(value) }], `remove it${didYouMean(key, ['networks'])}`),
    );
  }
  for (const [name, table] of Object.entries(isTable(networks.networks) ? networks.networks : {})) {
    for (const [key, value] of Object.entries(isTable(table) ? table : {})) {
      if (NETWORK_FILE_KEYS.includes(key)) continue;
      const hint = didYouMean(key, NETWORK_FILE_KEYS) || `; a network has ${NETWORK_FILE_KEYS.join(', ')}`;
      findings.push(
        error(
          `no such key of a network${hint}`,
          [{ file, key: `networks.${name}.${key}`, value: shown(value) }],
          'correct or remove it',
        ),
      );
    }
  }
  for (const instance of input.instances) findings.push(...unknownSettings(instance));
  return unique(findings);
}

/** Settings that bear our prefix and that no service reads, and free keys that look like one of ours. */
function unknownSettings(instance: Instance): Finding[] {
  const ofBase = Object.entries(instance.base).map(([name, value]) => ({
    name,
    value,
    origin: { kind: 'base' } as const,
  }));
  const ofServices = instance.network.services.flatMap(({ label, env }) =>
    Object.entries(env).map(([key, value]) => ({
      name: ownName(key),
      value,
      origin: { kind: 'service', label, key } as const,
    })),
  );
  return [...ofBase, ...ofServices].flatMap(({ name, value, origin }) => {
    const status = statusOfSetting(name);
    if (status !== 'unknown' && status !== 'free') return [];
    const like = nearest(name, namesLike(name))?.toLowerCase();
    const places = [{ ...placeOf(instance, name, origin), value }];
    if (status === 'unknown') {
      const hint = like === undefined ? '' : `; did you mean "${like}"?`;
      return [error(`no service reads ${name.toLowerCase()}${hint}`, places, 'correct or remove it')];
    }
    if (like === undefined) return [];
    return [
      warning(
        `${name.toLowerCase()} is no setting of ours; did you mean "${like}"?`,
        places,
        'leave it if it belongs to a rollup of yours',
      ),
    ];
  });
}

/** One line for `dev run` about settings that no service reads. */
export function unknownKeyNotice(instance: Instance): string | undefined {
  const found = unknownSettings(instance).filter(({ severity }) => severity === 'error');
  const [first] = found;
  if (first === undefined) return undefined;
  const more = found.length > 1 ? ` (and ${found.length - 1} more)` : '';
  return `${first.places[0]?.file}: ${first.problem}${more}: see \`switchyard dev config check\``;
}

function unique(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [JSON.stringify([finding.problem, finding.places]), finding])).values()];
}
