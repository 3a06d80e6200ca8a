import { frame, getBlock, type RollupNode, rfc3339, streamRoute } from '@switchyard/rollup/node';
import type { AnyRoute } from '@switchyard/service/api';
import { type Text, textById, textCount, textsFrom } from '../tables/texts.ts';
import { textJson } from './text-json.ts';

type Node = RollupNode;

const MAX_TEXTS = 200;
const MAX_BLOCKS = 200n;

/** Each message, as it is committed. */
export function messageStream(node: Node): AnyRoute {
  return streamRoute<bigint>(node, {
    url: '/v1/streams/messages',
    id: 'streamMessages',
    summary: 'Each message as it is committed',
    description: 'Events `message`, with the id of the message as id',
    ids: '[0-9]{1,19}',
    from(lastId) {
      const count = textCount(node.view.snapshot);
      const next = lastId === undefined ? count : BigInt(lastId) + 1n;
      return next > count ? count : next;
    },
    keyOf: String,
    read(next) {
      const texts = textsFrom(node.view.snapshot, next, MAX_TEXTS);
      const frames = texts.map((text) => frame('message', textJson(text), text.id));
      return texts.length === 0 ? undefined : { frames: frames.join(''), next: next + BigInt(texts.length) };
    },
  });
}

/** Where a client of the stream of everything is: the next message and block, and the newest final block that it knows. */
interface Place {
  readonly text: bigint;
  readonly block: bigint;
  readonly firm: bigint;
}

/** Messages, blocks and commitments in one stream: the one from before `/v1/streams`. */
export function eventRoute(node: Node): AnyRoute {
  return streamRoute(node, {
    url: '/v1/events',
    id: 'streamEvents',
    summary: 'Each message and each block, as they are committed',
    description: 'Events `text`, `block`, and `commitment` where only the newest final block is another one',
    ids: '[0-9]{1,19}(?:-[0-9]{1,19})?',
    from: (lastId) => placeAfter(node, lastId),
    keyOf: ({ text, block, firm }) => `${text} ${block} ${firm}`,
    read: (place) => readEvents(node, place),
  });
}

/** The id of a message is its own; that of a block has the last message before it, too. */
function placeAfter({ view: { snapshot, soft, firm } }: Node, lastId: string | undefined): Place {
  const count = textCount(snapshot);
  const now = { text: count, block: soft + 1n, firm };
  if (lastId === undefined) return now;
  const [text = 0n, block] = lastId.split('-').map(BigInt);
  if (text >= count) return now;
  return { text: text + 1n, block: block === undefined ? blockOf(textById(snapshot, text)) : block + 1n, firm };
}

/** Blocks begin at 1; the greeting is in none of them. */
function blockOf(text: Text | undefined): bigint {
  return text === undefined || text.block === 0n ? 1n : text.block;
}

function readEvents({ view }: Node, place: Place): { readonly frames: string; readonly next: Place } | undefined {
  const { snapshot, soft, firm, lowest } = view;
  if (place.block > soft && place.firm === firm) return undefined;
  if (place.block > soft) {
    return { frames: frame('commitment', { soft, firm }), next: { ...place, firm } };
  }
  const texts = textsFrom(snapshot, place.text, MAX_TEXTS);
  const frames: string[] = [];
  let { text, block } = place.block < lowest ? { ...place, block: lowest } : place;
  const end = block + MAX_BLOCKS > soft ? soft : block + MAX_BLOCKS - 1n;
  for (let index = 0; block <= end; block += 1n) {
    for (let each = texts[index]; each !== undefined && each.block <= block; each = texts[index]) {
      frames.push(frame('text', textJson(each), each.id));
      text = each.id + 1n;
      index += 1;
    }
    // The block may have more of them.
    if (index === MAX_TEXTS) break;
    const stored = getBlock(snapshot, block);
    if (stored === undefined) continue;
    const { hash, executed, refused } = stored;
    const shown = { number: block, hash, time: rfc3339(stored), transactions: executed + refused };
    frames.push(frame('block', shown, `${text - 1n}-${block}`));
  }
  return { frames: frames.join(''), next: { text, block, firm } };
}
