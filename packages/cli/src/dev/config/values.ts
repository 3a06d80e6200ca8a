import { parseDenom, Rejected } from '@switchyard/protocol/values';
import { fields } from '@switchyard/sequencer/config';
import { tried, usage } from '@switchyard/service/failure';

/*
 * Checks of configuration values. The rules are those of the services that will read them, so that a value which is
 * accepted here is accepted there.
 */

const shown = (text: string) => JSON.stringify(text.slice(0, 80));

const NAME = /^[A-Za-z0-9_.-]{1,50}$/;

/** @throws {Failure} when a rollup or chain cannot have this name. */
export function checkName(what: string, name: string): void {
  if (!NAME.test(name)) throw usage(`${what}: expected 1 to 50 of A-Z a-z 0-9 _ . -, got ${shown(name)}`);
}

/** The asset that a sequencer's genesis hands out; as in the reference, in lower case. @throws {Failure} */
export function getNativeDenom(what: string, text: string): string {
  const denom = parsed(text.toLowerCase());
  if (denom === undefined || text.includes('/')) {
    throw usage(`${what}: expected a name without / and spaces, such as ntia, got ${shown(text)}`);
  }
  return denom;
}

/** Any asset that can pay fees. @throws {Failure} */
export function getAsset(what: string, text: string): string {
  const denom = parsed(text);
  if (denom !== undefined) return denom;
  throw usage(
    `${what}: expected an asset such as ntia, transfer/channel-0/utia or ibc/<64 hex digits>, got ${shown(text)}`,
  );
}

const parsed = (text: string) => tried(Rejected, undefined, () => parseDenom(text).text);

/** Checks a block interval by the rule of the sequencer. @throws {Failure} */
export function checkBlockInterval(text: string): void {
  const { parser } = fields.blockIntervalMs;
  if (parser.fromText(text) !== undefined) return;
  throw usage(`block interval in milliseconds: expected ${parser.expects}, got ${shown(text)}`);
}
