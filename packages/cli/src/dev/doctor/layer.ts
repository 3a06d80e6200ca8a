import { wallClock } from '@switchyard/service';
import type { Input } from '@switchyard/service/input';
import { readValue } from '@switchyard/service/lenient';
import { readsLayer } from '@switchyard/stack/programs';
import { isCelestiaLabel } from '../celestia/layout.ts';
import { FIELDS, type SettingField } from '../config/known-settings.ts';
import { relayerAccount } from '../config/relayer-key.ts';
import { ofProgram } from '../config/roles.ts';
import { findSetting } from '../config/settings.ts';
import type { Instance, ServiceEntry } from '../instance/instance.ts';
import { isOnThisMachine } from '../instance/network-layer.ts';
import { urlOfListener } from '../networks/listener-url.ts';
import {
  type ConductorPage,
  conductorPage,
  fetchJson,
  keptBlocks,
  type RelayerPage,
  relayerPage,
} from '../status/pages.ts';
import { type Finding, ok, warn } from './finding.ts';

/*
 * Whether blocks of the sequencer reach the layer, and come back from there as firm. Each decision is a function of plain
 * values.
 */

/** Findings about firm blocks of a running network. @param layer Findings about its layer. */
export async function firmFindings(instance: Instance, layer: readonly Finding[]): Promise<Finding[]> {
  const relayers = await Promise.all(ofProgram(instance, 'relayer').map((entry) => ofRelayer(instance, entry)));
  const earlier = [...layer, ...relayers.flat()].find(({ level }) => level !== 'ok')?.check;
  const conductors = await Promise.all(getReaders(instance).map((entry) => ofConductor(instance, entry, earlier)));
  return [...relayers, ...conductors].flat();
}

const getReaders = (instance: Instance): ServiceEntry[] =>
  ofProgram(instance, 'conductor').filter((entry) =>
    readsLayer(findSetting(instance, entry, FIELDS.conductor.executionCommitLevel)),
  );

/** Also of a service that the tool takes for ready, and that hangs. */
const silent = (check: string, { name }: ServiceEntry): Finding =>
  warn(check, `${name} does not answer /status`, `look at \`switchyard dev logs ${name}\``);

async function ofRelayer(instance: Instance, entry: ServiceEntry): Promise<Finding[]> {
  const status = readValue(await statusAt(instance, entry, FIELDS.relayer.apiListenAddr), relayerPage);
  if (status === undefined) return [silent('relayer', entry)];
  const batchMs = Number(findSetting(instance, entry, FIELDS.relayer.batchMs) ?? 6_000);
  const waits = await secondsFrom(instance, status.postedHeight);
  const funding = 'send it some utia; of the local layer, svc_da_genesis_accounts gives some before its first start';
  return [
    checkBalance(entry.name, status, funding),
    checkPosted(entry.name, status, { seconds: waits, usualSeconds: USUAL_SECONDS + (2 * batchMs) / 1_000 }),
  ];
}

async function ofConductor(instance: Instance, entry: ServiceEntry, earlier: string | undefined): Promise<Finding[]> {
  const status = readValue(await statusAt(instance, entry, FIELDS.conductor.apiListenAddr), conductorPage);
  if (status === undefined) return [silent('firm', entry)];
  const { nextHeight, soft, firm } = status;
  const height =
    nextHeight === undefined || soft === undefined || firm === undefined ? undefined : nextHeight - 1 - (soft - firm);
  const authors = findSetting(instance, entry, FIELDS.conductor.celestiaAuthors) ?? '';
  return [
    checkFirm(entry.name, status, {
      seconds: await secondsFrom(instance, height),
      authors,
      layer: findSetting(instance, entry, FIELDS.conductor.celestiaNodeHttpUrl) ?? '',
      earlier,
    }),
  ];
}

/** A batch, some blocks of the layer, and a reader that polls: less on this machine, about this much on Celestia. */
const USUAL_SECONDS = 60;
const USUAL_BLOCKS = 200;

export function checkBalance(
  name: string,
  { account = 'its account', balance, isBalanceLow }: RelayerPage,
  advice: string,
): Finding {
  const holds = `${name}: ${account} holds ${balance} utia`;
  if (balance === undefined)
    return warn('relayer', `${name}: what ${account} holds is not known`, 'see that the layer answers');
  if (balance === 0) return warn('relayer', `${holds}: nothing is posted`, advice);
  if (isBalanceLow === true) return warn('relayer', `${holds}, which is below svc_relayer_low_balance`, advice);
  return ok('relayer', holds);
}

interface Lag {
  /** From the first block that lacks to the newest; unknown if the sequencer does not show one of them. */
  readonly seconds: number | undefined;
}

/** Whether the relayer keeps up with the sequencer. */
export function checkPosted(
  name: string,
  status: RelayerPage,
  { seconds, usualSeconds }: Lag & { readonly usualSeconds: number },
): Finding {
  const { sequencerHeight, postedHeight, daTrouble, waitsFor, sequencerTrouble } = status;
  const trouble = daTrouble ?? waitsFor ?? sequencerTrouble;
  const why = trouble === undefined ? '' : `: ${trouble}`;
  if (sequencerHeight === undefined || postedHeight === undefined)
    return warn('relayer', `${name} posts nothing yet${why}`, RUNBOOK);
  const behind = Math.max(0, sequencerHeight - postedHeight);
  const lag = `${name} has posted up to block ${postedHeight}, ${lagText(behind, seconds)} behind the sequencer`;
  const isLate = seconds === undefined ? behind > USUAL_BLOCKS : seconds > usualSeconds;
  return isLate ? warn('relayer', `${lag}${why}`, RUNBOOK) : ok('relayer', lag);
}

