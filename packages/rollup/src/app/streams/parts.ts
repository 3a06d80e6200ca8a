import { toJson } from '@switchyard/service';
import type { SoftView } from '../commits.ts';
import type { RollupNode } from '../node.ts';
import { type ChangesSince, changesSince } from './changes.ts';
import { type Fragment, type Part, type Place, toCursor, toKey } from './part.ts';
import { Shared } from './shared.ts';

/** Parts that one client follows, by its numbers for them, and the newest blocks that it knows. */
export interface Following {
  readonly soft: bigint;
  readonly firm: bigint;
  readonly parts: ReadonlyMap<number, Followed>;
}

export interface Followed {
  readonly part: Part;
  readonly place: Place;
}

interface Notification {
  readonly text: string;
  readonly next: Following;
  readonly isWhole: boolean;
}

export const NOTHING: Following = { soft: -1n, firm: -1n, parts: new Map() };

/** Characters of a notification from which on pages wait for the next one, and from which on changes give way to pages. */
const FULL = 1_048_576;
const OVERFULL = 3 * FULL;
/** Number of a part that is followed alone, and then is not in its messages. */
export const ALONE = -1;

/** Reads parts for all clients: a fragment is made once for a commit and place. */
export class PartReader {
  readonly #node: Pick<RollupNode, 'view'>;
  readonly #changes: Shared<bigint, ChangesSince | undefined>;
  readonly #fragments: Shared<Followed, Fragment>;
  #view: SoftView | undefined;

  constructor(node: Pick<RollupNode, 'view'>) {
    this.#node = node;
    this.#changes = new Shared(
      String,
      (block) => changesSince(node.view.snapshot, block, node.view.soft),
      (found) => (found?.blocks ?? []).reduce((sum, { keys }) => sum + 100 * keys.length, 0),
    );
    this.#fragments = new Shared(
      ({ part, place }) => toKey(part, place),
      ({ part, place }) => part.read(node.view, place, (block) => this.#changes.at(block)),
      ({ members = '' }) => members.length,
    );
  }

  getKey({ soft, firm, parts }: Following): string {
    const places = [...parts].map(([id, { part, place }]) => `${id} ${toKey(part, place)}`);
    return [soft, firm, ...places].join(' ');
  }

  /**
   * The next notification: changes of all parts up to the newest block, and pages as far as there is room.
   *
   * @returns undefined while there is nothing new.
   */
  read({ soft, firm, parts }: Following): Notification | undefined {
    const { view } = this.#node;
    // A commit changes the view some turns before its listeners are called.
    if (view !== this.#view) for (const made of [this.#changes, this.#fragments]) made.clear();
    this.#view = view;
    const next = new Map(parts);
    const texts: string[] = [];
    let [length, isWhole] = [0, true];
    for (const [id, { part, place }] of parts) {
      if (place.isOpen && length > FULL) {
        isWhole = false;
        continue;
      }
      let read = this.#fragments.at({ part, place });
      if (!place.isOpen && length + (read.members?.length ?? 0) > OVERFULL) {
        read = { members: '"isWhole":false', next: { ...place, isOpen: true } };
      }
      if (read.next === undefined) next.delete(id);
      else next.set(id, { part, place: read.next });
      isWhole &&= read.next?.isOpen !== true;
      if (read.members === undefined) continue;
      texts.push(`{${id === ALONE ? '' : `"id":${id},`}${read.members}}`);
      length += read.members.length;
    }
    if (texts.length === 0 && soft === view.soft && firm === view.firm) return undefined;
    const text = `{${header(view)},"parts":[${texts.join(',')}]}`;
    return { text, next: { soft: view.soft, firm: view.firm, parts: next }, isWhole };
  }
}

function header({ soft, firm, block: { hash, seconds, nanos } }: SoftView): string {
  const time = { seconds: String(seconds), nanos };
  return toJson({ block: String(soft), hash, time, firm: String(firm), cursor: toCursor(soft, hash) }).slice(1, -1);
}