interface FirmFacts {
  readonly authors: string;
  /** URL of its node. */
  readonly layer: string;
  /** Which check before this one has found something: blocks have to pass there first. */
  readonly earlier: string | undefined;
}

/** Whether firm blocks follow the soft ones; if not, why, as far as the conductor shows it. */
export function checkFirm(name: string, status: ConductorPage, { seconds, authors, layer, earlier }: Lag & FirmFacts) {
  const { soft, firm, layerHead, layerRead, layerTrouble, rollupTrouble, unprovenBlobs } = status;
  const trouble = layerTrouble ?? rollupTrouble;
  if (soft === undefined || firm === undefined)
    return warn('firm', `${name} has no session${trouble === undefined ? '' : `: ${trouble}`}`, RUNBOOK);
  const lag = `${name}: firm block ${firm} is ${lagText(soft - firm, seconds)} behind soft block ${soft}`;
  const isLate = seconds === undefined ? soft - firm > USUAL_BLOCKS : seconds > USUAL_SECONDS;
  if (unprovenBlobs !== undefined) return warn('firm', `${lag}: ${unprovenBlobs}`, LIST_AUTHORS);
  if (!isLate) return ok('firm', lag);
  if (trouble !== undefined) return warn('firm', `${lag}: ${trouble}`, RUNBOOK);
  if (earlier !== undefined) return warn('firm', `${lag}: see the line "${earlier}" above`, RUNBOOK);
  if (layerHead === undefined || layerRead === undefined)
    return warn('firm', `${lag}: it has read nothing of ${layer}`, RUNBOOK);
  const read = `${lag}: it has read ${layer} up to`;
  if (layerHead - layerRead > 10)
    return warn('firm', `${read} ${layerRead} of ${layerHead}`, 'wait, while the first number grows');
  const by = authors === '' ? '' : ` by ${authors}`;
  const advice = 'see whether a relayer posts, and by which account (svc_conductor_celestia_authors)';
  return warn('firm', `${read} its end, and the next block is not there${by}`, advice);
}

const LIST_AUTHORS = "set svc_conductor_celestia_authors to the accounts of the network's relayers";
const RUNBOOK = 'docs/how-to/find-why-firm-lags.md has what to do';

const lagText = (blocks: number, seconds: number | undefined) =>
  `${blocks} blocks${seconds === undefined ? '' : ` (${Math.round(seconds)} s)`}`;

async function statusAt(instance: Instance, entry: ServiceEntry, field: SettingField): Promise<unknown> {
  const listens = findSetting(instance, entry, field) ?? field.fallback;
  return listens === undefined ? undefined : fetchJson(`${urlOfListener(listens)}/status`);
}

/** Seconds from the block after this one to the newest, as the sequencer dates them; 0 if there is none after it. */
async function secondsFrom({ network: { sequencerRpc } }: Instance, height: number | undefined) {
  if (height === undefined) return undefined;
  const { newest } = (await keptBlocks(sequencerRpc)) ?? {};
  if (newest === undefined) return undefined;
  if (newest <= height) return 0;
  const header = (input: Input) => input.at('result').at('signed_header').at('header').at('time').text();
  const timeAt = async (at: number) => readValue(await fetchJson(`${sequencerRpc}/commit?height=${at}`), header);
  const [from, to] = await Promise.all([height + 1, newest].map(timeAt));
  const ms = Date.parse(to ?? '') - Date.parse(from ?? '');
  return Number.isNaN(ms) ? undefined : ms / 1_000;
}

/**
 * Asks the layer that conductors read from, as they do: its newest header has to follow from the trusted one. And if the relayer
 * of a network that does not run posts elsewhere, the nodes that it would post to; a running one states that itself.
 */
export async function layerFindings(instance: Instance, isRunning: boolean): Promise<Finding[]> {
  const [read, posted] = await Promise.all([
    readFindings(instance, isRunning),
    isRunning ? [] : postFindings(instance),
  ]);
  return [...read, ...posted];
}

async function postFindings(instance: Instance): Promise<Finding[]> {
  const { network } = instance;
  if (ofProgram(instance, 'da').length > 0 || network.services.some(({ label }) => isCelestiaLabel(label))) return [];
  const { askConsensusNodes } = await import('./ask-consensus.ts');
  const found = await Promise.all(
    ofProgram(instance, 'relayer').map((entry) => {
      const find = (field: SettingField) => findSetting(instance, entry, field) || field.fallback;
      const file = find(FIELDS.relayer.privateKeyFile);
      return askConsensusNodes({
        urls: (find(FIELDS.relayer.daGrpcEndpoint) ?? '').split(',').map((url) => url.trim()),
        chainId: find(FIELDS.relayer.daChainId),
        account: file === undefined ? undefined : relayerAccount(file),
        lowBalance: BigInt(find(FIELDS.relayer.lowBalance) ?? 0),
      });
    }),
  );
  return found.flat();
}

async function readFindings(instance: Instance, isRunning: boolean): Promise<Finding[]> {
  const readers = getReaders(instance).filter(
    // A layer of this network answers only while it runs.
    (entry) =>
      isRunning ||
      instance.network.layer !== undefined ||
      !isOnThisMachine(findSetting(instance, entry, FIELDS.conductor.celestiaNodeHttpUrl) ?? ''),
  );
  if (readers.length === 0) return [];
  // Loaded only here: it brings the reader of the layer.
  const { askLayer } = await import('./ask-layer.ts');
  const found = await Promise.all(
    readers.map((entry) => askLayer((name) => findSetting(instance, entry, name), wallClock)),
  );
  return [...new Map(found.flat().map((finding) => [JSON.stringify(finding), finding])).values()];
}
